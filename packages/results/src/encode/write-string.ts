import { kindCsvText, kindHexText, kindJsonText } from './row-writer-layout.ts';
import { pieceBytesMax, RowWriter } from './row-writer.ts';

// Every writer here writes text into `bytes` from `position` and returns the position after it; the
// caller has ensured enough space.

const quote = 34;

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
 * Returns the maximum width of a JSON string: an escape turns one byte into at most six, the quotes
 * are two, and a piece of a long text needs one more temporarily.
 */
export function jsonStringWidthMax(length: number): number {
  return length * 6 + 3;
}

/** Writes UTF-8 bytes `[start, end)` as a JSON string (RFC 8259 section 7), quotes included. */
export function writeJsonString(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  let from = Math.min(end, start + pieceBytesMax);
  let to = RowWriter.shared.writeCell(jsonText, source, start, from, bytes, position);
  // Escapes are of single bytes, so a piece may end within a character. The next piece overwrites
  // the closing quote.
  for (; from < end; from += pieceBytesMax) {
    const pieceEnd = RowWriter.shared.writeCell(
      jsonText,
      source,
      from,
      Math.min(end, from + pieceBytesMax),
      bytes,
      to - 1,
    );
    bytes.copyWithin(to - 1, to, pieceEnd);
    to = pieceEnd - 1;
  }
  return to;
}

/**
 * Returns the maximum width of a CSV field: every byte may be a quote, which is doubled, the quotes
 * are two, and a piece of a long text needs one more temporarily.
 */
export function csvFieldWidthMax(length: number): number {
  return length * 2 + 3;
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
  if (end - start <= pieceBytesMax) {
    return RowWriter.shared.writeCell(csvText, source, start, end, bytes, position);
  }
  bytes[position] = quote;
  let to = position + 1;
  let needsQuotes = false;
  for (let from = start; from < end; from += pieceBytesMax) {
    const pieceEnd = RowWriter.shared.writeCell(
      csvText,
      source,
      from,
      Math.min(end, from + pieceBytesMax),
      bytes,
      to,
    );
    // A piece is quoted if it needs quotes, which a piece that starts with a quote always does.
    const hasQuotes = bytes[to] === quote;
    if (hasQuotes) bytes.copyWithin(to, to + 1, pieceEnd - 1);
    to = hasQuotes ? pieceEnd - 2 : pieceEnd;
    needsQuotes ||= hasQuotes;
  }
  if (!needsQuotes) {
    bytes.copyWithin(position, position + 1, to);
    return to - 1;
  }
  bytes[to] = quote;
  return to + 1;
}

/** Writes bytes `[start, end)` in lower-case hex. */
export function writeHex(
  bytes: Uint8Array,
  position: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  let to = position;
  for (let from = start; from < end; from += pieceBytesMax) {
    to = RowWriter.shared.writeCell(
      hexText,
      source,
      from,
      Math.min(end, from + pieceBytesMax),
      bytes,
      to,
    );
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
