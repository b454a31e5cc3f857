import { expressionFailed } from '../expression-error.ts';

const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;
const digitCountMax = 1_000;

/**
 * Writes a decimal number in plain digits: `1.5e3` is `1500`. Zeros behind the point are kept, all other digits too.
 *
 * @throws EXPRESSION_FAILED when the text is no decimal number, or has more than 1,000 digits
 */
export function plainDecimal(text: string): string {
  const [matched, sign = '', whole = '', fraction = '', exponentText = '0'] = decimalPattern.exec(text.trim()) ?? [];
  if (matched === undefined || whole + fraction === '') throw expressionFailed(`‘${text.slice(0, 40)}’ is no decimal number.`);
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (digits.length + Math.abs(exponent) > digitCountMax) {
    throw expressionFailed(`A decimal number has more than ${digitCountMax} digits.`);
  }
  const padded = digits.padStart(digits.length - Math.min(0, point), '0').padEnd(Math.max(point, 0), '0');
  const split = Math.max(point, 0);
  const wholePart = padded.slice(0, split).replace(/^0+(?=\d)/, '') || '0';
  const fractionPart = padded.slice(split);
  const plain = fractionPart === '' ? wholePart : `${wholePart}.${fractionPart}`;
  return sign === '-' && /[1-9]/.test(plain) ? `-${plain}` : plain;
}
