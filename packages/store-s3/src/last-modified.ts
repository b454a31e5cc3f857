/**
 * Returns a date truncated to seconds, in epoch milliseconds: HTTP headers have this resolution,
 * and a listing must not have a higher one.
 */
export function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
