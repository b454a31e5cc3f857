// What TypeScript and the row writer's WebAssembly agree on. Both compile this file: plain integer
// constants mean the same in each.

/** Kinds of column: how the values of one become text. */
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
 * A column as it lies in memory: 32-bit words, at these byte offsets. Rows are counted from the
 * first that is staged.
 */
export const columnBytes = 52;
export const kindAt = 0;
/** Address of the bits that tell values from nulls, or 0 when there is no null. */
export const validityAt = 4;
/** The bit of row 0 within the validity, and within the values of booleans. */
export const firstBitAt = 8;
/**
 * Address of the values; of texts, such that their offsets count from it; of lists, the address of
 * their items' column.
 */
export const valuesAt = 12;
/** Address of 32-bit offsets of texts and lists: row `r` is `[offsets[r], offsets[r + 1])`. */
export const offsetsAt = 16;
/** Address and length of the text before the cell. */
export const prefixAt = 20;
export const prefixLengthAt = 24;
/** 1 when text that is not a number stands within quotes. */
export const quotedAt = 28;
/** Digits behind the point of a decimal; negative for zeros before it. */
export const scaleAt = 32;
/** Bytes of one value of a decimal or of hex, items of one list of a fixed size. */
export const widthAt = 36;
/** What a null is: up to four ASCII characters, the first in the lowest byte, and how many. */
export const nullTextAt = 40;
export const nullLengthAt = 44;
/** The offset of the first item staged, of lists. */
export const firstItemAt = 48;

/**
 * Bytes that may be read, and that may be overwritten, behind the end of any text: it is moved
 * sixteen bytes at a time.
 */
export const slackBytes = 32;

/**
 * Powers of ten from 10^-292 to 10^324, as Schubfach needs them, at the address that the row writer
 * exports.
 */
export const powerMin = -292;
export const powerMax = 324;
export const powerBytes = 16;
