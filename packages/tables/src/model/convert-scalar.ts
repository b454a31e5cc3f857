import { distance } from 'fastest-levenshtein';
import type { Finding } from '../finding.ts';
import { describeValue } from './describe-value.ts';
import type { ModelSchema } from './model-schema.ts';

/** A text, number or boolean as its model has it, and what there is to say about it. */
export interface ConvertedScalar {
  /** Undefined when it does not fit. */
  readonly value: string | number | boolean | undefined;
  readonly problem?: Omit<Finding, 'path'>;
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
};

/** Takes a value as it is if it fits, and converts it if nothing is lost: configs in use hold `"true"` and `"10000"`. */
export function convertScalar(schema: ModelSchema, value: unknown): ConvertedScalar {
  const fitting = fitScalar(schema, value);
  if (fitting === undefined) {
    const message = `Expected ${nouns[schema.type ?? '']}, found ${describeValue(value)}.`;
    return { value: undefined, problem: { code: 'WRONG_TYPE', severity: 'error', message } };
  }
  const isConverted = fitting !== value && typeof value !== 'bigint';
  const message = `Expected ${nouns[schema.type ?? '']}, found ${describeValue(value)}; it was converted.`;
  const problem = { code: 'TYPE_CONVERTED', severity: 'warning', message } as const;
  const outcome = isConverted ? { value: fitting, problem } : { value: fitting };
  return schema.enum === undefined ? outcome : chooseWord(schema.enum, String(fitting), outcome);
}

function fitScalar(schema: ModelSchema, value: unknown): string | number | boolean | undefined {
  switch (schema.type) {
    case 'string':
      if (typeof value === 'string') return value;
      return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (typeof value !== 'string' || !/^(true|false)$/i.test(value)) return undefined;
      return value.toLowerCase() === 'true';
    case 'integer':
      return fitNumber(value, Number.isSafeInteger);
    case 'number':
      return fitNumber(value, Number.isFinite);
    default:
      return undefined;
  }
}

function fitNumber(value: unknown, fits: (number: number) => boolean): number | undefined {
  const isText = typeof value === 'string' && /^-?\d{1,30}(\.\d{1,30})?$/.test(value);
  if (!isText && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const number = Number(value);
  return fits(number) ? number : undefined;
}

function chooseWord(words: readonly string[], given: string, outcome: ConvertedScalar): ConvertedScalar {
  if (words.includes(given)) return outcome;
  const inOtherCase = words.find((word) => word.toLowerCase() === given.toLowerCase());
  if (inOtherCase !== undefined) {
    const message = `‘${given}’ is written ${inOtherCase}; it was converted.`;
    return { value: inOtherCase, problem: { code: 'TYPE_CONVERTED', severity: 'warning', message } };
  }
  const shown = given.slice(0, 40);
  const nearest = words.toSorted((left, right) => distance(left, shown.toUpperCase()) - distance(right, shown.toUpperCase()))[0];
  const message = `‘${shown}’ is not one of ${words.join(', ')}. The nearest is ${nearest}.`;
  return { value: undefined, problem: { code: 'UNKNOWN_VALUE', severity: 'error', message } };
}
