import { quotient } from '../dates/convert-date-time.ts';
import { convertExactly, convertTime } from '../dates/date-time-format.ts';
import { define, long, millis } from './function-definition.ts';

const leapDay = 1_709_209_845_678;

const epochUnits = [
  ['Seconds', 'SECONDS'],
  ['Minutes', 'MINUTES'],
  ['Hours', 'HOURS'],
  ['Days', 'DAYS'],
] as const;

/** `toEpochDays` and its variants, for each unit. */
export const epochFunctions = epochUnits.flatMap(([name, timeUnit]) => {
  const toUnit = (ms: number): number => convertTime(ms, 'MILLISECONDS', timeUnit);
  const toMs = (count: bigint): bigint => convertExactly(count, timeUnit, 'MILLISECONDS');
  const low = name.toLowerCase();
  return [
    define(
      `toEpoch${name}`,
      [millis],
      millis,
      toUnit,
      `Whole ${low} since 1970, truncated towards zero.`,
      `toEpoch${name}(${leapDay})`,
    ),
    define(
      `toEpoch${name}Rounded`,
      [millis, millis],
      millis,
      (ms, size) => quotient(toUnit(ms), size) * size,
      `Whole ${low} since 1970, rounded down to a multiple.`,
      `toEpoch${name}Rounded(${leapDay}, 10)`,
    ),
    define(
      `toEpoch${name}Bucket`,
      [millis, millis],
      millis,
      (ms, size) => quotient(toUnit(ms), size),
      `The number of whole buckets of n ${low} since 1970.`,
      `toEpoch${name}Bucket(${leapDay}, 10)`,
    ),
    define(
      `fromEpoch${name}`,
      [long],
      long,
      toMs,
      `The instant that is n ${low} after the start of 1970.`,
      `fromEpoch${name}(19782)`,
    ),
    define(
      `fromEpoch${name}Bucket`,
      [long, long],
      long,
      (count, size) => toMs(BigInt.asIntN(64, count * size)),
      `The instant that is m buckets of n ${low} after the start of 1970.`,
      `fromEpoch${name}Bucket(1978, 10)`,
    ),
  ];
});
