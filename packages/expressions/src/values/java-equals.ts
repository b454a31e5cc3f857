import { Decimal } from './decimal.ts';
import { Float, Timestamp, typeOf, type Value, WholeDouble } from './value.ts';

/** Whether two values have the same type and are equal, as Java's `equals` has it: lists never are, 1 is not 1.0. */
export function javaEquals(a: Value, b: Value): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (type === 'ARRAY' || type === 'BYTES') return a === b;
  if (a instanceof Decimal && b instanceof Decimal) return a.unscaled === b.unscaled && a.scale === b.scale;
  if (a instanceof Timestamp && b instanceof Timestamp) return a.epochMs === b.epochMs;
  if ((a instanceof WholeDouble && b instanceof WholeDouble) || (a instanceof Float && b instanceof Float)) {
    return Object.is(a.value, b.value);
  }
  if (type === 'LONG') return BigInt(a as number) === BigInt(b as number);
  if (type !== 'MAP') return Object.is(a, b);
  const [left, right] = [a as Readonly<Record<string, Value>>, b as Readonly<Record<string, Value>>];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && javaEquals(left[name] ?? null, right[name] ?? null))
  );
}
