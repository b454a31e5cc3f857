import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { type JsonValue, MiB, systemClock } from '@quire/core';
import type { PipelineRow } from '@quire/tables';
import { parquetMetadataAsync } from 'hyparquet';
import { asyncBufferFromFile } from 'hyparquet/src/node.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RowFile } from '../src/segments/manifest.ts';
import { readRowFile } from '../src/segments/read-row-file.ts';
import { RowFileWriter } from '../src/segments/row-file-writer.ts';
import { shapeOf } from '../src/segments/table-columns.ts';
import { flightsConfig, flightsSchema } from './test-server.ts';

let directory: string;
const shape = shapeOf(flightsConfig, flightsSchema);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-groups-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Rows of every type; some texts are longer than bounds may be. */
function rowsOf(first: number, count: number): readonly PipelineRow[] {
  return Array.from({ length: count }, (_, index) => {
    const n = first + index;
    const fields = {
      carrier:
        n % 7 === 0 ? 'a carrier whose name is long, and begins as others do' : `c${n % 100}`,
      tags: [`t${n % 5}`, 'x'],
      payload: `{"n":${n}}`,
      price: `${n}.25`,
      digest: Buffer.from([n % 256, 7]),
      late: n % 2 === 0,
      delay: n % 11 === 0 ? null : n - 9_000,
      distance: BigInt(n) * 3_000_000_000n,
      speed: n / 8,
      ts: 1_700_000_000_000 + n,
      landed: 1_700_000_000_000 + n,
    };
    return { sourceIndex: index, fields, nullFields: [] } as unknown as PipelineRow;
  });
}

async function write(name: string, rows: readonly PipelineRow[]): Promise<RowFile> {
  await using writer = await RowFileWriter.create(join(directory, name), name, shape);
  await writer.write(rows);
  return await writer.finish();
}

async function readAll(name: string, file: RowFile): Promise<readonly unknown[]> {
  const groups = await Array.fromAsync(readRowFile(join(directory, name), file, shape));
  return groups.flat().map(({ fields }) => fields);
}

test('groups that are taken over are the rows that they were, with the bounds that they had where these are exact', async () => {
  const parts = [rowsOf(0, 9_000), rowsOf(9_000, 8_200)] as const;
  const [first, second] = [await write('a.parquet', parts[0]), await write('b.parquet', parts[1])];
  const written = await write('written.parquet', parts.flat());
  await using writer = await RowFileWriter.create(
    join(directory, 'taken.parquet'),
    'taken.parquet',
    shape,
  );
  expect(await writer.appendFile(join(directory, 'a.parquet'), first)).toBe(true);
  expect(await writer.appendFile(join(directory, 'b.parquet'), second)).toBe(true);
  const taken = await writer.finish();
  const { file: _file, sizeBytes: _size, checksum: _sum, ...facts } = taken;
  expect(written).toMatchObject(facts);
  expect(await readAll('taken.parquet', taken)).toEqual(await readAll('written.parquet', written));

  const metadataOf = async (name: string) =>
    parquetMetadataAsync(await asyncBufferFromFile(join(directory, name)));
  const sources = [await metadataOf('a.parquet'), await metadataOf('b.parquet')].flatMap(
    (each) => each.row_groups,
  );
  const groups = (await metadataOf('taken.parquet')).row_groups;
  expect(groups).toHaveLength(2);
  for (const [index, group] of groups.entries()) {
    for (const [place, column] of group.columns.entries()) {
      const expected = sources[index]?.columns[place]?.meta_data?.statistics;
      const isExact =
        expected?.is_max_value_exact !== false && expected?.is_min_value_exact !== false;
      const unbounded = { null_count: expected?.null_count };
      expect(JSON.parse(JSON.stringify(column.meta_data?.statistics, plainly))).toEqual(
        JSON.parse(JSON.stringify(isExact ? expected : unbounded, plainly)),
      );
    }
  }
});

test('DuckDB finds the same rows in groups that were taken over, by every column', async () => {
  const parts = [rowsOf(0, 9_000), rowsOf(9_000, 8_200)] as const;
  const files = [await write('a.parquet', parts[0]), await write('b.parquet', parts[1])];
  await write('written.parquet', parts.flat());
  await using writer = await RowFileWriter.create(
    join(directory, 'taken.parquet'),
    'taken.parquet',
    shape,
  );
  for (const file of files) await writer.appendFile(join(directory, file.file), file);
  await writer.finish();
  await using queries = await DuckDbEngine.open({
    tables: (['taken', 'written'] as const).map((name) => ({
      name,
      path: join(directory, `${name}.parquet`),
      format: 'parquet',
    })),
    memoryMaxBytes: 256 * MiB,
    threads: 1,
    spillDirectory: join(directory, 'spill'),
    spillMaxBytes: 0,
    clock: systemClock,
  });
  const count = async (sql: string): Promise<number> => {
    await using execution = await queries.execute({ sql }, { limits: { timeoutMs: 240_000 } });
    for await (const batch of execution.batches) return Number(batch.getChildAt(0)?.get(0));
    return -1;
  };
  for (const where of [
    "carrier = 'a carrier whose name is long, and begins as others do'",
    "carrier > 'c98'",
    "price = '17199.25'",
    'late AND delay < -8000',
    'delay IS NULL',
    'distance >= 51000000000000',
    'speed = 1125',
    'ts BETWEEN 1700000008990 AND 1700000009010',
    "landed > TIMESTAMP '2023-11-14 22:13:29'",
    "list_contains(tags, 't4')",
  ]) {
    const [taken, written] = [
      await count(`SELECT count(*) FROM taken WHERE ${where}`),
      await count(`SELECT count(*) FROM written WHERE ${where}`),
    ];
    expect([where, taken]).toEqual([where, written]);
    expect(written).toBeGreaterThan(0);
  }
  expect(
    await count('SELECT count(*) FROM (SELECT * FROM taken EXCEPT ALL SELECT * FROM written)'),
  ).toBe(0);
});

test('small groups, and groups of other columns, are not taken over', async () => {
  const small = await write('small.parquet', rowsOf(0, 10));
  const large = await write('large.parquet', rowsOf(0, 9_000));
  const more = {
    ...flightsSchema,
    metricFieldSpecs: [
      { name: 'added', dataType: 'INT' },
      ...(flightsSchema['metricFieldSpecs'] as JsonValue[]),
    ],
  };
  await using writer = await RowFileWriter.create(join(directory, 'x.parquet'), 'x.parquet', shape);
  await using other = await RowFileWriter.create(
    join(directory, 'y.parquet'),
    'y.parquet',
    shapeOf(flightsConfig, more),
  );
  expect(await writer.appendFile(join(directory, 'small.parquet'), small)).toBe(false);
  expect(await other.appendFile(join(directory, 'large.parquet'), large)).toBe(false);
});

function plainly(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

test('a negative zero is kept beside zeros', async () => {
  const speeds = [0, -0, 0.5, ...Array.from({ length: 200 }, (_, index) => (index % 2 ? 0 : -0))];
  const rows = rowsOf(0, speeds.length).map((row, index) => ({
    ...row,
    fields: { ...row.fields, speed: speeds[index] ?? null },
  }));
  const read = await readAll('zeros.parquet', await write('zeros.parquet', rows));
  expect(read.map((fields) => (fields as { speed: unknown }).speed)).toEqual(speeds);
});
