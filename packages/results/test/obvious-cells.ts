// The text of cells in the slow, obvious way (CONTRACT.md section 2), without quotes: the reference
// for the row writer.

export function obviousDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/**
 * Returns the closest of the decimals with the fewest digits that read back as the float; of two,
 * the even one.
 */
export function obviousFloat(value: number): string {
  if (value < 0 || Object.is(value, -0)) return `-${obviousFloat(-value)}`;
  for (let digitCount = 1; digitCount < 10; digitCount += 1) {
    const [mantissa = '', exponent = ''] = value.toExponential(digitCount - 1).split('e');
    const near = BigInt(mantissa.replace('.', ''));
    const unit = Number(exponent) - digitCount + 1;
    const distanceOf = (digits: bigint): bigint =>
      absolute(scaled(digits, unit) - scaledFloat(value));
    const best = [near - 1n, near, near + 1n]
      .filter((digits) => Math.fround(Number(`${digits}e${unit}`)) === value)
      .reduce<bigint | undefined>((closest, digits) => {
        if (closest === undefined || distanceOf(digits) < distanceOf(closest)) return digits;
        return distanceOf(digits) === distanceOf(closest) && digits % 2n === 0n ? digits : closest;
      }, undefined);
    if (best !== undefined) return String(Number(`${best}e${unit}`));
  }
  throw new Error(`No nine digits name the float ${value}.`);
}

/**
 * Decimals and floats as integers, exactly: times 10^200, which has more powers of two than any
 * float divides by.
 */
const scaled = (digits: bigint, exponent: number): bigint => digits * 10n ** BigInt(exponent + 200);
const scaledFloat = (value: number): bigint =>
  (BigInt(value * 2 ** 149) * 10n ** 200n) / 2n ** 149n;
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

export function obviousDecimal(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const daysPerCycle = 146_097n;
const infinityOfDates = 2n ** 31n - 1n;
const infinityOfTimestamps = 2n ** 63n - 1n;

export function obviousDate(days: bigint): string {
  if (days >= infinityOfDates || days <= -infinityOfDates) {
    return days > 0n ? 'infinity' : '-infinity';
  }
  return obviousDay(days);
}

/** Formats a day. JavaScript's calendar has some 270,000 years; dates repeat every 400 years. */
function obviousDay(days: bigint): string {
  const cycle = floorDivide(days, daysPerCycle);
  const date = new Date(Number(days - cycle * daysPerCycle) * 86_400_000);
  const year = BigInt(date.getUTCFullYear()) + cycle * 400n;
  const shown = String(year > 0n ? year : 1n - year).padStart(4, '0');
  return `${shown}-${date.toISOString().slice(5, 10)}${year > 0n ? '' : ' (BC)'}`;
}

export function obviousTimestamp(units: bigint, fractionDigits: number): string {
  if (units >= infinityOfTimestamps || units <= -infinityOfTimestamps) {
    return units > 0n ? 'infinity' : '-infinity';
  }
  const perSecond = 10n ** BigInt(fractionDigits);
  const seconds = floorDivide(units, perSecond);
  const days = floorDivide(seconds, 86_400n);
  const time = new Date(Number(seconds - days * 86_400n) * 1000).toISOString().slice(11, 19);
  const fraction = String(units - seconds * perSecond)
    .padStart(fractionDigits, '0')
    .replace(/0+$/, '');
  return `${obviousDay(days)} ${time}.${fraction === '' ? '0' : fraction}`;
}

/**
 * Returns the content of a JSON string; bytes that are not UTF-8 are unchanged. Characters
 * represent bytes in both texts.
 */
export function obviousJsonText(bytes: string): string {
  return `"${Array.from(bytes, (byte) => JSON.stringify(byte).slice(1, -1)).join('')}"`;
}

export function obviousCsvText(bytes: string): string {
  return bytes === '' || /[,"\n\r]/.test(bytes) ? `"${bytes.replaceAll('"', '""')}"` : bytes;
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}
