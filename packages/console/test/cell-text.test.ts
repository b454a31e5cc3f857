import {
  type DataType,
  dateDay,
  dictionary,
  field,
  fixedSizeBinary,
  float32,
  float64,
  int32,
  list,
  map,
  struct,
  timestamp,
  TimeUnit,
  uint64,
  utf8,
} from '@uwdata/flechette';
import { expect, test } from 'vitest';
import { cellJson, cellText, encodeJson } from '../app/query/cell-text.ts';

const dayMs = 86_400_000;
const extension = (name: string) => new Map([['ARROW:extension:name', name]]);
const uuid = field('u', fixedSizeBinary(16), true, extension('arrow.uuid'));
const json = field('j', utf8(), true, extension('arrow.json'));
const uuidBytes = Uint8Array.from({ length: 16 }, (_none, index) => index * 16);
const uuidText = '00102030-4050-6070-8090-a0b0c0d0e0f0';

// Texts as the server writes them: `packages/results/test/write-time.test.ts`.
test.each([
  [0, '1970-01-01'],
  [-719_162, '0001-01-01'],
  [-719_163, '0001-12-31 (BC)'],
  [2_932_897, '10000-01-01'],
  [2 ** 31 - 2, '5881580-07-10'],
  [2 ** 31 - 1, 'infinity'],
  [-(2 ** 31) + 1, '-infinity'],
])('the day %i is %s', (days, text) => {
  expect(cellText(days * dayMs, { type: dateDay() })).toBe(text);
});

test.each([
  [0n, TimeUnit.SECOND, '1970-01-01 00:00:00.0'],
  [-1n, TimeUnit.NANOSECOND, '1969-12-31 23:59:59.999999999'],
  [1_700_000_000_123_456n, TimeUnit.MICROSECOND, '2023-11-14 22:13:20.123456'],
  [253_402_300_800n, TimeUnit.SECOND, '10000-01-01 00:00:00.0'],
  [-62_135_596_801n, TimeUnit.SECOND, '0001-12-31 (BC) 23:59:59.0'],
  [2n ** 31n * 86_400n, TimeUnit.SECOND, '5881580-07-12 00:00:00.0'],
  [2n ** 63n - 1n, TimeUnit.MICROSECOND, 'infinity'],
  [-(2n ** 63n) + 1n, TimeUnit.MICROSECOND, '-infinity'],
])('the timestamp %i in unit %i is %s', (value, unit, text) => {
  expect(cellText(value, { type: timestamp(unit) })).toBe(text);
});

test.each<[string, unknown, DataType]>([
  ['-0', -0, float64()],
  ['NaN', Number.NaN, float64()],
  ['0.1', Math.fround(0.1), float32()],
  ['1e-45', Math.fround(1e-45), float32()],
  ['a', 'a', dictionary(utf8(), int32())],
  ['[-0,null]', [-0, null], list(float64())],
  ['["18446744073709551615"]', [2n ** 64n - 1n], list(uint64())],
  [`{"u":"${uuidText}"}`, { u: uuidBytes }, struct([uuid])],
  ['{"d":"infinity"}', { d: (2 ** 31 - 1) * dayMs }, struct([field('d', dateDay())])],
  [
    '{"20":"a","3":"b"}',
    [
      [20, 'a'],
      [3, 'b'],
    ],
    map(int32(), utf8()),
  ],
  [`{"${uuidText}":{"b":1}}`, [[uuidBytes, '{"b":1}']], map(uuid, json)],
])('the text %s is that of the API', (text, value, type) => {
  expect(cellText(value, { type })).toBe(text);
});

test('UUIDs have hyphens, and other bytes have none', () => {
  expect(cellText(uuidBytes, uuid)).toBe(uuidText);
  expect(cellText(uuidBytes, { type: uuid.type })).toBe(uuidText.replaceAll('-', ''));
});

test('JSON within a nested value is part of it, with all digits and on one line', () => {
  const text = '{"b": 9223372036854775807,\n "a": 1.50}';
  const { type } = field('s', struct([json]));
  expect(cellText({ j: text }, { type })).toBe('{"j":{"b": 9223372036854775807,  "a": 1.50}}');
  // DuckDB takes more for JSON.
  expect(cellText({ j: '[NaN,]' }, { type })).toBe('{"j":"[NaN,]"}');
  expect(cellText(text, json)).toBe(text);
});

test('copies have the same nested values, and numbers and texts as they are', () => {
  const cells = [
    cellJson({ j: '{"b":1.50}' }, { type: struct([json]) }),
    cellJson([uuidBytes], { type: list(uuid) }),
    cellJson(-0, { type: float64() }),
    cellJson(null, json),
    cellJson('{"b":1}', json),
  ];
  expect(encodeJson(cells)).toBe(`[{"j":{"b":1.50}},["${uuidText}"],-0,null,"{\\"b\\":1}"]`);
});
