import { DataType, IntervalUnit, Precision, TimeUnit } from 'apache-arrow';
import type { ArrowType } from './arrow-input.ts';

/**
 * Returns the bytes of one value of a fixed-width type, or undefined for every other type. Source:
 * https://arrow.apache.org/docs/format/Columnar.html#fixed-size-primitive-layout
 */
export function byteWidthOf(type: ArrowType): number | undefined {
  if (DataType.isInt(type)) return type.bitWidth / 8;
  if (DataType.isFloat(type)) {
    return type.precision === Precision.HALF ? 2 : type.precision === Precision.SINGLE ? 4 : 8;
  }
  if (DataType.isDecimal(type)) return type.bitWidth / 8;
  if (DataType.isDate(type)) return type.unit === 0 ? 4 : 8;
  if (DataType.isTime(type)) return type.bitWidth / 8;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 8;
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isInterval(type)) {
    return type.unit === IntervalUnit.YEAR_MONTH ? 4 : type.unit === IntervalUnit.DAY_TIME ? 8 : 16;
  }
  return undefined;
}

/** Returns the number of fraction digits of a time unit: 0 for seconds, 9 for nanoseconds. */
export function fractionDigitsOf(unit: TimeUnit): 0 | 3 | 6 | 9 {
  return unit === TimeUnit.SECOND
    ? 0
    : unit === TimeUnit.MILLISECOND
      ? 3
      : unit === TimeUnit.MICROSECOND
        ? 6
        : 9;
}
