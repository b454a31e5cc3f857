import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleLines, visibleText } from '../src/visible-text.ts';

test.each([
  ['a bidirectional override', 'user\u202egnp.exe', 'user\\u202egnp.exe'],
  ['an isolate that is never closed', 'a\u2066b', 'a\\u2066b'],
  ['marks of direction', '\u200ea\u200f\u061c', '\\u200ea\\u200f\\u061c'],
  ['characters of no width', 'ad\u200bmin\u2060\ufeff', 'ad\\u200bmin\\u2060\\ufeff'],
  ['joiners between letters that do not join', 'ad\u200cmin\u200d', 'ad\\u200cmin\\u200d'],
  ['a soft hyphen', 'in\u00advisible', 'in\\xadvisible'],
  ['letters that look like nothing', '\u3164\u115f\uffa0', '\\u3164\\u115f\\uffa0'],
  ['text in tag characters', 'hi\u{e0068}\u{e0069}', 'hi\\u{e0068}\\u{e0069}'],
  ['data in selectors of variants', 'a\u{e0101}b \ufe01', 'a\\u{e0101}b \\ufe01'],
  ['control characters', '\u0000\u001b[31m\u007f\u009b', '\\x00\\x1b[31m\\x7f\\x9b'],
  ['line breaks', 'a\r\n\tb\u2028\u2029\u0085', 'a\\r\\n\\tb\\u2028\\u2029\\x85'],
])('visibleText shows %s as what it is', (_what, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test.each([
  ['Arabic and Hebrew', 'مرحبا שלום'],
  ['Persian, whose joiners change what is seen', 'می\u200cخواهم'],
  ['Devanagari with a joiner', 'क्\u200dष'],
  ['a family, a flag, a heart and a waving hand', '👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 ❤\ufe0f 👋🏽'],
  ['a variant of a Chinese character', '葛\u{e0100}'],
  ['an Arabic sign under a number', '\u0600\u0661'],
  ['accents and wide characters', 'Zürich e\u0301 東京'],
])('visibleText leaves %s as it is', (_what, text) => {
  expect(visibleText(text)).toBe(text);
});

test('of several lines, the line feeds and tabs stay', () => {
  expect(visibleLines('a\n\tb\r\u202e')).toBe('a\n\tb\\r\\u202e');
});

test('no text keeps a control or an override, and text without such characters is not changed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = visibleText(text);
      expect(shown).not.toMatch(
        /[\p{Cc}\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u,
      );
      const isPlain = !/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text);
      expect(isPlain && shown !== text).toBe(false);
    }),
  );
});
