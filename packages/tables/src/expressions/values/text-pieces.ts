import { expressionFailed } from './expression-error.ts';
import { checkTextLength } from './text.ts';

/**
 * Returns a part of a text like Apache Commons' StringUtils.substring: negative positions count
 * from the end, and positions out of range are clamped.
 */
export function piece(given: string, start: number, end = given.length): string {
  const toIndex = (position: number): number =>
    Math.max(0, position < 0 ? given.length + position : position);
  const stop = Math.min(end < 0 ? given.length + end : end, given.length);
  return start > given.length || (start < 0 ? given.length + start : start) > stop
    ? ''
    : given.slice(toIndex(start), Math.max(0, stop));
}

/**
 * Splits a text like Apache Commons' StringUtils.splitByWholeSeparator: adjacent separators count
 * as one, and an empty separator means white space.
 */
export function splitText(given: string, separator: string, limit = -1): readonly string[] {
  if (given === '') return [];
  if (separator === '') return splitBlanks(given, limit);
  const pieces: string[] = [];
  let [start, end] = [0, 0];
  while (end < given.length) {
    end = given.indexOf(separator, start);
    if (end === start) start = end + separator.length;
    else if (end < 0 || pieces.length + 1 === limit) return [...pieces, given.slice(start)];
    else {
      pieces.push(given.slice(start, end));
      start = end + separator.length;
    }
  }
  return pieces;
}

/** Returns one piece of `splitText`, counted from the end if the index is negative. */
export function pieceAt(given: string, separator: string, index: number): string | undefined {
  if (given === '' || separator === '' || index < 0) return splitText(given, separator).at(index);
  // Without a list of the pieces.
  let [start, skipped] = [0, 0];
  for (;;) {
    const end = given.indexOf(separator, start);
    if (end !== start) {
      if (skipped === index) return end < 0 ? given.slice(start) : given.slice(start, end);
      if (end < 0) return undefined;
      skipped += 1;
    }
    start = end + separator.length;
  }
}

function splitBlanks(given: string, limit: number): readonly string[] {
  const words = [...given.matchAll(/\S+/g)];
  const last = limit > 0 ? words[limit - 1] : undefined;
  const whole = words.slice(0, last === undefined ? undefined : limit - 1).map(([word]) => word);
  return last === undefined ? whole : [...whole, given.slice(last.index)];
}

export function endsOf(
  given: string,
  lengthMax: number,
  at: (length: number) => string,
): readonly string[] {
  if (lengthMax < 0) {
    throw expressionFailed(`A list length cannot be ${lengthMax}; expected at least 0.`);
  }
  const count = Math.min(lengthMax, given.length);
  checkTextLength((count * (count + 1)) / 2);
  return Array.from({ length: count }, (_, index) => at(index + 1));
}

const ngramCountMax = 100_000;

/**
 * Returns all n-grams of these lengths, each once. @throws EXPRESSION_FAILED when there are too
 * many, or they are too long in total
 */
export function ngramsOf(given: string, lengthMin: number, lengthMax: number): readonly string[] {
  if (lengthMin < 0 && lengthMin <= lengthMax) {
    throw expressionFailed(`An n-gram length cannot be ${lengthMin}; expected at least 0.`);
  }
  const found = new Set<string>();
  let size = 0;
  for (
    let length = Math.max(1, lengthMin);
    length <= Math.min(lengthMax, given.length);
    length += 1
  ) {
    const count = given.length - length + 1;
    size += count * length;
    checkTextLength(size);
    if (found.size + count > ngramCountMax) {
      throw expressionFailed(
        `A text of ${given.length} characters has more than ${ngramCountMax} n-grams.`,
      );
    }
    for (let start = 0; start < count; start += 1) found.add(given.slice(start, start + length));
  }
  return [...found];
}

export function nthPosition(given: string, find: string, count: number): number {
  if (count <= 0) return -1;
  if (find === '') return 0;
  let index = given.indexOf(find);
  for (let found = 1; found < count && index >= 0; found += 1) {
    index = given.indexOf(find, index + 1);
  }
  return index;
}
