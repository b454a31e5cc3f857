import { isQuireError } from '@quire/core';
import type { SourceValue } from '../../row.ts';
import { number } from '../parameters.ts';
import { compareValues } from './compare.ts';
import { writeJson } from './json.ts';

/** The elements that are not null, as numbers. @throws EXPRESSION_FAILED when one is no number */
export function numbersIn(values: readonly SourceValue[]): readonly (number | bigint)[] {
  return values.filter((value) => value !== null).map((value) => number.read(value, 'an element of the array'));
}

/** Whether two elements are the same; null equals null, and what cannot be compared is not equal. */
export function isEqual(left: SourceValue, right: SourceValue): boolean {
  if (left === null || right === null) return left === right;
  try {
    return compareValues(left, right) === 0;
  } catch (error) {
    if (isQuireError(error, 'EXPRESSION_FAILED')) return false;
    throw error;
  }
}

/** Each element once, where it first stands: 1 and `'1'` are two. */
export function distinctValues(values: readonly SourceValue[]): readonly SourceValue[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const key = writeJson(value);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
