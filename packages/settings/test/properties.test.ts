import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseProperties } from '../src/properties.ts';

/** Keys and values alone, in order. */
function pairs(text: string): [string, string][] {
  return parseProperties(text).properties.map(({ key, value }) => [key, value]);
}

describe('parseProperties', () => {
  test.each([
    ['key = value', 'key', 'value'],
    ['key=value', 'key', 'value'],
    ['key: value', 'key', 'value'],
    ['key value', 'key', 'value'],
    ['  \tkey\t=\t value', 'key', 'value'],
    ['key = a=b:c', 'key', 'a=b:c'],
    ['key == value', 'key', '= value'],
    ['key : = value', 'key', '= value'],
    ['key =', 'key', ''],
    ['key', 'key', ''],
    ['key = value \t', 'key', 'value \t'],
    ['key = value # no comment', 'key', 'value # no comment'],
    [String.raw`a\=b\:c\ d = value`, 'a=b:c d', 'value'],
    [String.raw`\#key = value`, '#key', 'value'],
    [String.raw`key = \ value`, 'key', ' value'],
    [String.raw`key = a\tb\nc\rd\fe`, 'key', 'a\tb\nc\rd\fe'],
    [String.raw`key = C:\\data\q`, 'key', String.raw`C:\dataq`],
    [String.raw`key = caf\u00e9 \uD83D\uDE00`, 'key', 'café 😀'],
    [String.raw`key = \\u00e9`, 'key', String.raw`\u00e9`],
    ['= value', '', 'value'],
    ['ключ = значение', 'ключ', 'значение'],
  ])('parseProperties reads %j', (line, key, value) => {
    expect(parseProperties(line)).toEqual({ properties: [{ key, value, line: 1 }], faults: [] });
  });

  test.each([
    '',
    '\n\n',
    '# comment',
    '! comment',
    '   # indented comment',
    ' \t\f ',
    '\\',
    '\\\n# comment',
    '\uFEFF',
    '\uFEFF# comment',
  ])('parseProperties finds nothing in %j', (text) => {
    expect(parseProperties(text)).toEqual({ properties: [], faults: [] });
  });

  test('parseProperties joins lines that end in an odd number of backslashes, without the blanks that the next one starts with', () => {
    expect(pairs('fruits = apple, \\\n   banana, \\\r\n\tpear\nnext = 1')).toEqual([
      ['fruits', 'apple, banana, pear'],
      ['next', '1'],
    ]);
    expect(pairs('a = 1\\\\\nb = 2')).toEqual([
      ['a', '1\\'],
      ['b', '2'],
    ]);
    expect(pairs('a = 1\\\\\\\nb = 2')).toEqual([['a', '1\\b = 2']]);
    expect(pairs('ke\\\n  y = value')).toEqual([['key', 'value']]);
  });

  test('parseProperties takes what looks like a comment for text within a continued line, and never continues a comment', () => {
    expect(pairs('a = 1\\\n# 2')).toEqual([['a', '1# 2']]);
    expect(pairs('# comment \\\na = 1')).toEqual([['a', '1']]);
  });

  test('parseProperties ends a continued line at a blank line and at the end of the text', () => {
    expect(pairs('a = 1\\\n\nb = 2')).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(pairs('a = 1\\')).toEqual([['a', '1']]);
    expect(pairs('a = 1\\\n')).toEqual([['a', '1']]);
  });

  test('parseProperties counts lines ended by LF, CR and CRLF, and names the line that a property starts on', () => {
    const text = '\uFEFF# head\r\na = 1\rb = \\\n  2\n\nc = 3';
    expect(parseProperties(text).properties).toEqual([
      { key: 'a', value: '1', line: 2 },
      { key: 'b', value: '2', line: 3 },
      { key: 'c', value: '3', line: 6 },
    ]);
  });

  test('parseProperties keeps a key that is given twice, for the caller to judge', () => {
    expect(pairs('a = 1\na = 2')).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
  });

  test.each([
    String.raw`a = \u12`,
    String.raw`a = \u12g4`,
    String.raw`a = \u`,
    String.raw`a = \\\uXYZW`,
    String.raw`\u00 = 1`,
  ])(
    'parseProperties reports the line of the malformed escape in %j without repeating it, and reads on',
    (line) => {
      expect(parseProperties(`${line}\nb = 2`)).toEqual({
        properties: [{ key: 'b', value: '2', line: 2 }],
        faults: [{ line: 1, message: 'expected four hexadecimal digits after \\u' }],
      });
    },
  );

  test('parseProperties reads back whatever java.util.Properties would have stored', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyText, anyText)),
        fc.constantFrom('\n', '\r\n', '\r'),
        (properties, lineEnd) => {
          const text = properties.map(([key, value]) => store(key, value)).join(lineEnd);
          expect(parseProperties(text).faults).toEqual([]);
          expect(pairs(text)).toEqual(properties);
        },
      ),
    );
  });

  test('parseProperties reads back values that were wrapped over several lines at any place', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), { minLength: 1 }),
        fc.constantFrom('', ' ', '\t'),
        (parts, indent) => {
          const text = `key = ${parts.map((part) => escape(part, true)).join(`\\\n${indent}`)}`;
          expect(pairs(text)).toEqual([['key', parts.join('')]]);
        },
      ),
    );
  });
});

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...' \t\f\r\n\\=:#!u0'.split('')),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

/** Writes one property the way `java.util.Properties.store` does. */
function store(key: string, value: string): string {
  return `${escape(key, true)}=${escape(value, false)}`;
}

function escape(text: string, isKey: boolean): string {
  const escapes: Readonly<Record<string, string>> = {
    '\t': '\\t',
    '\n': '\\n',
    '\r': '\\r',
    '\f': '\\f',
  };
  return text
    .split('')
    .map((unit, index) => {
      if (unit === ' ') return index === 0 || isKey ? '\\ ' : ' ';
      if ('\\=:#!'.includes(unit)) return `\\${unit}`;
      const isPlain = unit >= ' ' && unit <= '~';
      return (
        escapes[unit] ?? (isPlain ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      );
    })
    .join('');
}
