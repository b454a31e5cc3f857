import { isDeepStrictEqual } from 'node:util';
import { parseLosslessJson, writeLosslessJson } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PipelineConfig, PipelineSchema } from '../../src/pipeline/column-spec.ts';
import { openPipeline } from '../../src/pipeline/run-pipeline.ts';
import type { SourceRow, SourceValue } from '../../src/row.ts';

const schema: PipelineSchema = {
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'LONG' },
    { name: 'city', dataType: 'STRING', maxLength: 12 },
    { name: 'late', dataType: 'BOOLEAN' },
    { name: 'tags', dataType: 'STRING', singleValueField: false },
    { name: 'payload', dataType: 'JSON' },
  ],
  metricFieldSpecs: [
    { name: 'items', dataType: 'INT' },
    { name: 'amount', dataType: 'DOUBLE' },
    { name: 'speed', dataType: 'FLOAT' },
  ],
  dateTimeFieldSpecs: [
    { name: 'at', dataType: 'TIMESTAMP', format: 'TIMESTAMP' },
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1' },
  ],
};
const config: PipelineConfig = { segmentsConfig: { timeColumnName: 'ts' } };
const names = ['id', 'city', 'late', 'tags', 'payload', 'items', 'amount', 'speed', 'at', 'ts'];
const clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1) });

const open = (given: PipelineConfig = config, of: PipelineSchema = schema) =>
  openPipeline({ config: given, schema: of, clock });

/** Returns the fields of a text that is plain; undefined for others. */
function readPlain(text: string | Uint8Array, pipeline = open()): SourceRow | undefined {
  const { plainRows: reader } = pipeline;
  // Other bytes around the text belong to other messages.
  const bytes = Buffer.concat([Buffer.from('{"id":'), Buffer.from(text), Buffer.from('"}9')]);
  if (reader?.read(bytes, 6, bytes.byteLength - 3) !== true) return undefined;
  return Object.fromEntries(names.map((name, position) => [name, reader.valueAt(position)]));
}

/** Returns the fields of a text that is parsed and sent through the pipeline. */
function readByPipeline(text: string): SourceRow | undefined {
  return open().take(parseLosslessJson(text) as SourceRow).rows[0]?.fields;
}

const full =
  '{"id":7,"city":"Oslo","late":true,"items":-3,"amount":2.25,"speed":0.1,"at":1700000000001,"ts":1700000000000}';

test('a plain row is that of the pipeline', () => {
  expect(readPlain(full)).toEqual({
    id: 7,
    city: 'Oslo',
    late: true,
    tags: ['null'],
    payload: 'null',
    items: -3,
    amount: 2.25,
    speed: Math.fround(0.1),
    at: 1_700_000_000_001,
    ts: 1_700_000_000_000,
  });
  expect(readPlain(full)).toEqual({ ...readByPipeline(full) });
});

describe('read as plain, with the values that the pipeline has', () => {
  test.each([
    ['white space', ' {\t"ts" : 1 ,\r\n"id": 2 } \n'],
    ['another order of fields', '{"ts":1,"city":"a","id":2}'],
    ['nulls', '{"ts":1,"id":null,"city":null,"late":null,"items":null}'],
    ['fields without a column', '{"ts":1,"other":"x\\n","more":1e400,"no":null,"is":false}'],
    ['escapes', String.raw`{"ts":1,"city":"a\"\\\/\u00e6\t\ud83d\ude00"}`],
    ['other characters than ASCII', '{"ts":1,"city":"Tromsø 🦌"}'],
    ['exponents', '{"ts":1e3,"amount":1.5E-7,"id":2E+2,"items":1e0}'],
    ['many digits', '{"ts":1,"amount":0.12345678901234567890,"id":123456789012345}'],
    ['fractions that are whole', '{"ts":1.0,"id":4.000,"items":5.0}'],
    ['floats beyond the range', '{"ts":1,"speed":1e300,"amount":1e400}'],
    ['an empty text and a zero', '{"ts":0,"city":"","id":0}'],
  ])('%s', (_what, text) => {
    const fields = readPlain(text);
    expect(fields).toBeDefined();
    expect(fields).toEqual({ ...readByPipeline(text) });
  });
});

describe('left to the pipeline', () => {
  test.each([
    ['repeated fields', '{"ts":1,"id":1,"id":2}'],
    ['a field that is repeated without a column', '{"ts":1,"x":1,"x":2}'],
    ['inherited names', '{"ts":1,"__proto__":1}'],
    ['names with escapes', String.raw`{"ts":1,"i\u0064":1}`],
    ['integers of 16 digits', '{"ts":1,"id":1234567890123456}'],
    ['huge integers without a column', `{"ts":1,"x":${'9'.repeat(2_000)}}`],
    ['minus zero', '{"ts":1,"amount":-0}'],
    ['a float that becomes minus zero', '{"ts":1,"speed":-1e-60}'],
    ['a fraction for an integer', '{"ts":1,"id":1.5}'],
    ['an integer beyond 32 bits', '{"ts":1,"items":2147483648}'],
    ['a timestamp of 32 bits', '{"ts":1,"at":5}'],
    ['a timestamp beyond the calendar', '{"ts":1,"at":8.7e15}'],
    ['a number for a text', '{"ts":1,"city":5}'],
    ['a text for a number', '{"ts":1,"id":"5"}'],
    ['a Boolean for a text', '{"ts":1,"city":true}'],
    ['a number for a Boolean', '{"ts":1,"late":1}'],
    ['a text that is too long', '{"ts":1,"city":"0123456789abc"}'],
    ['a zero character', String.raw`{"ts":1,"city":"a\u0000"}`],
    ['half of a surrogate pair', String.raw`{"ts":1,"city":"\ud83d"}`],
    ['a list', '{"ts":1,"tags":["a"]}'],
    ['an object without a column', '{"ts":1,"x":{}}'],
    ['deep nesting', `{"ts":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['a row without its time', '{"id":1}'],
    ['an empty object', '{}'],
    ['a byte order mark', '\ufeff{"ts":1}'],
    ['a list of rows', '[{"ts":1}]'],
    ['null', 'null'],
    ['no text', ''],
  ])('%s', (_what, text) => expect(readPlain(text)).toBeUndefined());

  test.each([
    ['a leading zero', '{"ts":01}'],
    ['a sign', '{"ts":+1}'],
    ['no digit before the point', '{"ts":.5}'],
    ['no digit after the point', '{"ts":1.}'],
    ['no exponent', '{"ts":1e}'],
    ['a minus alone', '{"ts":-}'],
    ['hexadecimal digits', '{"ts":0x1}'],
    ['words of JavaScript', '{"ts":NaN}'],
    ['an incomplete word', '{"ts":tru'],
    ['a comma at the end', '{"ts":1,}'],
    ['no comma', '{"ts":1 "id":2}'],
    ['no colon', '{"ts" 1}'],
    ['no quotes', '{ts:1}'],
    ['text after the end', '{"ts":1}1'],
    ['no end', '{"ts":1'],
    ['no end of a text', '{"ts":1,"city":"Oslo}'],
    ['a text that ends with a backslash', '{"ts":1,"city":"Oslo\\'],
    ['a line break in a text', '{"ts":1,"city":"a\nb"}'],
    ['a bad escape', String.raw`{"ts":1,"city":"\x41"}`],
    ['another space', '{"ts":\u00a01}'],
    ['a zero byte', '{"ts":1}\0'],
  ])('not JSON: %s', (_what, text) => {
    expect(readPlain(text)).toBeUndefined();
    expect(() => parseLosslessJson(text)).toThrow(SyntaxError);
  });

  test.each([
    ['in a text', [0xff]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an incomplete character', [0xc3]],
  ])('invalid UTF-8: %s', (_what, bytes) => {
    const text = (name: string) =>
      Buffer.concat([Buffer.from(`{"ts":1,"${name}":"`), Buffer.from(bytes), Buffer.from('"}')]);
    expect(readPlain(text('city'))).toBeUndefined();
    expect(readPlain(text('other'))).toBeUndefined();
  });

  test('rows with more names than are remembered', () => {
    const pipeline = open();
    for (let index = 0; index < 2_000; index += 1) {
      const fields = readPlain(`{"ts":1,"x${index}":1}`, pipeline);
      expect(fields !== undefined).toBe(index < 999);
    }
    expect(readPlain('{"ts":1}', pipeline)).toBeDefined();
  });
});

test('a row has nothing of the one before', () => {
  const pipeline = open();
  const texts = [full, '{"ts":5}', '{"ts":1,"city":"a', '{"ts":6,"city":"Lærdal"}', full];
  for (const text of texts) {
    const fields = readPlain(text, pipeline);
    expect(fields).toEqual(text.endsWith('}') ? { ...readByPipeline(text) } : undefined);
  }
});

test.each<[string, PipelineConfig, PipelineSchema]>([
  ['a filter', { ingestionConfig: { filterConfig: { filterFunction: 'id > 2' } } }, schema],
  [
    'a transform',
    {
      ingestionConfig: {
        transformConfigs: [{ columnName: 'city', transformFunction: 'upper(x)' }],
      },
    },
    schema,
  ],
  ['nested values', { ingestionConfig: { complexTypeConfig: {} } }, schema],
  ['a check of times', { ...config, ingestionConfig: { rowTimeValueCheck: true } }, schema],
  ['no schema', {}, {}],
  ['columns of other types only', {}, { dimensionFieldSpecs: [{ name: 'a', dataType: 'JSON' }] }],
])('no row is plain with %s', (_what, given, of) => {
  expect(open(given, of).plainRows).toBeUndefined();
});

test('a default that the length does not allow fails the row, so no row without a value is plain', () => {
  const column = { dataType: 'STRING', maxLength: 2, maxLengthExceedStrategy: 'ERROR' };
  const of = {
    dimensionFieldSpecs: [
      { name: 'id', dataType: 'LONG' },
      { name: 'a', ...column },
    ],
  };
  const pipeline = open({}, of);
  const { plainRows: reader } = pipeline;
  const bytes = Buffer.from('{"id":1}{"id":1,"a":"x"}');
  expect([reader?.read(bytes, 0, 8), reader?.read(bytes, 8, bytes.byteLength)]).toEqual([
    false,
    true,
  ]);
  expect(pipeline.take({ id: 1 })).toMatchObject({
    rows: [],
    dropped: [{ kind: 'failed', column: 'a' }],
  });
});

test('whatever is plain is as the pipeline stores it', () => {
  const values = fc.oneof(
    fc.constantFrom<SourceValue>(-0, 0, 2 ** 31, 2 ** 53, 2n ** 63n, true, false, null, '\0', '"'),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true }),
    fc.float({ noNaN: true }),
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.array(fc.string(), { maxLength: 2 }),
  );
  const rows = fc.dictionary(fc.constantFrom(...names, 'other', 'toString'), values);
  const pipeline = open();
  fc.assert(
    fc.property(rows, fc.boolean(), (row, isIndented) => {
      const written = writeLosslessJson({ ts: 1_700_000_000_000, ...row });
      const text = isIndented ? written.replaceAll(/(?<=[\]"\d]),(?=")/g, ', ') : written;
      const fields = readPlain(text, pipeline);
      return fields === undefined || isDeepStrictEqual(fields, { ...readByPipeline(text) });
    }),
    { numRuns: 2_000 },
  );
});

test('a damaged text is plain only if it is still JSON in UTF-8, with the same values', () => {
  const text = Buffer.from(full.replace('Oslo', String.raw`Bodø\n`));
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const pipeline = open();
  fc.assert(
    fc.property(fc.nat(text.byteLength - 1), fc.nat(255), fc.boolean(), (at, byte, isInserted) => {
      const end = text.subarray(isInserted ? at : at + 1);
      const damaged = Buffer.concat([text.subarray(0, at), Buffer.of(byte), end]);
      const fields = readPlain(damaged, pipeline);
      if (fields === undefined) return true;
      return isDeepStrictEqual(fields, { ...readByPipeline(utf8.decode(damaged)) });
    }),
    { numRuns: 5_000 },
  );
});
