const pattern = /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;
const [dash, space, colon, point] = [0x2d, 0x20, 0x3a, 0x2e];

/**
 * Epoch milliseconds of a TIMESTAMP as a broker writes it, `2026-01-01 00:00:00.123`; undefined
 * when the text is not one. Brokers write the time of their own zone, without saying which: it is
 * taken for UTC.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = ''] = pattern.exec(text) ?? [];
  if (year === undefined) return undefined;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = new Date(0);
  time.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.getTime();
}

/**
 * The same of the bytes of a text, where it is written in full as brokers do, with a fraction: its
 * milliseconds, and where it ends. Undefined where it is written otherwise.
 */
export function readTimestamp(
  bytes: Uint8Array,
  start: number,
): { readonly epochMs: number; readonly end: number } | undefined {
  const hasMarks =
    bytes[start + 4] === dash &&
    bytes[start + 7] === dash &&
    bytes[start + 10] === space &&
    bytes[start + 13] === colon &&
    bytes[start + 16] === colon &&
    bytes[start + 19] === point;
  if (!hasMarks) return undefined;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  let [end, fraction, unit] = [start + 20, 0, 100];
  for (let digit = digitAt(bytes, end); digit >= 0; digit = digitAt(bytes, end)) {
    fraction += unit < 1 ? 0 : digit * unit;
    unit /= 10;
    end += 1;
  }
  const [month, day] = [twoDigits(bytes, start + 5), twoDigits(bytes, start + 8)];
  const [hour, minute, second] = [
    twoDigits(bytes, start + 11),
    twoDigits(bytes, start + 14),
    twoDigits(bytes, start + 17),
  ];
  const fractionLength = end - start - 20;
  // Years below 100 mean others to Date.UTC; a digit that is not one makes NaN of the sum.
  if (!(year >= 100) || fractionLength < 1 || fractionLength > 9) return undefined;
  const epochMs = Date.UTC(year, month - 1, day, hour, minute, second, fraction);
  return Number.isNaN(epochMs) ? undefined : { epochMs, end };
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [digitAt(bytes, at), digitAt(bytes, at + 1)];
  return tens < 0 || ones < 0 ? NaN : tens * 10 + ones;
}

/** -1 where there is no digit. */
function digitAt(bytes: Uint8Array, at: number): number {
  const digit = (bytes[at] ?? 0) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : -1;
}
