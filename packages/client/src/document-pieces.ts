import { QuireError } from '@quire/core/portable';
import type { FormatsWith, PageFormatName } from '@quire/core/wire';
import { concatenate } from './concatenate.ts';

/** The formats whose pages can be concatenated into one document. */
export type JoinableFormat = FormatsWith<'isJoinable'>;

/** The formats of documents that are assembled from pages. */
export type JoinedFormat = JoinableFormat | 'json';

/** The formats of whole results; `json` is one array with an object for each row. */
export type DownloadFormat = PageFormatName;

/** Reports whether a document is assembled from pages; otherwise it is one page. */
export function isJoinedFormat(format: DownloadFormat): format is JoinedFormat {
  return Object.hasOwn(pieces, format);
}

/** The position of a page in its document. */
export interface PiecePosition {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Returns the format in which pages are requested, so that `pieceOf` can assemble them. */
export function pageFormatOf(format: JoinedFormat): JoinableFormat {
  return format === 'json' ? 'ndjson' : format;
}

/**
 * Returns the part that a page contributes to the document. Concatenated, the parts of all pages
 * are one document.
 *
 * @throws UNEXPECTED_RESPONSE when the page is not in its format
 */
export function pieceOf(
  format: JoinedFormat,
  page: Uint8Array,
  position: PiecePosition,
): Uint8Array {
  return pieces[format](page, position);
}

const pieces: Readonly<
  Record<JoinedFormat, (page: Uint8Array, position: PiecePosition) => Uint8Array>
> = { json: jsonPiece, arrow: arrowPiece, csv: csvPiece, ndjson: (page) => page };

const lineFeed = 0x0a;
const quote = 0x22;
const comma = 0x2c;

/** Removes the header line from all pages except the first, because the document has it once. */
function csvPiece(page: Uint8Array, { isFirst }: PiecePosition): Uint8Array {
  return isFirst ? page : page.subarray(endOfRecord(page));
}

/**
 * Returns the end of the first record of a CSV text, after its line break; line breaks within
 * quotes do not count (RFC 4180).
 */
function endOfRecord(csv: Uint8Array): number {
  const { end } = scanRecords(csv, 1);
  if (end === undefined) throw new QuireError('UNEXPECTED_RESPONSE', 'A CSV page has no header.');
  return end;
}

/**
 * Counts the records of a CSV text that end with a line break, at most `recordsMax`, and returns
 * the end of the last one.
 */
function scanRecords(
  csv: Uint8Array,
  recordsMax: number,
): { readonly recordCount: number; readonly end: number | undefined } {
  let isQuoted = false;
  let recordCount = 0;
  let end: number | undefined;
  for (let position = 0; position < csv.byteLength && recordCount < recordsMax; position += 1) {
    const byte = csv[position];
    // A doubled quote closes and reopens.
    if (byte === quote) isQuoted = !isQuoted;
    else if (byte === lineFeed && !isQuoted) {
      recordCount += 1;
      end = position + 1;
    }
  }
  return { recordCount, end };
}

/**
 * Returns the number of complete rows of a page of lines; undefined for other formats, which mark
 * their end.
 */
export function completeRowCount(format: PageFormatName, page: Uint8Array): number | undefined {
  if (format === 'csv') return Math.max(0, scanRecords(page, Infinity).recordCount - 1);
  return format === 'ndjson' ? countLines(page) : undefined;
}

/**
 * Converts lines of JSON to elements of one array: line breaks separate rows, and never occur
 * within one.
 */
function jsonPiece(lines: Uint8Array, { isFirst, isLast }: PiecePosition): Uint8Array {
  const pieces: Uint8Array[] = [];
  const encoder = new TextEncoder();
  const end = lines.at(-1) === lineFeed ? lines.byteLength - 1 : lines.byteLength;
  if (isFirst) pieces.push(encoder.encode('['));
  if (end > 0) {
    pieces.push(encoder.encode(isFirst ? '\n' : ',\n'), withCommas(lines.subarray(0, end)));
  }
  if (isLast) pieces.push(encoder.encode('\n]\n'));
  return concatenate(pieces);
}

function countLines(lines: Uint8Array): number {
  let breakCount = 0;
  for (const byte of lines) if (byte === lineFeed) breakCount += 1;
  return breakCount;
}

function withCommas(lines: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(lines.byteLength + countLines(lines));
  let position = 0;
  for (const byte of lines) {
    if (byte === lineFeed) bytes[position++] = comma;
    bytes[position++] = byte;
  }
  return bytes;
}

/**
 * The end of an Arrow IPC stream: a continuation mark and no message (Arrow's format document, "IPC
 * Streaming Format").
 */
const endOfStream: readonly number[] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/**
 * Removes the schema message and the end of a page where needed: a page is a separate stream, but
 * the document has one schema and one end.
 */
function arrowPiece(stream: Uint8Array, { isFirst, isLast }: PiecePosition): Uint8Array {
  const end = stream.byteLength - endOfStream.length;
  const start = isFirst ? 0 : endOfSchema(stream);
  if (end < start || !endOfStream.every((byte, index) => stream[end + index] === byte)) {
    throw new QuireError('UNEXPECTED_RESPONSE', 'An Arrow page has no end-of-stream marker.');
  }
  return stream.subarray(start, isLast ? stream.byteLength : end);
}

/**
 * Returns the end of the first message, which is the schema and has no body: continuation mark,
 * length, metadata.
 */
function endOfSchema(stream: Uint8Array): number {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  if (stream.byteLength < 8 || view.getUint32(0, true) !== 0xffffffff) {
    throw new QuireError('UNEXPECTED_RESPONSE', 'An Arrow page has no schema.');
  }
  return 8 + view.getInt32(4, true);
}
