/** Puts quotes around the text that ends at `end` and began one byte behind `to`, or leaves it where it is. */
export function writeQuoted(to: usize, end: usize, isQuoted: bool): usize {
  if (!isQuoted) return end;
  store<u8>(to, 0x22);
  store<u8>(end, 0x22);
  return end + 1;
}
