import { kindCsvText, kindHexText, kindJsonText } from './row-writer-layout.ts';
import { pieceBytesMax, RowWriter } from './row-writer.ts';

// Every writer here puts text into `bytes` from `position` on and returns the position behind it;
// its caller has made room.

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
  // Below some tens of bytes a loop costs less than the call into the engine's copy.
  if (length > 48) bytes.set(source.subarray(start, end), position);
  else {
    for (let index = 0; index < length; index += 1) {
      bytes[position + index] = source[start + index] ?? 0;
    }
  }
  return position + length;
}

/**
 * An escape makes six bytes of one at most, the quotes are two, and a piece of a long text brings
 * one more for a moment.
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
  // Escapes are of single bytes: a piece may end amid a character. Where the quote stood behind
  // one, the next one goes on.
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
 * Every byte may be a quote, which stands twice, the quotes are two, and a piece of a long text
 * brings one more for a moment.
 */
export function csvFieldWidthMax(length: number): number {
  return length * 2 + 3;
}

/**
 * Writes a CSV field (RFC 4180 section 2): quoted when it is empty, so that null differs, or holds
 * a comma, quote or line break.
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
    // A piece has quotes when it needs them, and one that begins with a quote of its own needs
    // them.
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

/** Room that a UUID needs. */
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
