/** Turns of phrase that a reader has to translate, and their replacements. */
const turns: readonly (readonly [RegExp, string])[] = [
  [
    /(?<!\bthere +)\b(?:is|are|was|were|be) +no +(?!longer\b|more +than\b)[\w$'‘-]+/gi,
    'say "is not a …", and what was expected',
  ],
  [
    /(?<!\bthere +)\b(?:is|are|was|were|be) +none\b/gi,
    'say "is not valid", "is not one of …" or "there is none"',
  ],
  [/\b(?:whoever|whomever|whosoever)\b/gi, 'name the subject: the caller, the reader, a client'],
  [/\bshall\b/gi, 'say "must", "will" or "is to"'],
  [/\bthe +very +(?!first\b|last\b|same\b)\w+/gi, 'say "exactly" or leave it out'],
  [/\bin +the +place +of\b/gi, 'say "instead of"'],
  [/\bin +vain\b/gi, 'say "without success"'],
  [/\b(?:of +ours|of +yours)\b/gi, 'say "your own", or name the owner'],
  [/\bfor +want +of\b/gi, 'say "because there is no …"'],
  [
    /\b(?:gone +on +with|became +of|hears? +of)\b/gi,
    'say "continued", "the outcome of", "is told of"',
  ],
  [/\banew\b/gi, 'say "again"'],
  [/\blately\b/gi, 'say "recently"'],
  [
    /\b(?:hitherto|thereof|therein|thereto|whereof|wherein|lest|henceforth)\b/gi,
    'use a plain word',
  ],
];

export interface Turn {
  readonly line: number;
  readonly words: string;
  readonly instead: string;
}

/** Finds the turns in a text, also across the end of a line of prose or of comment. */
export function turnsIn(text: string): Turn[] {
  // Replaced by as many spaces, so that positions do not change.
  const folded = text.replaceAll(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, (end) => ' '.repeat(end.length));
  return turns
    .flatMap(([pattern, instead]) =>
      [...folded.matchAll(pattern)].map(({ 0: words, index }) => ({
        line: text.slice(0, index).split('\n').length,
        words: words.replaceAll(/ +/g, ' '),
        instead,
      })),
    )
    .toSorted((one, other) => one.line - other.line);
}
