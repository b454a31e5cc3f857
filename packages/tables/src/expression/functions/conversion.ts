import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { anything, double, text } from '../parameters.ts';
import { castType, castValue } from '../values/cast.ts';
import { plainDecimal } from '../values/decimal.ts';

/** From one type to another. */
export const conversionFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'cast',
    takes: [anything, castType],
    returns: 'value',
    does: 'The value as a type; `CAST(value AS LONG)` is the same.',
    evaluate: castValue,
  }),
  scalar({
    name: 'bigDecimalToDouble',
    takes: [text],
    returns: 'number',
    does: 'A decimal number as a double.',
    evaluate: (given) => Number(plainDecimal(given)),
  }),
  scalar({
    name: 'isNan',
    takes: [double],
    returns: 'boolean',
    does: 'Whether a number is NaN.',
    evaluate: (value) => Number.isNaN(value),
  }),
  scalar({
    name: 'isInfinite',
    takes: [double],
    returns: 'boolean',
    does: 'Whether a number is infinite.',
    evaluate: (value) => Math.abs(value) === Number.POSITIVE_INFINITY,
  }),
];
