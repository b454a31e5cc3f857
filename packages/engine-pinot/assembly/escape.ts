import { isOdd, needsMore } from './value';

const backslash: u8 = 0x5c;
const letterU: u8 = 0x75;

/**
 * Writes the character of an escape at `to` in UTF-8. Returns the length of the escape in the high
 * half and the number of written bytes in the low half, or `isOdd` if the escape is not valid. An
 * unpaired surrogate becomes U+FFFD.
 */
export function readEscape(from: usize, end: usize, to: usize): u64 {
  if (from + 2 > end) return needsMore;
  const letter = load<u8>(from, 1);
  if (letter !== letterU) {
    const byte = byteOf(letter);
    if (byte === 0) return isOdd;
    store<u8>(to, byte);
    return ((<u64>2) << 32) | 1;
  }
  if (from + 6 > end) return needsMore;
  let code = hexOf(from + 2);
  if (code < 0) return isOdd;
  let size: u64 = 6;
  if (code >= 0xd800 && code < 0xe000) {
    let low = -1;
    if (code < 0xdc00) {
      if (from + 6 >= end) return needsMore;
      if (load<u8>(from, 6) === backslash) {
        if (from + 7 >= end) return needsMore;
        if (load<u8>(from, 7) === letterU) {
          if (from + 12 > end) return needsMore;
          low = hexOf(from + 8);
        }
      }
    }
    if (low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      size = 12;
    } else code = 0xfffd;
  }
  return (size << 32) | <u64>writeUtf8(code, to);
}

function byteOf(letter: u8): u8 {
  switch (letter) {
    case 0x22:
    case 0x2f:
    case 0x5c:
      return letter;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

/** Returns the value of four hexadecimal digits; -1 if one of them is not a digit. */
function hexOf(at: usize): i32 {
  let value = 0;
  for (let index: usize = 0; index < 4; index += 1) {
    const byte = load<u8>(at + index);
    const digit = byte - 0x30;
    const letter = (byte | 0x20) - 0x61;
    if (digit <= 9) value = (value << 4) | <i32>digit;
    else if (letter <= 5) value = (value << 4) | (10 + <i32>letter);
    else return -1;
  }
  return value;
}

function writeUtf8(code: i32, to: usize): i32 {
  if (code < 0x80) {
    store<u8>(to, <u8>code);
    return 1;
  }
  if (code < 0x800) {
    store<u8>(to, <u8>(0xc0 | (code >> 6)));
    store<u8>(to, <u8>(0x80 | (code & 0x3f)), 1);
    return 2;
  }
  if (code < 0x10000) {
    store<u8>(to, <u8>(0xe0 | (code >> 12)));
    store<u8>(to, <u8>(0x80 | ((code >> 6) & 0x3f)), 1);
    store<u8>(to, <u8>(0x80 | (code & 0x3f)), 2);
    return 3;
  }
  store<u8>(to, <u8>(0xf0 | (code >> 18)));
  store<u8>(to, <u8>(0x80 | ((code >> 12) & 0x3f)), 1);
  store<u8>(to, <u8>(0x80 | ((code >> 6) & 0x3f)), 2);
  store<u8>(to, <u8>(0x80 | (code & 0x3f)), 3);
  return 4;
}
