import { expressionFailed } from '../expression-error.ts';
import type { Parameter } from '../parameter.ts';
import { integer } from '../parameters.ts';

/** The range of JavaScript's calendar: 100 million days on either side of 1970. */
const epochMsMax = 8.64e15;

/** @throws EXPRESSION_FAILED when the instant is outside the calendar */
export function checkedEpochMs(epochMs: number): number {
  if (!(Math.abs(epochMs) <= epochMsMax)) {
    throw expressionFailed(`${epochMs} ms is outside the calendar, which ends in the year 275760.`);
  }
  return epochMs;
}

/** An instant that the calendar has, in epoch milliseconds. */
export const instant: Parameter<number> = {
  type: 'millis',
  read: (value, place) => checkedEpochMs(integer.read(value, place)),
};
