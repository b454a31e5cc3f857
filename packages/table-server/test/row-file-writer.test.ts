import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MiB, systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import type { SourceValue } from '@quire/tables';
import fc from 'fast-check';
import { type ColumnChunk, parquetMetadataAsync } from 'hyparquet';
import { asyncBufferFromFile } from 'hyparquet/src/node.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RowFile } from '../src/segments/manifest.ts';
import { readRowFile } from '../src/segments/read-row-file.ts';
import { RowFileWriter } from '../src/segments/row-file-writer.ts';
import { shapeOf } from '../src/segments/table-columns.ts';

const shape = shapeOf(
  { tableName: 'all', tableType: 'OFFLINE', tableIndexConfig: { nullHandlingEnabled: true } },
  {
    schemaName: 'all',
    dimensionFieldSpecs: [
      { name: 'text', dataType: 'STRING' },
      { name: 'bytes', dataType: 'BYTES' },
      { name: 'flag', dataType: 'BOOLEAN' },
      { name: 'longs', dataType: 'LONG', singleValueField: false },
      { name: 'int', dataType: 'INT' },
      { name: 'long', dataType: 'LONG' },
      { name: 'float', dataType: 'FLOAT' },
      { name: 'double', dataType: 'DOUBLE' },
    ],
    dateTimeFieldSpecs: [
      { name: 'at', dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: 'MILLISECONDS|1' },
    ],
  },
);
const names = shape.columns.map(({ name }) => name);

type Row = Readonly<Record<string, SourceValue>>;

let directory: string;
let fileCount = 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-rows-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function write(rows: readonly Row[]): Promise<{ path: string; written: RowFile }> {
  fileCount += 1;
  const name = `${fileCount}.parquet`;
  const path = join(directory, name);
  await using writer = await RowFileWriter.create(path, name, shape);
  await writer.write(rows.map((fields) => ({ fields, nullFields: [] })));
  return { path, written: await writer.finish() };
}

/** Returns the rows of a file: 64-bit integers as bigints, bytes as arrays. */
async function read({ path, written }: { path: string; written: RowFile }): Promise<unknown> {
  const groups = await Array.fromAsync(readRowFile(path, written, shape));
  return groups.flat().map(({ fields }) => ({ ...fields }));
}

/** Returns rows as files return them. */
function stored(rows: readonly Row[]): unknown {
  const big = (value: SourceValue): SourceValue =>
    value === null ? null : BigInt(value as number);
  return rows.map((row) => {
    const all = Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
    const { text, longs, long, at } = all;
    return {
      ...all,
      // A text has no halves of pairs in UTF-8.
      text: typeof text === 'string' ? Buffer.from(text).toString() : null,
      long: big(long ?? null),
      at: big(at ?? null),
      longs: Array.isArray(longs) ? longs.map(big) : undefined,
    };
  });
}

async function columnOf(path: string, name: string): Promise<ColumnChunk['meta_data']> {
  const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  return groups[0]?.columns.find(({ meta_data: meta }) => meta?.path_in_schema[0] === name)
    ?.meta_data;
}

describe('RowFileWriter', () => {
  test('a file has the rows that were written, whatever their values are', async () => {
    const optional = (values: fc.Arbitrary<SourceValue>) => fc.option(values, { freq: 4 });
    const long = fc.oneof(
      fc.maxSafeInteger(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 32n), -1),
    );
    const row = fc.record<Record<string, SourceValue>>({
      text: optional(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b', 'æ', '\uFEFFa')),
      ),
      bytes: optional(fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.constant(Buffer.of(0, 255)))),
      flag: optional(fc.boolean()),
      longs: optional(fc.array(long, { minLength: 1, maxLength: 3 })),
      int: optional(fc.integer()),
      long: optional(long),
      float: optional(fc.float()),
      double: optional(fc.double()),
      at: optional(fc.maxSafeInteger()),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (rows) => {
        expect(await read(await write(rows))).toEqual(
          (stored(rows) as Row[]).map((each) => {
            const { bytes } = each;
            return { ...each, bytes: bytes instanceof Uint8Array ? Uint8Array.from(bytes) : null };
          }),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('a file has bounds and numbers of nulls, with exact integers', async () => {
    const { path } = await write([
      { text: 'b', long: 2n ** 63n - 1n, int: 5, double: 0, float: Number.NaN },
      { text: 'Zoë', long: -5, int: null, double: 0.5 },
      { text: 'c', long: 2n ** 53n + 1n, int: -7, double: Infinity, float: 1 },
    ]);
    const boundsOf = async (name: string): Promise<unknown> => {
      const {
        min_value: min,
        max_value: max,
        null_count: nulls,
      } = (await columnOf(path, name))?.statistics ?? {};
      return [min, max, nulls];
    };
    expect(await boundsOf('text')).toEqual(['Zoë', 'c', 0n]);
    expect(await boundsOf('long')).toEqual([-5n, 2n ** 63n - 1n, 0n]);
    expect(await boundsOf('int')).toEqual([-7, 5, 1n]);
    expect(await boundsOf('double')).toEqual([-0, Infinity, 0n]);
    // DuckDB treats NaN as the greatest number, so bounds of the others would hide it.
    expect(await boundsOf('float')).toEqual([undefined, undefined, 1n]);
    expect(await boundsOf('at')).toEqual([undefined, undefined, 3n]);
  });

  test.each([
    ['one text', () => 'Oslo', ['PLAIN', 'RLE_DICTIONARY']],
    ['two texts', (n: number) => `t${n % 2}`, ['PLAIN', 'RLE_DICTIONARY']],
    ['hundreds of texts', (n: number) => `text ${(n * 7) % 900}`, ['PLAIN', 'RLE_DICTIONARY']],
    ['texts that hardly repeat', (n: number) => `text ${n % 4_000}`, ['PLAIN']],
    ['different texts', (n: number) => `text ${n}`, ['PLAIN']],
    ['different texts, then equal ones', (n: number) => `${Math.min(n, 3_000)}`, ['PLAIN']],
  ])('texts are stored once where that is smaller: %s', async (_what, textOf, encodings) => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({
      text: n % 3 === 0 ? null : textOf(n),
    }));
    const file = await write(rows);
    expect(await read(file)).toEqual(stored(rows));
    expect((await columnOf(file.path, 'text'))?.encodings).toEqual(encodings);
  });

  test('texts that were made to collide are not searched for each other', async () => {
    // FNV-1a, as the writer computes it.
    const hashOf = (text: string): number => {
      let hash = 0x811c9dc5;
      for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
      return hash ^ (hash >>> 15);
    };
    const colliding: string[] = [];
    for (let n = 0; colliding.length < 300; n += 1) {
      if ((hashOf(`text ${n}`) & 0x3ff) === 0) colliding.push(`text ${n}`);
    }
    const rows = Array.from({ length: 5_000 }, (_, n) => ({ text: colliding[n % 300] ?? '' }));
    const file = await write(rows);
    expect(await read(file)).toEqual(stored(rows));
    expect((await columnOf(file.path, 'text'))?.encodings).toEqual(['PLAIN']);
  });

  test('DuckDB reads every kind of page, and skips groups by their bounds', async () => {
    const rows = Array.from({ length: 70_000 }, (_, n) => ({
      // Pages of a mebibyte, of which the last row group has one.
      text: n % 5 === 0 ? null : `${n} ${'x'.repeat(n % 90)}`,
      bytes: Buffer.of(n % 200, 1),
      flag: n % 4 === 0 ? null : n % 2 === 0,
      int: n % 100 === 7 ? null : n - 35_000,
      long: n % 2 === 0 ? n * 5_000_000_000 : BigInt(n) * -5_000_000_000n,
      float: n / 8,
      double: -n / 16,
      at: 1_700_000_000_000 + n,
    }));
    const { path } = await write(rows);
    await using queries = await DuckDbEngine.open({
      tables: [{ name: 'rows', path, format: 'parquet' }],
      memoryMaxBytes: 256 * MiB,
      threads: 1,
      spillDirectory: join(directory, 'spill'),
      spillMaxBytes: 0,
      clock: systemClock,
    });
    const count = async (condition: string): Promise<number> => {
      const sql = `SELECT count(*) FROM rows WHERE ${condition}`;
      await using execution = await queries.execute({ sql }, { limits: { timeoutMs: 240_000 } });
      for await (const batch of execution.batches) return Number(batch.getChildAt(0)?.get(0));
      return -1;
    };
    const conditions: readonly (readonly [string, (row: (typeof rows)[number]) => boolean])[] = [
      ['true', () => true],
      ['text IS NULL', ({ text }) => text === null],
      [
        `text = '69999 ${'x'.repeat(69_999 % 90)}'`,
        ({ text }) => text?.startsWith('69999 ') === true,
      ],
      ["text LIKE '%xxx'", ({ text }) => text?.endsWith('xxx') === true],
      ["bytes = '\\xC7\\x01'::BLOB", ({ bytes }) => bytes[0] === 199],
      ['flag', ({ flag }) => flag === true],
      ['flag IS NULL', ({ flag }) => flag === null],
      ['int BETWEEN -3 AND 3', ({ int }) => int !== null && Math.abs(int) <= 3],
      ['int IS NULL', ({ int }) => int === null],
      ['long < -100000000000000', ({ long }) => long < -100_000_000_000_000],
      ['long > 0', ({ long }) => long > 0],
      ['float = 8749.875', ({ float }) => float === 8_749.875],
      ['double < -4374.9', ({ double }) => double < -4_374.9],
      ['epoch_ms("at") >= 1700000069990', ({ at }) => at >= 1_700_000_069_990],
    ];
    for (const [condition, isMet] of conditions) {
      expect([condition, await count(condition)]).toEqual([condition, rows.filter(isMet).length]);
    }
  });

  test.each<[string, Row]>([
    ['a text for a number', { int: 'x' }],
    ['an integer beyond 32 bits', { int: 2 ** 31 }],
    ['a fraction for an integer', { long: 1.5 }],
    ['an integer beyond 64 bits', { long: 2n ** 63n }],
    ['no time', { at: 'x' }],
  ])('values that a column cannot have are errors of rows: %s', async (_what, row) => {
    const error: unknown = await write([{ text: 'a' }, row]).catch((thrown: unknown) => thrown);
    expect(error instanceof RangeError || error instanceof TypeError).toBe(true);
  });
});
