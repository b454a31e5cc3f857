/**
 * The whole second of a date: an HTTP header tells no more, and a listing must not tell more than
 * it. In epoch milliseconds.
 */
export function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
