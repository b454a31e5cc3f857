/**
 * The bytes of a UUID; its text without dashes is their hexadecimal form, so that both have the
 * same order.
 */
export const idByteCount = 16;
const textLength = 36;
/** The position in the text at which each byte starts. */
const textStarts = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const dash = 45;

/**
 * The hexadecimal digit of each character below 128; 255 for all others, including capital letters.
 */
const digits = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return digit === -1 ? 255 : digit;
});
const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Writes the bytes of the id in a text from `textStart`; returns false if there is no lower-case
 * id.
 */
export function writeId(
  bytes: Uint8Array,
  start: number,
  text: string,
  textStart: number,
): boolean {
  if (text.length < textStart + textLength) return false;
  for (const at of [8, 13, 18, 23]) if (text.charCodeAt(textStart + at) !== dash) return false;
  for (let index = 0; index < idByteCount; index += 1) {
    const at = textStart + (textStarts[index] ?? 0);
    const high = digits[text.charCodeAt(at)] ?? 255;
    const low = digits[text.charCodeAt(at + 1)] ?? 255;
    if (high > 15 || low > 15) return false;
    bytes[start + index] = high * 16 + low;
  }
  return true;
}

/** Returns the text of the id whose bytes start at `start`. */
export function idText(bytes: Uint8Array, start: number): string {
  let text = '';
  for (let index = 0; index < idByteCount; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += '-';
    text += hexadecimal[bytes[start + index] ?? 0] ?? '';
  }
  return text;
}
