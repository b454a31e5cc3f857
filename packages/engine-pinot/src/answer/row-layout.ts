/* The layout of the memory that the row parser (`assembly/`) shares with its caller. */

/** Kinds of columns. Of a cell of `kindOther`, the parser records only its start and end. */
export const kindOther = 0;
export const kindInt = 1;
export const kindLong = 2;
export const kindFloat = 3;
export const kindDouble = 4;
export const kindBoolean = 5;
export const kindTimestamp = 6;
export const kindText = 7;

/** A column is described by five words of four bytes, at these offsets. */
export const kindAt = 0;
export const valuesAt = 4;
export const validityAt = 8;
export const offsetsAt = 12;
/** The capacity for the column's text, in bytes. */
export const textBytesAt = 16;
export const columnBytes = 20;

/** A cell that is left to the caller: four words, its column, its row, its start and its end. */
export const oddCellBytes = 16;

/** Text is copied, and therefore read, sixteen bytes at a time. */
export const slackBytes = 32;

/** The reasons why the parser stopped. */
export const stoppedAtEnd = 0;
/** Something other than `expected` was found at `failedAt`. */
export const stoppedMalformed = 1;
export const stoppedFull = 2;

/** Numbers of the tokens that may be expected where a row is malformed. */
export const expectedComma = 0;
export const expectedEndOfRow = 1;
export const expectedBoolean = 2;
export const expectedString = 3;
export const expectedRow = 4;
