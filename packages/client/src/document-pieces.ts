import { QuireError } from '@quire/core/portable';
import type { FormatsWith, PageFormatName } from '@quire/core/wire';
import { concatenate } from './concatenate.ts';

/** The formats whose pages make one document as they are. */
export type JoinableFormat = FormatsWith<'isJoinable'>;

/** The formats of documents that are put together from pages. */
export type JoinedFormat = JoinableFormat | 'json';

/** The formats of whole results; `json` is one array with an object for each row. */
export type DownloadFormat = PageFormatName;

/** Whether a document is put together from pages; else it is one page. */
export function isJoinedFormat(format: DownloadFormat): format is JoinedFormat {
  return Object.hasOwn(pieces, format);
}

/** The place of a page in its document. */
export interface PiecePosition {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The format in which pages are asked for, so that `pieceOf` can put them together. */
export function pageFormatOf(format: JoinedFormat): JoinableFormat {
  return format === 'json' ? 'ndjson' : format;
}

/**
 * What a page contributes to the document of all pages: the pieces of all pages, one behind the
 * other, are one document.
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

/** All pages have the header line; the document has it once. */
function csvPiece(page: Uint8Array, { isFirst }: PiecePosition): Uint8Array {
  return isFirst ? page : page.subarray(endOfRecord(page));
}

/**
 * Where the first record of a CSV text ends, behind its line break; a line break within quotes is
 * not one (RFC 4180).
 */
function endOfRecord(csv: Uint8Array): number {
  let isQuoted = false;
  for (const [position, byte] of csv.entries()) {
    // A doubled quote closes and opens again.
    if (byte === quote) isQuoted = !isQuoted;
    else if (byte === lineFeed && !isQuoted) return position + 1;
  }
  throw new QuireError('UNEXPECTED_RESPONSE', 'A page of CSV came without a header.');
}

/** Lines of JSON as elements of one array: a line break stands between rows, and nowhere in one. */
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

function withCommas(lines: Uint8Array): Uint8Array {
  let breakCount = 0;
  for (const byte of lines) if (byte === lineFeed) breakCount += 1;
  const bytes = new Uint8Array(lines.byteLength + breakCount);
  let position = 0;
  for (const byte of lines) {
    if (byte === lineFeed) bytes[position++] = comma;
    bytes[position++] = byte;
  }
  return bytes;
}

/**
 * How an Arrow IPC stream ends: a continuation mark and no message (Arrow's format document, "IPC
 * Streaming Format").
 */
const endOfStream: readonly number[] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/** A page is a stream of its own, schema message first: the document has one schema and one end. */
function arrowPiece(stream: Uint8Array, { isFirst, isLast }: PiecePosition): Uint8Array {
  const end = stream.byteLength - endOfStream.length;
  const start = isFirst ? 0 : endOfSchema(stream);
  if (end < start || !endOfStream.every((byte, index) => stream[end + index] === byte)) {
    throw new QuireError('UNEXPECTED_RESPONSE', 'A page of Arrow came without its end.');
  }
  return stream.subarray(start, isLast ? stream.byteLength : end);
}

/**
 * Behind the first message, which is the schema and has no body: continuation mark, length,
 * metadata.
 */
function endOfSchema(stream: Uint8Array): number {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  if (stream.byteLength < 8 || view.getUint32(0, true) !== 0xffffffff) {
    throw new QuireError('UNEXPECTED_RESPONSE', 'A page of Arrow came without a schema.');
  }
  return 8 + view.getInt32(4, true);
}
