import { Decimal, doubleValue, Float, Timestamp, type Value } from '@quire/tables/expressions';
import type { Given } from './argument-pools.ts';

/** Converts a value of a row for the judge to ours. */
export function valueOf(given: Given): Value {
  if (Array.isArray(given)) return (given as readonly Given[]).map(valueOf);
  // The judge reads true and false as Pinot's extractor of JSON does: as text.
  if (typeof given === 'boolean') return String(given);
  if (given === null || typeof given !== 'object') return given;
  const members = Object.entries(given);
  const [type, value] = members[0] ?? ['', null];
  if (members.length !== 1 || !type.startsWith('$')) {
    return Object.fromEntries(members.map(([name, member]) => [name, valueOf(member)]));
  }
  const text = typeof value === 'object' ? '' : String(value);
  switch (type) {
    case '$double':
      return doubleValue(Number(text));
    case '$float':
      return new Float(Number(text));
    case '$long':
      return BigInt(text);
    case '$decimal':
      return Decimal.parse(text);
    case '$boolean':
      return text === 'true';
    case '$timestamp':
      return new Timestamp(Number(text));
    case '$bytes':
      return Uint8Array.from(Buffer.from(text, 'hex'));
    default:
      return Number(text);
  }
}
