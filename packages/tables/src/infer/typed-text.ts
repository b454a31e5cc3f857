import type { SourceValue } from '../row.ts';

/**
 * The value that a text writes, as cells of CSV do: a number, true or false, nothing. Everything else is text, and so is what
 * would not be written the same again, such as 007.
 */
export function readTypedText(text: string): SourceValue {
  if (text === '') return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^-?(0|[1-9]\d{0,99})$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  return /^-?(0|[1-9]\d{0,17})\.\d{1,17}$|^-?\d(\.\d{1,17})?[eE][+-]?\d{1,2}$/.test(text) ? Number(text) : text;
}
