// The memory layout shared by TypeScript and the row writer's WebAssembly. Both compile this file:
// plain integer constants mean the same in each.

/** Kinds of column, by the conversion of their values to text. */
export const kindReadyText = 0;
export const kindJsonText = 1;
export const kindCsvText = 2;
export const kindHexText = 3;
export const kindHexOfWidth = 4;
export const kindBoolean = 5;
export const kindInt8 = 6;
export const kindInt16 = 7;
export const kindInt32 = 8;
export const kindInt64 = 9;
export const kindUint8 = 10;
export const kindUint16 = 11;
export const kindUint32 = 12;
export const kindUint64 = 13;
export const kindFloat32 = 14;
export const kindFloat64 = 15;
export const kindDecimal = 16;
export const kindDate = 17;
export const kindTimestampSeconds = 18;
export const kindTimestampMilliseconds = 19;
export const kindTimestampMicroseconds = 20;
export const kindTimestampNanoseconds = 21;
export const kindJsonList = 22;
export const kindJsonListOfSize = 23;

/**
 * A column in memory: 32-bit words at these byte offsets. Rows are counted from the first staged
 * one.
 */
export const columnBytes = 52;
export const kindAt = 0;
/** Address of the validity bits, or 0 if there is no null. */
export const validityAt = 4;
/** The bit of row 0 within the validity bits, and within the values of booleans. */
export const firstBitAt = 8;
/**
 * Address of the values; for texts, the base of their offsets; for lists, the address of their
 * items' column.
 */
export const valuesAt = 12;
/** Address of 32-bit offsets of texts and lists: row `r` is `[offsets[r], offsets[r + 1])`. */
export const offsetsAt = 16;
/** Address and length of the text before the cell. */
export const prefixAt = 20;
export const prefixLengthAt = 24;
/** 1 if text that is not a number is quoted. */
export const quotedAt = 28;
/** Digits after the decimal point; negative for zeros before it. */
export const scaleAt = 32;
/** Bytes of one value of a decimal or of hex; items of one fixed-size list. */
export const widthAt = 36;
/**
 * The text of a null: up to four ASCII characters, the first in the lowest byte, and their number.
 */
export const nullTextAt = 40;
export const nullLengthAt = 44;
/** The offset of the first staged item of lists. */
export const firstItemAt = 48;

/**
 * The number of bytes that may be read and overwritten after the end of any text, which is copied
 * sixteen bytes at a time.
 */
export const slackBytes = 32;

/**
 * Powers of ten from 10^-292 to 10^324 for Schubfach, at the address that the row writer exports.
 */
export const powerMin = -292;
export const powerMax = 324;
export const powerBytes = 16;
