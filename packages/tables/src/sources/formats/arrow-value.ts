import { DataType, type Field, TimeUnit } from 'apache-arrow';
import type { SourceValue } from '../../row.ts';
import { plainValue } from './plain-value.ts';
import { textOfTimestamp } from './time-text.ts';

/** A value of an Arrow column as rows have it: times and days as text, decimals as their digits, the rest as it is. */
export function arrowValue(type: DataType, value: unknown): SourceValue {
  if (value === null || value === undefined) return null;
  if (DataType.isDictionary(type)) return arrowValue(type.dictionary as DataType, value);
  if (DataType.isTimestamp(type)) return textOfInstant(Number(value), type.unit <= TimeUnit.MILLISECOND);
  if (DataType.isDate(type)) return textOfTimestamp(Math.trunc(Number(value)), 3).slice(0, 10);
  if (DataType.isDecimal(type) && value instanceof Uint32Array) return textOfDecimal(value, type.scale);
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    const [element] = childrenOf(type);
    return element === undefined ? null : Array.from(value as Iterable<unknown>, (each) => arrowValue(element.type, each));
  }
  if (DataType.isStruct(type)) {
    const row = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(childrenOf(type).map((child) => [child.name, arrowValue(child.type, row[child.name])]));
  }
  if (DataType.isMap(type)) return plainValue((value as { toJSON(): unknown }).toJSON());
  return plainValue(value);
}

/** The library leaves the types of children open. */
function childrenOf(type: DataType): readonly Field<DataType>[] {
  return type.children as readonly Field<DataType>[];
}

/** The library gives milliseconds, with fractions where the column has finer units. */
function textOfInstant(epochMs: number, isWhole: boolean): string {
  return isWhole ? textOfTimestamp(Math.trunc(epochMs), 3) : textOfTimestamp(Math.round(epochMs * 1000), 6);
}

/** A decimal of 128 or 256 bits, in two's complement, the low words first. */
function textOfDecimal(words: Uint32Array, scale: number): string {
  const bits = words.length * 32;
  const unsigned = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  const value = BigInt.asIntN(bits, unsigned);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const split = digits.length - scale;
  return `${value < 0n ? '-' : ''}${digits.slice(0, split)}${scale > 0 ? `.${digits.slice(split)}` : ''}`;
}
