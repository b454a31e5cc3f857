import { expressionFailed } from '../language/expression-error.ts';

/** Longest text that an expression makes, in characters. */
const textLengthMax = 2 ** 20;

/** Throws before a text is made that would be too long. @throws EXPRESSION_FAILED */
export function checkTextLength(length: number): void {
  if (length > textLengthMax) {
    throw expressionFailed(`A text of ${length} characters is too long; at most ${textLengthMax} are kept.`);
  }
}

/** Throws when an array is too long. @throws EXPRESSION_FAILED */
export function checkElementCount(count: number): void {
  if (count > textLengthMax) {
    throw expressionFailed(`An array of ${count} elements is too long; at most ${textLengthMax} are kept.`);
  }
}

/** A text several times, with another between. @throws EXPRESSION_FAILED when that is too long */
export function repeatedText(text: string, count: number, separator: string): string {
  if (count <= 0) return '';
  checkTextLength((text.length + separator.length) * count);
  return (text + separator).repeat(count - 1) + text;
}

/** A text filled up to a length. @throws EXPRESSION_FAILED when that is too long */
export function paddedText(text: string, length: number, filler: string, side: 'start' | 'end'): string {
  if (length <= text.length) return text;
  checkTextLength(length);
  return side === 'start' ? text.padStart(length, filler) : text.padEnd(length, filler);
}

/** A text with each `find` replaced. @throws EXPRESSION_FAILED when that is too long */
export function replacedText(text: string, find: string, substitute: string): string {
  if (find === '') return text;
  const parts = text.split(find);
  checkTextLength(text.length + (parts.length - 1) * (substitute.length - find.length));
  return parts.join(substitute);
}
