import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteSink } from '../src/encode/byte-sink.ts';
import { writeCsvField, writeJsonString, writeUuid } from '../src/encode/write-string.ts';

function written(write: (sink: ByteSink) => void): string {
  const sink = new ByteSink(1);
  write(sink);
  return Buffer.from(sink.take()).toString();
}

test('JSON strings are those of JSON.stringify, for every kind of character', () => {
  const jsonOf = (text: string) => {
    const bytes = Buffer.from(text);
    return written((sink) => writeJsonString(sink, bytes, 0, bytes.length));
  };
  const control = Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join('');
  for (const text of ['', control, '"\\/', '\u2028\u2029\uFEFF', '👩‍👩‍👧‍👦 zürich 東京', 'x'.repeat(100_000), '"'.repeat(20_000)]) {
    expect(jsonOf(text)).toBe(JSON.stringify(text));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => jsonOf(text.toWellFormed()) === JSON.stringify(text.toWellFormed())),
  );
});

test('CSV fields are quoted only where they must be', () => {
  const csvOf = (text: string) => {
    const bytes = Buffer.from(text);
    return written((sink) => writeCsvField(sink, bytes, 0, bytes.length));
  };
  expect(['plain', '', 'a,b', 'say "hi"', 'two\nlines', '"', ' padded ', 'cr\r'].map(csvOf)).toEqual([
    'plain',
    '""',
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    '""""',
    ' padded ',
    '"cr\r"',
  ]);
});

test('a UUID is written in its canonical form', () => {
  const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  expect(written((sink) => writeUuid(sink, bytes, 0))).toBe('00112233-4455-6677-8899-aabbccddeeff');
});
