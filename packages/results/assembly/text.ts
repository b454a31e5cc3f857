/**
 * The JSON of each byte within a string (RFC 8259 section 7): up to six characters, and their
 * number in the highest byte.
 */
const escapes: usize = memory.data(256 * 8, 8);

for (let byte: u64 = 0; byte < 256; byte += 1) {
  const hex: u64 =
    0x3030_755c |
    ((0x30 + (byte >> 4)) << 32) |
    (((byte & 15) < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15)) << 40);
  setEscape(<u32>byte, byte < 32 ? hex | (6 << 56) : byte | (1 << 56));
}
setLetter(0x08, 0x62);
setLetter(0x09, 0x74);
setLetter(0x0a, 0x6e);
setLetter(0x0c, 0x66);
setLetter(0x0d, 0x72);
setLetter(0x22, 0x22);
setLetter(0x5c, 0x5c);

function setLetter(byte: u32, letter: u64): void {
  setEscape(byte, 0x5c | (letter << 8) | (2 << 56));
}

function setEscape(byte: u32, escape: u64): void {
  store<u64>(escapes + (byte << 3), escape);
}

/** Copies bytes, sixteen at a time. */
export function copyText(to: usize, from: usize, length: usize): usize {
  v128.store(to, v128.load(from));
  for (let done: usize = 16; done < length; done += 16)
    v128.store(to + done, v128.load(from + done));
  return to + length;
}

/**
 * Writes UTF-8 bytes `[from, end)` as a JSON string: sixteen at a time while none needs an escape;
 * otherwise those before the first one that does, and that one by the table.
 */
export function writeJsonText(to: usize, from: usize, end: usize): usize {
  store<u8>(to, 0x22);
  let at = to + 1;
  let source = from;
  while (source < end) {
    const bytes = v128.load(source);
    v128.store(at, bytes);
    const run = ctz(stopsOf(bytes) | 0x1_0000);
    if (run === 16 && source + 16 <= end) {
      source += 16;
      at += 16;
      continue;
    }
    const taken = min(<usize>run, end - source);
    source += taken;
    at += taken;
    if (source >= end) break;
    const escape = load<u64>(escapes + ((<usize>load<u8>(source)) << 3));
    store<u64>(at, escape);
    at += <usize>(escape >> 56);
    source += 1;
  }
  store<u8>(at, 0x22);
  return at + 1;
}

/** Returns a bit for each byte that JSON requires to be escaped. */
function stopsOf(bytes: v128): i32 {
  const quotesAndBackslashes = v128.or(
    i8x16.eq(bytes, i8x16.splat(0x22)),
    i8x16.eq(bytes, i8x16.splat(0x5c)),
  );
  return i8x16.bitmask(v128.or(i8x16.lt_u(bytes, i8x16.splat(0x20)), quotesAndBackslashes));
}

/**
 * Writes a CSV field (RFC 4180 section 2). It is quoted if it is empty, so that it differs from
 * null, or if it contains a comma, quote or line break.
 */
export function writeCsvText(to: usize, from: usize, end: usize): usize {
  if (!needsQuotes(from, end)) return copyText(to, from, end - from);
  store<u8>(to, 0x22);
  let at = to + 1;
  for (let source = from; source < end; source += 1) {
    const byte = load<u8>(source);
    store<u16>(at, <u16>byte | ((<u16>byte) << 8));
    at += byte === 0x22 ? 2 : 1;
  }
  store<u8>(at, 0x22);
  return at + 1;
}

function needsQuotes(from: usize, end: usize): bool {
  for (let source = from; source < end; source += 16) {
    const bytes = v128.load(source);
    const commasAndQuotes = v128.or(
      i8x16.eq(bytes, i8x16.splat(0x2c)),
      i8x16.eq(bytes, i8x16.splat(0x22)),
    );
    const lineBreaks = v128.or(
      i8x16.eq(bytes, i8x16.splat(0x0a)),
      i8x16.eq(bytes, i8x16.splat(0x0d)),
    );
    const stops = i8x16.bitmask(v128.or(commasAndQuotes, lineBreaks));
    if (source + <usize>ctz(stops | 0x1_0000) < min(end, source + 16)) return true;
  }
  return from === end;
}

/** Writes bytes `[from, end)` in lower-case hex. */
export function writeHexText(to: usize, from: usize, end: usize): usize {
  let at = to;
  for (let source = from; source < end; source += 1) {
    const byte = <u32>load<u8>(source);
    store<u16>(at, <u16>(hexDigitOf(byte >> 4) | (hexDigitOf(byte & 15) << 8)));
    at += 2;
  }
  return at;
}

function hexDigitOf(nibble: u32): u32 {
  return 0x30 + nibble + (nibble > 9 ? 0x27 : 0);
}
