import { expressionFailed } from '../expression-error.ts';
import { memoize } from '../memoize.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

/** Letters that stand for a number. */
export type NumberLetter = 'y' | 'x' | 'w' | 'e' | 'D' | 'M' | 'd' | 'K' | 'h' | 'H' | 'k' | 'm' | 's' | 'S';

/** A piece of a pattern. */
export type PatternField =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'number'; readonly letter: NumberLetter; readonly width: number; readonly widthMax: number }
  | { readonly kind: 'month'; readonly isLong: boolean }
  | { readonly kind: 'weekday'; readonly isLong: boolean }
  | { readonly kind: 'halfday' }
  /** `+0530`, `+05:30`, or `Z` for UTC where `zulu` is set. */
  | { readonly kind: 'offset'; readonly hasColon: boolean; readonly zulu: boolean }
  | { readonly kind: 'zone' };

/** A pattern of dates and times as Joda-Time and Java write them, cut into pieces. */
export interface DateTimePattern {
  readonly text: string;
  readonly fields: readonly PatternField[];
}

/** Every letter with a meaning as a number; some have two names. */
const numberLetters: ReadonlyMap<string, NumberLetter> = new Map([
  ...(['y', 'x', 'w', 'e', 'D', 'M', 'd', 'K', 'h', 'H', 'k', 'm', 's', 'S'] as const).map((letter) => [letter, letter] as const),
  ...(['Y', 'u'] as const).map((letter) => [letter, 'y'] as const),
  ['L', 'M'] as const,
]);

const piecePattern = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/y;

/**
 * Reads a pattern such as `yyyy-MM-dd'T'HH:mm:ss.SSSZ` (https://www.joda.org/joda-time/key_format.html); `X` is Java's offset.
 *
 * @throws EXPRESSION_FAILED at a letter without a meaning, or an open quote
 */
export const parseDateTimePattern: (pattern: string) => DateTimePattern = memoize((pattern) => {
  if (pattern === '' || pattern.length > 200) throw expressionFailed('A date pattern has 1 to 200 characters.');
  const pieces: PatternField[] = [];
  piecePattern.lastIndex = 0;
  while (piecePattern.lastIndex < pattern.length) {
    const start = piecePattern.lastIndex;
    const match = piecePattern.exec(pattern);
    if (match === null) throw expressionFailed(`The quote at ${start + 1} of the date pattern ${pattern} is never closed.`);
    const [whole, quoted, letter] = match;
    if (letter !== undefined) pieces.push(fieldOf(letter, whole.length, pattern));
    else {
      pieces.push({ kind: 'literal', text: quoted === undefined ? whole : quoted === '' ? "'" : quoted.replaceAll("''", "'") });
    }
  }
  return { text: pattern, fields: withAdjacentWidths(pieces) };
});

/** A pattern as a function takes it. */
export const pattern: Parameter<DateTimePattern> = {
  type: 'pattern',
  read: (value, place) => parseDateTimePattern(text.read(value, place)),
};

function fieldOf(letter: string, width: number, whole: string): PatternField {
  if (letter === 'M' || letter === 'L') {
    if (width >= 3) return { kind: 'month', isLong: width >= 4 };
  }
  if (letter === 'E') return { kind: 'weekday', isLong: width >= 4 };
  if (letter === 'a') return { kind: 'halfday' };
  if (letter === 'z' || letter === 'V' || (letter === 'Z' && width >= 3)) return { kind: 'zone' };
  if (letter === 'Z') return { kind: 'offset', hasColon: width === 2, zulu: false };
  if (letter === 'X') return { kind: 'offset', hasColon: width === 3, zulu: true };
  const known = numberLetters.get(letter);
  if (known !== undefined) return { kind: 'number', letter: known, width, widthMax: widthMaxOf(known, width) };
  throw expressionFailed(`The letter ${letter} means nothing in the date pattern ${whole}; quote text as in yyyy-MM-dd'T'HH:mm.`);
}

/** How many digits are read where no other digits follow. */
function widthMaxOf(letter: NumberLetter, width: number): number {
  if (letter === 'y' || letter === 'x') return width === 2 ? 2 : 9;
  if (letter === 'S') return 9;
  return Math.max(width, letter === 'D' ? 3 : letter === 'e' ? 1 : 2);
}

/** In `yyyyMMdd` each number has exactly the digits of its letters, since nothing else tells where it ends. */
function withAdjacentWidths(fields: readonly PatternField[]): readonly PatternField[] {
  return fields.map((field, index) =>
    field.kind === 'number' && fields[index + 1]?.kind === 'number' ? { ...field, widthMax: field.width } : field,
  );
}
