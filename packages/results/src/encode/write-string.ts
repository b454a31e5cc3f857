// As in write-number.ts: text goes into `bytes` from `position` on, and the position behind it comes back.

const quote = 34;
const backslash = 92;
const comma = 44;
const lineFeed = 10;
const carriageReturn = 13;
const hexDigits = new TextEncoder().encode('0123456789abcdef');

/** An escape makes six bytes of one at most, and the quotes are two. */
export function jsonStringWidthMax(length: number): number {
  return length * 6 + 2;
}

/** Every byte may be a quote, which stands twice, and the quotes are two. */
export function csvFieldWidthMax(length: number): number {
  return length * 2 + 2;
}

/** What follows the backslash for a byte that JSON wants escaped: a letter, `u` for a \u00XX escape, 0 for plain bytes. */
const escapes = new Uint8Array(256);
escapes.fill(117, 0, 32);
for (const [byte, letter] of [
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [12, 'f'],
  [13, 'r'],
  [quote, '"'],
  [backslash, '\\'],
] as const) {
  escapes[byte] = letter.charCodeAt(0);
}

/** Copies bytes `[start, end)` of `source`. */
export function writeBytes(bytes: Uint8Array, position: number, source: Uint8Array, start: number, end: number): number {
  const length = end - start;
  // Below some tens of bytes a loop costs less than the call into the engine's copy.
  if (length > 48) bytes.set(source.subarray(start, end), position);
  else for (let index = 0; index < length; index += 1) bytes[position + index] = source[start + index] ?? 0;
  return position + length;
}

/** Writes UTF-8 bytes `[start, end)` as a JSON string (RFC 8259 section 7), quotes included. */
export function writeJsonString(bytes: Uint8Array, position: number, source: Uint8Array, start: number, end: number): number {
  bytes[position] = quote;
  let to = position + 1;
  let from = start;
  if (end - start > 256) {
    // Long texts seldom need an escape early: the run before the first is copied in one piece.
    while (from < end && escapes[source[from] ?? 0] === 0) from += 1;
    to = writeBytes(bytes, to, source, start, from);
  }
  for (; from < end; from += 1) {
    const byte = source[from] ?? 0;
    if (byte >= 32 && byte !== quote && byte !== backslash) {
      bytes[to] = byte;
      to += 1;
    } else to = writeEscape(bytes, to, byte);
  }
  bytes[to] = quote;
  return to + 1;
}

function writeEscape(bytes: Uint8Array, position: number, byte: number): number {
  const escape = escapes[byte] ?? 0;
  bytes[position] = backslash;
  bytes[position + 1] = escape;
  if (escape !== 117) return position + 2;
  bytes[position + 2] = 48;
  bytes[position + 3] = 48;
  bytes[position + 4] = hexDigits[byte >> 4] ?? 48;
  bytes[position + 5] = hexDigits[byte & 15] ?? 48;
  return position + 6;
}

/** Writes bytes `[start, end)` in lower-case hex. */
export function writeHex(bytes: Uint8Array, position: number, source: Uint8Array, start: number, end: number): number {
  let to = position;
  for (let from = start; from < end; from += 1) {
    const byte = source[from] ?? 0;
    bytes[to] = hexDigits[byte >> 4] ?? 48;
    bytes[to + 1] = hexDigits[byte & 15] ?? 48;
    to += 2;
  }
  return to;
}

/** Room that a UUID needs. */
export const uuidWidthMax = 36;

/** Writes 16 bytes as a UUID in canonical form (RFC 9562 section 4). */
export function writeUuid(bytes: Uint8Array, position: number, source: Uint8Array, start: number): number {
  let from = start;
  let to = position;
  for (const length of [4, 2, 2, 2, 6]) {
    if (from > start) {
      bytes[to] = 45;
      to += 1;
    }
    to = writeHex(bytes, to, source, from, from + length);
    from += length;
  }
  return to;
}

/** Writes a CSV field (RFC 4180 section 2): quoted when it is empty, so that null differs, or holds a comma, quote or line break. */
export function writeCsvField(bytes: Uint8Array, position: number, source: Uint8Array, start: number, end: number): number {
  let needsQuotes = start === end;
  for (let index = start; index < end && !needsQuotes; index += 1) {
    const byte = source[index];
    needsQuotes = byte === comma || byte === quote || byte === lineFeed || byte === carriageReturn;
  }
  if (!needsQuotes) return writeBytes(bytes, position, source, start, end);
  bytes[position] = quote;
  let to = position + 1;
  for (let from = start; from < end; from += 1) {
    const byte = source[from] ?? 0;
    bytes[to] = byte;
    to += 1;
    if (byte === quote) {
      bytes[to] = quote;
      to += 1;
    }
  }
  bytes[to] = quote;
  return to + 1;
}
