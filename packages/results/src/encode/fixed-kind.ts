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

/** How the row writer takes values that all have the same number of bytes. */
export interface FixedKind {
  readonly kind: number;
  readonly widthBytes: number;
  readonly scale?: number;
  /** Whether JSON has it within quotes; a float, when it is not finite. */
  readonly isQuoted: boolean;
  /** Bytes of the widest text, quotes included. */
  readonly textBytesMax: number;
}

const integerBytes = 22;
const floatBytes = 26;
const dateBytes = 26;
const timestampBytes = 50;
/** Of 256 bits, the digits that its scale adds aside. */
const decimalBytes = 83;

/**
 * The kind of numbers, dates and timestamps; undefined for all other types, and for those that it
 * does not know.
 */
export function fixedKindOf(type: DataType): FixedKind | undefined {
  if (DataType.isInt(type)) {
    const kind = integerKindOf(type.bitWidth, type.isSigned);
    // On the wire that is BIG_DECIMAL: many clients have no number for it.
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

/** Days since the epoch, of 32 bits. */
export const dayKind: FixedKind = {
  kind: kindDate,
  widthBytes: 4,
  isQuoted: true,
  textBytesMax: dateBytes,
};
/** Floats of 32 bits. */
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
