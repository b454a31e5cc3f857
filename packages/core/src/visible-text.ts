const lineBreakers: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Format characters that can be seen: Arabic, Syriac and Kaithi signs that stand under the number
 * behind them.
 */
const seenFormats = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';
/**
 * Scripts whose letters no joiner changes; in others, and between parts of an emoji, joiners change
 * what is seen.
 */
const plainLetters = '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}';
const joined = `[[[\\p{L}\\p{M}]--[${plainLetters}]]\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]`;

/**
 * What is not seen, or changes how the text around it is seen (Unicode Technical Report 36,
 * sections 2.5 and 2.8).
 */
const invisiblePattern = new RegExp(
  [
    // A joiner where it joins something, and the choice between two looks of a character, are a
    // part of what is seen.
    `(?<!${joined})[\\u200c\\u200d]`,
    '(?<=^|[\\p{C}\\p{Z}])[\\ufe00-\\ufe0f]',
    '(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
    `[[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[${seenFormats}\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]]`,
  ].join('|'),
  'gv',
);

/**
 * Text of strangers on one line, as what it is: an escape stands for each character that is not
 * seen or that changes how others are seen, such as control characters, line breaks and
 * bidirectional overrides (`\n`, `\x1b`, `\u202e`).
 */
export function visibleText(text: string): string {
  return text.replace(invisiblePattern, escapeOf);
}

/** The same on several lines: line feeds and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(invisiblePattern, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

function escapeOf(character: string): string {
  const known = lineBreakers[character];
  if (known !== undefined) return known;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
