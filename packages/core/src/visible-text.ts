const lineBreakers: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Format characters that are visible: Arabic, Syriac and Kaithi signs that appear below the
 * following number.
 */
const seenFormats = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';
/**
 * Scripts whose letters are not affected by joiners. In other scripts, and between parts of an
 * emoji, joiners change the displayed text.
 */
const plainLetters = '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}';
const joined = `[[[\\p{L}\\p{M}]--[${plainLetters}]]\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]`;

/**
 * Matches characters that are invisible or change how the text around them is displayed (Unicode
 * Technical Report 36, sections 2.5 and 2.8).
 */
const invisiblePattern = new RegExp(
  [
    // A joiner between characters that it affects, and a variation selector, are part of the
    // displayed text.
    `(?<!${joined})[\\u200c\\u200d]`,
    '(?<=^|[\\p{C}\\p{Z}])[\\ufe00-\\ufe0f]',
    '(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
    `[[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[${seenFormats}\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]]`,
  ].join('|'),
  'gv',
);

/**
 * Returns untrusted text on one line with its invisible characters escaped. Control characters,
 * line breaks, bidirectional overrides and the like become `\n`, `\x1b`, `\u202e`.
 */
export function visibleText(text: string): string {
  return text.replace(invisiblePattern, escapeOf);
}

/** Escapes text as `visibleText` does, but keeps line feeds and tabs. */
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
