import { expressionFailed } from '../language/expression-error.ts';
import { isTimeUnit, type TimeUnit } from './time-unit.ts';

/** A span that times are rounded to. */
export interface Granularity {
  readonly size: number;
  readonly unit: TimeUnit;
}

/** Reads `15:MINUTES`, `MINUTES|15` or `HOURS`; case counts. @throws EXPRESSION_FAILED when it is neither */
export function parseGranularity(text: string): Granularity {
  const [unit = '', size = '1'] = /^\d/.test(text) ? text.split(':', 2).toReversed() : text.split('|', 2);
  const isWhole = !/^\d/.test(text) || text.includes(':');
  if (!isWhole || !isTimeUnit(unit) || !/^\+?\d{1,9}$/.test(size) || Number(size) < 1) {
    throw expressionFailed(`‘${text.slice(0, 40)}’ is not a granularity: expected 15:MINUTES or MINUTES|15.`);
  }
  return { size: Number(size), unit };
}
