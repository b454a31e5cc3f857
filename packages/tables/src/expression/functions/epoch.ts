import { checkedEpochMs, instant } from '../datetime/date-range.ts';
import { isoDurationMs } from '../datetime/iso-duration.ts';
import { fromMs, type TimeUnit, timeUnit, toMs } from '../datetime/time-unit.ts';
import { expressionFailed } from '../expression-error.ts';
import { clocked, type FunctionDefinition, scalar } from '../function-definition.ts';
import type { Parameter } from '../parameter.ts';
import { integer } from '../parameters.ts';

const positive: Parameter<number> = {
  type: 'integer',
  read(value, place) {
    const size = integer.read(value, place);
    if (size < 1) throw expressionFailed(`Expected 1 or more as ${place}, found ${size}.`);
    return size;
  },
};

const units = ['Seconds', 'Minutes', 'Hours', 'Days'] as const;

/** Five functions for each unit: to it, rounded, in buckets, and back. */
function functionsOfUnit(name: (typeof units)[number]): readonly FunctionDefinition[] {
  const unit = name.toUpperCase() as TimeUnit;
  const word = name.toLowerCase();
  return [
    scalar({
      name: `toEpoch${name}`,
      takes: [instant],
      returns: 'integer',
      does: `Epoch milliseconds as whole ${word} since 1970.`,
      evaluate: (ms) => fromMs(ms, unit),
    }),
    scalar({
      name: `toEpoch${name}Rounded`,
      takes: [instant, positive],
      returns: 'integer',
      does: `Epoch milliseconds as ${word} since 1970, down to a multiple of the second argument.`,
      evaluate: (ms, size) => Math.trunc(fromMs(ms, unit) / size) * size,
    }),
    scalar({
      name: `toEpoch${name}Bucket`,
      takes: [instant, positive],
      returns: 'integer',
      does: `How many buckets of so many ${word} passed between 1970 and the epoch milliseconds.`,
      evaluate: (ms, size) => Math.trunc(fromMs(ms, unit) / size),
    }),
    scalar({
      name: `fromEpoch${name}`,
      takes: [integer],
      returns: 'millis',
      does: `Epoch milliseconds of ${word} since 1970.`,
      evaluate: (count) => checkedEpochMs(toMs(count, unit)),
    }),
    scalar({
      name: `fromEpoch${name}Bucket`,
      takes: [integer, positive],
      returns: 'millis',
      does: `Epoch milliseconds of a count of buckets of so many ${word}.`,
      evaluate: (count, size) => checkedEpochMs(toMs(count * size, unit)),
    }),
  ];
}

/** Time since 1970, counted in units. */
export const epochFunctions: readonly FunctionDefinition[] = [
  ...units.flatMap(functionsOfUnit),
  scalar({
    name: 'timeConvert',
    takes: [integer, timeUnit, timeUnit],
    returns: 'integer',
    does: 'A time counted in one unit, counted in another.',
    evaluate: (count, from, to) => fromMs(checkedEpochMs(toMs(count, from)), to),
  }),
  clocked({
    name: 'now',
    takes: [],
    returns: 'millis',
    does: 'Epoch milliseconds when the row is read.',
    bind:
      ({ clock }) =>
      () =>
        clock.nowMs(),
  }),
  clocked({
    name: 'ago',
    takes: [isoDurationMs],
    returns: 'millis',
    does: 'Epoch milliseconds of so long before the row is read; the duration as in ISO 8601: `PT1H`, `P7D`.',
    bind:
      ({ clock }) =>
      (durationMs) =>
        checkedEpochMs(clock.nowMs() - durationMs),
  }),
];
