import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MemoryObjectStore } from '@quire/core/memory';
import { type PageFormatName, ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { tableFromArrays, tableFromIPC } from 'apache-arrow';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, python } from '../testkit/toolchain.ts';

const script = join(import.meta.dirname, 'parquet_pages.py');

describeWithTool(python, 'pages in Parquet', (pythonPath) => {
  const run = (...args: readonly string[]) =>
    promisify(execFile)(pythonPath, [script, ...args], { env: { TZ: 'UTC' } });

  test('pages in Parquet have the values of the same pages in Arrow, in every type, for pyarrow, DuckDB and polars', async () => {
    await using directory = await temporaryDirectory();
    const pathOf = (name: string): string => join(directory.path, name);
    await run('rows', pathOf('rows.arrows'));
    const table = tableFromIPC(await readFile(pathOf('rows.arrows')));
    const results = new ResultStore({
      store: new MemoryObjectStore({ sizeMaxBytes: 1e8 }),
      brokerId: 'b',
      expirationMs: 1e9,
      expirationMaxMs: 1e9,
      batchSizeBytes: 256 * 1024,
    });
    const result = await results.create(
      { schema: table.schema, batches: ReadableStream.from(table.batches) },
      { owner: 'o' },
    );
    const pages = [
      { offset: 0, rowCount: 3000 },
      { offset: 777, rowCount: 1500 },
      { offset: 3000, rowCount: 10 },
    ];
    const paths: string[] = [];
    for (const [index, page] of pages.entries()) {
      for (const format of ['arrow', 'parquet'] satisfies PageFormatName[]) {
        const path = pathOf(`${index}.${format}`);
        await writeFile(path, await Array.fromAsync(result.page(page).encode(format)));
        paths.push(path);
      }
    }
    const { stdout } = await run('compare', ...paths);
    const counts = stdout
      .trim()
      .split('\n')
      .map((line) => Number.parseInt(line, 10));
    expect(counts).toEqual([3000, 1500, 0]);
  });

  test('readers that skip row groups by their bounds find each row of a page that was read from a file', async () => {
    await using directory = await temporaryDirectory();
    await using results = new ResultStore({
      store: await FileObjectStore.open({ root: join(directory.path, 'results') }),
      brokerId: 'b',
      expirationMs: 1e9,
      expirationMaxMs: 1e9,
    });
    const keyOf = (row: number): string => `key-${String(row).padStart(8, '0')}`.padEnd(60, '.');
    const rowCount = 150_000;
    const table = tableFromArrays({
      key: Array.from({ length: rowCount }, (_, row) => keyOf(row)),
    });
    const result = await results.create(
      { schema: table.schema, batches: ReadableStream.from(table.batches) },
      { owner: 'o' },
    );
    const path = join(directory.path, 'page.parquet');
    const page = result.page({ offset: 0, rowCount });
    await writeFile(path, page.encode('parquet', { isDoneWithChunks: true }));
    const keys = Array.from({ length: 30 }, (_, index) => keyOf(index * 5000));
    const { stdout } = await run('find', path, ...keys);
    expect(stdout.trim().split('\n')).toEqual(keys.map(() => '1 1 1'));
  });
});
