/**
 * Formats a number with three significant digits, and thousands separated: `0.123`, `12.3`,
 * `1,234`.
 */
export function formatNumber(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', {
    maximumFractionDigits: Math.min(6, digits),
    minimumFractionDigits: Math.min(6, digits),
  });
}

/** `3.1×`. */
export function formatTimes(value: number): string {
  return `${formatNumber(value)}×`;
}
