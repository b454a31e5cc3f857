import type { SourceValue } from '../../row.ts';
import { expressionFailed } from '../expression-error.ts';
import { hexOf } from './bytes.ts';
import { writeJson } from './json.ts';
import { kindOf } from './kind-of.ts';

/** Most digits of a text that is compared as an integer, exactly: 10^309 is infinite as a number. */
const digitsMax = 310;

/**
 * Orders two values: below 0, 0 or above 0; NaN when one of them is NaN, which is neither.
 *
 * Numbers and booleans compare as numbers, exactly; text with text by code units; text with a number as numbers. Arrays, maps
 * and bytes only compare with their like.
 *
 * @throws EXPRESSION_FAILED when the two cannot be compared
 */
export function compareValues(left: SourceValue, right: SourceValue): number {
  if (typeof left === 'string' && typeof right === 'string') return orderOf(left, right);
  const leftNumber = numberIn(left);
  const rightNumber = numberIn(right);
  if (leftNumber !== undefined && rightNumber !== undefined) return orderOf(leftNumber, rightNumber);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return orderOf(hexOf(left), hexOf(right));
  if (isCompound(left) && isCompound(right)) return orderOf(writeJson(left), writeJson(right));
  throw expressionFailed(`${sentence(kindOf(left))} cannot be compared with ${kindOf(right)}.`);
}

/** JavaScript compares numbers with bigints by their mathematical value. */
function orderOf<T extends string | number | bigint>(left: T, right: T): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right || Number(left) === Number(right) ? 0 : sameText(left, right);
}

function sameText(left: string | number | bigint, right: string | number | bigint): number {
  return typeof left === 'string' && left === right ? 0 : Number.NaN;
}

function numberIn(value: SourceValue): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const asNumber = Number(value);
  if (Number.isNaN(asNumber)) return undefined;
  const digits = value.trim();
  // Beyond so many digits a number is infinite, which is above all integers that are compared exactly.
  if (Number.isSafeInteger(asNumber) || digits.length > digitsMax || !/^-?\d+$/.test(digits)) return asNumber;
  return BigInt(digits);
}

function isCompound(value: SourceValue): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
