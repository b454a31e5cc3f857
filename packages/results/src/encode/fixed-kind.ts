import { DataType, DateUnit, Precision } from 'apache-arrow';
import { fractionDigitsOf } from '../arrow/column-type.ts';
import {
  kindDate,
  kindDecimal,
  kindFloat32,
  kindFloat64,
  kindInt16,
  kindInt32,
  kindInt64,
  kindInt8,
  kindTimestampMicroseconds,
  kindTimestampMilliseconds,
  kindTimestampNanoseconds,
  kindTimestampSeconds,
  kindUint16,
  kindUint32,
  kindUint64,
  kindUint8,
} from './row-writer-layout.ts';

/** The description of a fixed-width type for the row writer. */
export interface FixedKind {
  readonly kind: number;
  readonly widthBytes: number;
  readonly scale?: number;
  /** True if JSON has it within quotes; for a float, if it is not finite. */
  readonly isQuoted: boolean;
  /** The maximum size of a value's text, including quotes. */
  readonly textBytesMax: number;
}

const integerBytes = 22;
const floatBytes = 26;
const dateBytes = 26;
const timestampBytes = 50;
/** The maximum length of a 256-bit decimal's text, without the digits that its scale adds. */
const decimalBytes = 83;

/** Returns the kind of numbers, dates and timestamps; undefined for all other types. */
export function fixedKindOf(type: DataType): FixedKind | undefined {
  if (DataType.isInt(type)) {
    const kind = integerKindOf(type.bitWidth, type.isSigned);
    // On the wire this is BIG_DECIMAL, for which many clients have no number type.
    return {
      kind,
      widthBytes: type.bitWidth / 8,
      isQuoted: kind === kindUint64,
      textBytesMax: integerBytes,
    };
  }
  if (DataType.isFloat(type)) {
    if (type.precision === Precision.HALF) return undefined;
    const isDouble = type.precision === Precision.DOUBLE;
    const kind = isDouble ? kindFloat64 : kindFloat32;
    return { kind, widthBytes: isDouble ? 8 : 4, isQuoted: true, textBytesMax: floatBytes };
  }
  if (DataType.isDecimal(type)) {
    const { scale } = type;
    const textBytesMax = decimalBytes + Math.abs(scale);
    return {
      kind: kindDecimal,
      widthBytes: type.bitWidth / 8,
      scale,
      isQuoted: true,
      textBytesMax,
    };
  }
  if (DataType.isDate(type) && type.unit === DateUnit.DAY) return dayKind;
  if (!DataType.isTimestamp(type)) return undefined;
  const kind = timestampKinds[fractionDigitsOf(type.unit)];
  return { kind, widthBytes: 8, isQuoted: true, textBytesMax: timestampBytes };
}

/** 32-bit days since the epoch. */
export const dayKind: FixedKind = {
  kind: kindDate,
  widthBytes: 4,
  isQuoted: true,
  textBytesMax: dateBytes,
};
/** 32-bit floats. */
export const floatKind: FixedKind = {
  kind: kindFloat32,
  widthBytes: 4,
  isQuoted: true,
  textBytesMax: floatBytes,
};

const timestampKinds = {
  0: kindTimestampSeconds,
  3: kindTimestampMilliseconds,
  6: kindTimestampMicroseconds,
  9: kindTimestampNanoseconds,
} as const;

function integerKindOf(bitWidth: number, isSigned: boolean): number {
  if (bitWidth === 8) return isSigned ? kindInt8 : kindUint8;
  if (bitWidth === 16) return isSigned ? kindInt16 : kindUint16;
  if (bitWidth === 32) return isSigned ? kindInt32 : kindUint32;
  return isSigned ? kindInt64 : kindUint64;
}
