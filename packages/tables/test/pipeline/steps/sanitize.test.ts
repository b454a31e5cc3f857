import { expect, test } from 'vitest';
import { column, run } from '../run.ts';

async function sanitize(
  value: string | readonly string[] | Uint8Array,
  dataType: string,
  more: object,
) {
  const singleValueField = !Array.isArray(value);
  const { rows, dropped } = await run([{ a: value }], {
    dimensions: [column('a', dataType, { singleValueField, ...more })],
  });
  return rows[0] === undefined ? dropped[0]?.reason : [rows[0].fields['a'], rows[0].isSanitized];
}

test.each([
  [{ maxLength: 3 }, ['abc', true]],
  [{ maxLength: 3, maxLengthExceedStrategy: 'TRIM_LENGTH' }, ['abc', true]],
  [{ maxLength: 3, maxLengthExceedStrategy: 'SUBSTITUTE_DEFAULT_VALUE' }, ['null', true]],
  [{ maxLength: 3, maxLengthExceedStrategy: 'NO_ACTION' }, ['abcde', false]],
  [{ maxLength: 3, maxLengthExceedStrategy: 'FAIL_INGESTION' }, '5 long; at most 3 is stored'],
  [{ maxLength: 3, maxLengthExceedStrategy: 'ERROR' }, '5 long; at most 3 is stored'],
  [{ maxLength: 5 }, ['abcde', false]],
])('text that is too long: %j', async (more, expected) => {
  expect(await sanitize('abcde', 'STRING', more)).toEqual(expected);
});

test('JSON and bytes are kept unless a strategy is given', async () => {
  expect(await sanitize('"abcde"', 'JSON', { maxLength: 3 })).toEqual(['"abcde"', false]);
  const bytes = new Uint8Array([1, 2, 3]);
  expect(await sanitize(bytes, 'BYTES', { maxLength: 2 })).toEqual([bytes, false]);
  expect(
    await sanitize(bytes, 'BYTES', { maxLength: 2, maxLengthExceedStrategy: 'TRIM_LENGTH' }),
  ).toEqual([bytes.slice(0, 2), true]);
});

test('text ends at a zero character, and each of several values is looked at', async () => {
  expect(await sanitize('ab\0cd', 'STRING', {})).toEqual(['ab', true]);
  expect(await sanitize(['a', 'bcd'], 'STRING', { maxLength: 2 })).toEqual([['a', 'bc'], true]);
});

test('a text of 513 characters is cut to 512 when the schema says nothing', async () => {
  expect(await sanitize('x'.repeat(513), 'STRING', {})).toEqual(['x'.repeat(512), true]);
});

test('text is never cut within a character', async () => {
  expect(await sanitize('ab\u{1f600}c', 'STRING', { maxLength: 3 })).toEqual(['ab', true]);
  expect(await sanitize('ab\u{1f600}c', 'STRING', { maxLength: 4 })).toEqual(['ab\u{1f600}', true]);
  expect(await sanitize(['\u{1f600}', 'b'], 'STRING', { maxLength: 1 })).toEqual([['', 'b'], true]);
  expect(
    await sanitize('"\u{1f600}"', 'JSON', { maxLength: 2, maxLengthExceedStrategy: 'TRIM_LENGTH' }),
  ).toEqual(['"', true]);
});
