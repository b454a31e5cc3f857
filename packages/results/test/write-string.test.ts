import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  csvFieldWidthMax,
  jsonStringWidthMax,
  writeCsvField,
  writeJsonString,
  writeUuid,
} from '../src/encode/write-string.ts';

function written(write: (bytes: Uint8Array, position: number) => number): string {
  // The bytes before the position must remain unchanged.
  const bytes = new Uint8Array(700_000).fill(63, 0, 1);
  return Buffer.from(bytes.subarray(0, write(bytes, 1)))
    .toString()
    .replace(/^\?/, '');
}

test('JSON strings are those of JSON.stringify, for every kind of character', () => {
  const jsonOf = (text: string) => {
    const source = Buffer.from(text);
    return written((bytes, position) => writeJsonString(bytes, position, source, 0, source.length));
  };
  const control = Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join('');
  for (const text of [
    '',
    control,
    '"\\/',
    '\u2028\u2029\uFEFF',
    '👩‍👩‍👧‍👦 zürich 東京',
    'x'.repeat(100_000),
    '"'.repeat(20_000),
  ]) {
    expect(jsonOf(text)).toBe(JSON.stringify(text));
  }
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => jsonOf(text.toWellFormed()) === JSON.stringify(text.toWellFormed()),
    ),
  );
});

test('CSV fields are quoted only where they must be', () => {
  const csvOf = (text: string) => {
    const source = Buffer.from(text);
    return written((bytes, position) => writeCsvField(bytes, position, source, 0, source.length));
  };
  expect(
    ['plain', '', 'a,b', 'say "hi"', 'two\nlines', '"', ' padded ', 'cr\r'].map(csvOf),
  ).toEqual(['plain', '""', '"a,b"', '"say ""hi"""', '"two\nlines"', '""""', ' padded ', '"cr\r"']);
  // Longer than a piece: the character that needs quotes may be in any piece.
  const long = 'x'.repeat(150_000);
  expect(csvOf(long)).toBe(long);
  expect(csvOf(`${long},`)).toBe(`"${long},"`);
  expect(csvOf(`,${long}"${long}`)).toBe(`",${long}""${long}"`);
  expect(csvOf(`"${'"'.repeat(70_000)}`)).toBe(`"""${'""'.repeat(70_000)}"`);
});

test('a UUID is written in its canonical form', () => {
  const source = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  expect(written((bytes, position) => writeUuid(bytes, position, source, 0))).toBe(
    '00112233-4455-6677-8899-aabbccddeeff',
  );
});

test('the longest texts keep to the room that is made for them', () => {
  const [control, quotes] = [Buffer.alloc(150_000, 1), Buffer.alloc(150_000, '"')];
  const json = new Uint8Array(jsonStringWidthMax(control.length));
  expect(writeJsonString(json, 0, control, 0, control.length)).toBe(control.length * 6 + 2);
  const csv = new Uint8Array(csvFieldWidthMax(quotes.length));
  expect(writeCsvField(csv, 0, quotes, 0, quotes.length)).toBe(quotes.length * 2 + 2);
});
