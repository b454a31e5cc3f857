import { kindCsvText, kindHexText, kindJsonText } from './row-writer-layout.ts';
import { pieceBytesMax, RowWriter } from './row-writer.ts';

// Every writer here writes text into `bytes` from `position` and returns the position after it; the
// caller has ensured enough space.

const quote = 34;
const quoteText = Uint8Array.of(quote);
const charactersToQuote = [',', '"', '\n', '\r'];

/** Writes text of ASCII characters only. */
export function writeAscii(bytes: Uint8Array, position: number, text: string): number {
  const { length } = text;
  for (let index = 0; index < length; index += 1) bytes[position + index] = text.charCodeAt(index);
  return position + length;
}

/** Copies bytes `[start, end)` of `source`. */
export function writeBytes(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  const length = end - start;
  // Below some tens of bytes a loop is cheaper than a call of the engine's copy.
  if (length > 48) bytes.set(source.subarray(start, end), position);
  else {
    for (let index = 0; index < length; index += 1) {
      bytes[position + index] = source[start + index] ?? 0;
    }
  }
  return position + length;
}

/**
 * Returns the maximum width of a JSON string: an escape turns one byte into at most six, and the
 * quotes are two.
 */
export function jsonStringWidthMax(length: number): number {
  return length * 6 + 2;
}

/** Writes UTF-8 bytes `[start, end)` as a JSON string (RFC 8259 section 7), quotes included. */
export function writeJsonString(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  return end - start <= pieceBytesMax
    ? RowWriter.shared.writeCell(jsonText, source, start, end, bytes, position)
    : writePieces(bytes, position, jsonStringPieces(source, start, end));
}

/**
 * Yields what `writeJsonString` writes, in pieces, so that a long text needs little memory. Each
 * piece is valid until the next one is requested.
 */
export function* jsonStringPieces(
  source: Uint8Array,
  start: number,
  end: number,
): Generator<Uint8Array> {
  const bytes = new Uint8Array(jsonStringWidthMax(Math.min(pieceBytesMax, end - start)));
  // Escapes are of single bytes, so a piece may end within a character.
  for (const { from, to } of sourcePieces(start, end)) {
    const length = RowWriter.shared.writeCell(jsonText, source, from, to, bytes, 0);
    yield bytes.subarray(from === start ? 0 : 1, to === end ? length : length - 1);
  }
}

/**
 * Returns the maximum width of a CSV field: every byte may be a quote, which is doubled, and the
 * quotes are two.
 */
export function csvFieldWidthMax(length: number): number {
  return length * 2 + 2;
}

/**
 * Writes a CSV field (RFC 4180 section 2). It is quoted if it is empty, so that it differs from
 * null, or if it contains a comma, quote or line break.
 */
export function writeCsvField(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  return end - start <= pieceBytesMax
    ? RowWriter.shared.writeCell(csvText, source, start, end, bytes, position)
    : writePieces(bytes, position, csvFieldPieces(source, start, end));
}

/** Yields what `writeCsvField` writes, in pieces as `jsonStringPieces`. */
export function* csvFieldPieces(
  source: Uint8Array,
  start: number,
  end: number,
): Generator<Uint8Array> {
  const text = Buffer.from(source.buffer, source.byteOffset + start, end - start);
  const isQuoted = text.length === 0 || charactersToQuote.some((each) => text.includes(each));
  const bytes = new Uint8Array(csvFieldWidthMax(Math.min(pieceBytesMax, end - start)));
  if (isQuoted) yield quoteText;
  for (const { from, to } of sourcePieces(start, end)) {
    const length = RowWriter.shared.writeCell(csvText, source, from, to, bytes, 0);
    // A piece is quoted if it needs quotes, which a piece that starts with a quote always does.
    yield bytes[0] === quote ? bytes.subarray(1, length - 1) : bytes.subarray(0, length);
  }
  if (isQuoted) yield quoteText;
}

/** Writes bytes `[start, end)` in lower-case hex. */
export function writeHex(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  return end - start <= pieceBytesMax
    ? RowWriter.shared.writeCell(hexText, source, start, end, bytes, position)
    : writePieces(bytes, position, hexPieces(source, start, end));
}

/** Yields what `writeHex` writes, in pieces as `jsonStringPieces`. */
export function* hexPieces(source: Uint8Array, start: number, end: number): Generator<Uint8Array> {
  const bytes = new Uint8Array(Math.min(pieceBytesMax, end - start) * 2);
  for (const { from, to } of sourcePieces(start, end)) {
    yield bytes.subarray(0, RowWriter.shared.writeCell(hexText, source, from, to, bytes, 0));
  }
}

/** Divides bytes `[start, end)` into pieces that the row writer accepts. */
function* sourcePieces(start: number, end: number): Generator<{ from: number; to: number }> {
  for (let from = start; from < end; from += pieceBytesMax) {
    yield { from, to: Math.min(end, from + pieceBytesMax) };
  }
}

function writePieces(bytes: Uint8Array, position: number, pieces: Iterable<Uint8Array>): number {
  let to = position;
  for (const piece of pieces) {
    bytes.set(piece, to);
    to += piece.length;
  }
  return to;
}

/** The length of a UUID. */
export const uuidWidthMax = 36;

/** Writes 16 bytes as a UUID in canonical form (RFC 9562 section 4). */
export function writeUuid(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
): number {
  let from = start;
  let to = position;
  for (const length of [4, 2, 2, 2, 6]) {
    if (from > start) to = writeAscii(bytes, to, '-');
    to = writeHex(bytes, to, source, from, from + length);
    from += length;
  }
  return to;
}

const jsonText = { kind: kindJsonText, isQuoted: false };
const csvText = { kind: kindCsvText, isQuoted: false };
const hexText = { kind: kindHexText, isQuoted: false };
