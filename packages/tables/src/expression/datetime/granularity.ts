import { expressionFailed } from '../expression-error.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';
import { isTimeUnit, toMs } from './time-unit.ts';

/** A size of buckets of time in milliseconds, as the engine writes it: `15:MINUTES` or `MINUTES|15`. */
export const granularity: Parameter<number> = {
  type: 'granularity',
  read(value, place) {
    const given = text.read(value, place);
    const [left = '', right = ''] = given.split(/[:|]/);
    const [size, unit] = given.includes('|') ? [right === '' ? '1' : right, left] : [left, right];
    const name = unit.toUpperCase();
    const sizeMs = isTimeUnit(name) && /^\d{1,9}$/.test(size) ? toMs(Number(size), name) : 0;
    if (sizeMs < 1) {
      throw expressionFailed(`Expected a granularity such as 15:MINUTES as ${place}, found ‘${given.slice(0, 40)}’.`);
    }
    return sizeMs;
  },
};
