import type { ByteSink } from './byte-sink.ts';

const quote = 34;
const backslash = 92;
const hexDigits = new TextEncoder().encode('0123456789abcdef');

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

/** Bytes of a run that is copied in one piece; an escape makes six of one byte at most. */
const runLength = 8192;

/** Writes UTF-8 bytes `[start, end)` as a JSON string (RFC 8259 section 7), quotes included. */
export function writeJsonString(sink: ByteSink, source: Uint8Array, start: number, end: number): void {
  sink.writeByte(quote);
  for (let from = start; from < end; from += runLength) writeEscaped(sink, source, from, Math.min(end, from + runLength));
  sink.writeByte(quote);
}

function writeEscaped(sink: ByteSink, source: Uint8Array, start: number, end: number): void {
  let position = sink.reserve((end - start) * 6);
  const { bytes } = sink;
  for (let index = start; index < end; index += 1) {
    const byte = source[index] ?? 0;
    const escape = escapes[byte] ?? 0;
    if (escape === 0) {
      bytes[position] = byte;
      position += 1;
    } else {
      bytes[position] = backslash;
      bytes[position + 1] = escape;
      position += 2;
      if (escape === 117) {
        bytes[position] = 48;
        bytes[position + 1] = 48;
        bytes[position + 2] = hexDigits[byte >> 4] ?? 48;
        bytes[position + 3] = hexDigits[byte & 15] ?? 48;
        position += 4;
      }
    }
  }
  sink.length = position;
}

/** Writes bytes `[start, end)` in lower-case hex. */
export function writeHex(sink: ByteSink, source: Uint8Array, start: number, end: number): void {
  let position = sink.reserve((end - start) * 2);
  const { bytes } = sink;
  for (let index = start; index < end; index += 1) {
    const byte = source[index] ?? 0;
    bytes[position] = hexDigits[byte >> 4] ?? 48;
    bytes[position + 1] = hexDigits[byte & 15] ?? 48;
    position += 2;
  }
  sink.length = position;
}

/** Writes 16 bytes as a UUID in canonical form (RFC 9562 section 4). */
export function writeUuid(sink: ByteSink, source: Uint8Array, start: number): void {
  let position = start;
  for (const length of [4, 2, 2, 2, 6]) {
    if (position > start) sink.writeByte(45);
    writeHex(sink, source, position, position + length);
    position += length;
  }
}

const comma = 44;
const lineFeed = 10;
const carriageReturn = 13;

/** Writes a CSV field (RFC 4180 section 2): quoted when it is empty, so that null differs, or holds a comma, quote or line break. */
export function writeCsvField(sink: ByteSink, source: Uint8Array, start: number, end: number): void {
  let needsQuotes = start === end;
  for (let index = start; index < end && !needsQuotes; index += 1) {
    const byte = source[index];
    needsQuotes = byte === comma || byte === quote || byte === lineFeed || byte === carriageReturn;
  }
  if (!needsQuotes) return sink.writeBytes(source, start, end);
  sink.writeByte(quote);
  let from = start;
  for (let index = start; index < end; index += 1) {
    if (source[index] !== quote) continue;
    sink.writeBytes(source, from, index + 1);
    from = index; // the quote itself stands a second time at the head of the next run
  }
  sink.writeBytes(source, from, end);
  sink.writeByte(quote);
}
