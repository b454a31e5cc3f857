import { Decimal } from '@quire/tables/expressions';
import type { JudgedValue } from './pinot-judge.ts';

/**
 * Reports whether Quire's value is the judge's. Doubles may differ in their last digits; types of
 * numbers are compared elsewhere.
 */
export function isSameValue(judged: JudgedValue | undefined, ours: unknown): boolean {
  if (judged === null || judged === undefined) return ours === null || ours === undefined;
  if (typeof judged === 'boolean') return judged === ours;
  // Java's text of a list is its memory address, possibly truncated.
  if (typeof judged === 'string' && isPlace(judged)) return typeof ours === 'string';
  // Half a pair of surrogates is a question mark in the judge's output.
  if (typeof judged === 'string') {
    return (
      judged === ours ||
      (typeof ours === 'string' &&
        !ours.isWellFormed() &&
        judged === ours.toWellFormed().replaceAll('\uFFFD', '?'))
    );
  }
  if (Array.isArray(judged)) {
    return (
      Array.isArray(ours) &&
      ours.length === judged.length &&
      judged.every((each: JudgedValue, index) => isSameValue(each, ours[index]))
    );
  }
  const [type, value] = Object.entries(judged)[0] ?? ['', undefined];
  if (type === '$map') {
    if (!isObject(ours)) return false;
    const names = Object.keys(value as object);
    return (
      names.length === Object.keys(ours).length &&
      names.every((name) => isSameValue((value as Record<string, JudgedValue>)[name], ours[name]))
    );
  }
  const text = String(value);
  if (type === '$bytes') {
    return ours instanceof Uint8Array && Buffer.from(ours).toString('hex') === text;
  }
  if (type === '$int' || type === '$long') {
    return (
      String(numberOf(ours)) === text ||
      (typeof ours === 'number' &&
        BigInt(text) === BigInt(Number.isInteger(ours) ? ours : 0) &&
        Number.isInteger(ours))
    );
  }
  if (type === '$timestamp') return String(isObject(ours) ? ours['epochMs'] : ours) === text;
  if (type === '$decimal') {
    return (
      isNumberText(ours) &&
      Decimal.parse(text).toPlainString() ===
        (ours instanceof Decimal ? ours : Decimal.parse(String(ours))).toPlainString()
    );
  }
  const [left, right] = [Number(text), Number(numberOf(ours) ?? Number.NaN)];
  if (typeof ours === 'string' || ours === null || ours === undefined) return false;
  if (type === '$float' && Math.fround(left) === Math.fround(right)) return true;
  if (Object.is(left, right) || (left === right && left !== 0)) return true;
  return (
    Math.abs(left - right) <=
    Math.max(Math.abs(left), Math.abs(right)) * (type === '$float' ? 1e-6 : 1e-12)
  );
}

const placesOfLists = ['[Ljava.lang.Object;@', '[B@'] as const;

function isPlace(text: string): boolean {
  return placesOfLists.some(
    (place) => text.includes(place) || (text.length > 2 && place.startsWith(text)),
  );
}

function isNumberText(value: unknown): boolean {
  return (
    value instanceof Decimal ||
    (['string', 'number', 'bigint'].includes(typeof value) &&
      Number.isFinite(Number(value)) &&
      value !== '')
  );
}

function numberOf(value: unknown): unknown {
  return isObject(value) && 'value' in value ? value['value'] : value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
