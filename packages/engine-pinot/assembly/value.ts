export const openBracket: u8 = 0x5b;
export const closeBracket: u8 = 0x5d;
export const comma: u8 = 0x2c;
export const quote: u8 = 0x22;
const openBrace: u8 = 0x7b;
const closeBrace: u8 = 0x7d;
const backslash: u8 = 0x5c;

/** The code that readers return instead of an address: the bytes end within the value. */
export const needsMore: usize = 0;
/** The code for a value in a form that the readers do not support. */
export const isOdd: usize = 1;

function isSpace(byte: u8): bool {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipSpace(from: usize, end: usize): usize {
  let at = from;
  while (at < end && isSpace(load<u8>(at))) at += 1;
  return at;
}

/** Finds the end of a value by its strings and brackets; returns `needsMore` if it may continue. */
export function skipValue(from: usize, end: usize): usize {
  let depth = 0;
  let at = from;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte === quote) {
      at += 1;
      while (at < end && load<u8>(at) !== quote) at += load<u8>(at) === backslash ? 2 : 1;
      if (at >= end) return needsMore;
      if (depth === 0) return at + 1;
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
    } else if (byte === closeBracket || byte === closeBrace) {
      // A number or a word ends with the list or object that contains it.
      if (depth === 0) return withoutSpace(from, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) {
      return withoutSpace(from, at);
    }
    at += 1;
  }
  return needsMore;
}

function withoutSpace(from: usize, end: usize): usize {
  let at = end;
  while (at > from && isSpace(load<u8>(at - 1))) at -= 1;
  return at;
}
