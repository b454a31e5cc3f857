import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readObject } from '@quire/core';
import { type Compression, ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ExactQueries, openExactQueries } from '../testkit/builders/exact-query.ts';
import { describeWithTool, python } from '../testkit/toolchain.ts';

/** A column of each type that strangers should understand, with a null now and then. */
const columns: readonly [name: string, sql: string, arrowType: string][] = [
  ['tiny', 'r::TINYINT', 'int8'],
  ['big', 'r * 9007199254740993', 'int64'],
  ['unsigned', '(r * 1000000007)::UBIGINT', 'uint64'],
  ['huge', 'r::HUGEINT * 10000000000000000000000000000', 'decimal128(38, 0)'],
  ['money', '(r * 1.25)::DECIMAL(18, 2)', 'decimal128(18, 2)'],
  ['single', '(r / 8)::FLOAT', 'float'],
  ['double', 'r / 3.0', 'double'],
  ['flag', 'r % 3 = 0', 'bool'],
  ['day', "DATE '1969-12-01' + r::INTEGER", 'date32[day]'],
  ['clock', "TIME '00:00:00' + to_microseconds(r * 700001)", 'time64[us]'],
  ['moment', "TIMESTAMP '1969-12-31' + to_microseconds(r * 86400000001)", 'timestamp[us]'],
  ['nanos', "(TIMESTAMP '2024-01-01' + to_seconds(r))::TIMESTAMP_NS", 'timestamp[ns]'],
  ['zoned', "TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_seconds(r)", 'timestamp[us, tz=UTC]'],
  ['text', "repeat('é\"', (r % 9)::INTEGER) || r", 'string'],
  ['bytes', "('b' || r)::BLOB", 'binary'],
  ['list', '[r, NULL, r + 1]', 'list<item: int64>'],
  ['struct', "{'a': r, 'b': 'x' || r}", 'struct<a: int64, b: string>'],
];
const values = columns
  .map(([name, sql]) => `CASE WHEN r % 11 <> 5 THEN ${sql} END AS "${name}"`)
  .join(', ');
const query = `SELECT ${values} FROM range(120) t(r)`;

describeWithTool(python, 'pyarrow, polars and DuckDB read the data file', (pythonPath) => {
  let queries: ExactQueries;
  let folder: string;
  beforeAll(async () => {
    queries = await openExactQueries();
    folder = await mkdtemp(join(tmpdir(), 'quire-readers-'));
  });
  afterAll(async () => {
    await queries[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test.each<Compression>(['none', 'zstd', 'lz4'])(
    'pyarrow, polars and DuckDB read the data file with buffers compressed by %s',
    async (compression) => {
      await using store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
      const results = new ResultStore({
        store,
        brokerId: 'b',
        expirationMs: 1e9,
        expirationMaxMs: 1e9,
        compression,
        batchSizeBytes: 2000,
      });
      const { entry } = await results.create(await queries.source(query), { owner: 'o' });
      const path = join(folder, `${compression}.arrow`);
      await writeFile(path, await readObject(store, entry.dataKey));

      const script = join(import.meta.dirname, 'read_with_strangers.py');
      const { stdout } = await promisify(execFile)(pythonPath, [script, path], {
        env: { TZ: 'UTC' },
        maxBuffer: 1e8,
      });
      const read = JSON.parse(stdout) as {
        rows: (string | null)[][];
        types: string[];
        batchRowCounts: number[];
        polarsHeight: number;
        polarsNullCounts: number[];
        nullCounts: number[];
      };
      expect(read.rows).toEqual(
        await queries.reference(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${query})`),
      );
      expect(read.types).toEqual(columns.map(([, , arrowType]) => arrowType));
      expect(new Set(read.batchRowCounts.slice(0, -1)).size).toBe(1);
      expect(read.batchRowCounts.length).toBeGreaterThan(2);
      expect(read.polarsHeight).toBe(120);
      expect(read.polarsNullCounts).toEqual(read.nullCounts);
    },
  );
});
