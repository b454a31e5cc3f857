import { expressionFailed } from '../expression-error.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

const durationPattern = /^([+-])?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,3}))?S)?)?$/i;

/** A duration of ISO 8601 without months and years, in milliseconds: P1D, PT36H, PT5M30.5S. */
export const isoDurationMs: Parameter<number> = {
  type: 'duration',
  read(value, place) {
    const given = text.read(value, place).trim();
    const match = durationPattern.exec(given);
    if (match === null || /[PT]$/i.test(given)) {
      throw expressionFailed(`Expected a duration such as PT1H or P7D as ${place}, found ‘${given.slice(0, 40)}’.`);
    }
    const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
    const wholeMs = (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    const ms = wholeMs + Number(fraction.padEnd(3, '0'));
    return sign === '-' ? -ms : ms;
  },
};
