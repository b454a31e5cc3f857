import { join } from 'node:path';
import type { ObjectStore } from '@quire/core';
import {
  type Compression,
  columnDataTypes,
  type PageFormatName,
  type Result,
  ResultStore,
} from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { MemoryObjectStore } from '@quire/core/memory';
import { DataType, tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allKinds,
  batchesOf,
  jsonCells,
  longTable,
  type ModelTable,
  modelTables,
  schemaOf,
} from '../testkit/builders/model-table.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';

const page = fc.record({ offset: fc.nat(200), rowCount: fc.integer({ min: 1, max: 200 }) });

interface Layout {
  readonly compression: Compression;
  readonly batchSizeBytes: number;
}

const layout = fc.record<Layout>({
  compression: fc.constantFrom('none', 'zstd', 'lz4'),
  // So small that most tables have several batches, of different lengths with the smallest.
  batchSizeBytes: fc.constantFrom(2, 64),
});

async function withResult(
  store: ObjectStore,
  table: ModelTable,
  stored: Layout,
  use: (result: Result) => Promise<void>,
): Promise<void> {
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    ...stored,
  });
  const result = await results.create(
    { schema: schemaOf(table), batches: batchesOf(table) },
    { owner: 'o' },
  );
  // A second store has nothing cached: it finds, reads and decodes everything again.
  const reopened = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
  });
  await use(await reopened.open(result.entry.requestId));
}

async function text(
  result: Result,
  offset: number,
  rowCount: number,
  format: PageFormatName,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of result.page({ offset, rowCount }).encode(format)) chunks.push(chunk);
  return Buffer.concat(chunks).toString(format === 'arrow' ? 'latin1' : 'utf8');
}

async function expectSlices(openEmpty: () => Promise<ObjectStore>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(modelTables, page, layout, async (table, { offset, rowCount }, stored) => {
      fc.pre(offset <= table.rows.length);
      await using store = await openEmpty();
      await withResult(store, table, stored, async (result) => {
        const cells = table.rows
          .slice(offset, offset + rowCount)
          .map((row) => jsonCells(table, row));
        expect(await text(result, offset, rowCount, 'json')).toBe(
          `[${cells.map((row) => `[${row.join(',')}]`).join(',')}]`,
        );
        const lines = cells.map(
          (row) => `{${row.map((cell, index) => `"c${index}":${cell}`).join(',')}}\n`,
        );
        expect(await text(result, offset, rowCount, 'ndjson')).toBe(lines.join(''));
        expect(columnDataTypes(result.schema)).toEqual(
          table.kinds.map(({ columnDataType }) => columnDataType),
        );
      });
    }),
    { numRuns },
  );
}

// In S3 and GCS as well: test/src/results/remote-results.faults.test.ts.
test('a page is the slice of the rows that went in, in JSON and NDJSON', async () => {
  await expectSlices(async () => new MemoryObjectStore({ sizeMaxBytes: 1e9 }), 200);
});

test('a page is the slice of the rows that went in, in files', async () => {
  await using directory = await temporaryDirectory();
  let count = 0;
  await expectSlices(
    () => FileObjectStore.open({ root: join(directory.path, String((count += 1))) }),
    50,
  );
});

test.each(allKinds.map((kind, index) => [`${index}: ${kind.columnDataType}`, kind] as const))(
  'rows of kind %s are the same at every place of a block',
  async (_name, kind) => {
    const table = longTable(kind, 700, 42);
    await using store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
    const results = new ResultStore({
      store,
      brokerId: 'b',
      expirationMs: 1e9,
      expirationMaxMs: 1e9,
    });
    const result = await results.create(
      { schema: schemaOf(table), batches: batchesOf(table) },
      { owner: 'o' },
    );
    for (const [start, end] of [
      [0, 700],
      [255, 257],
      [100, 613],
    ] as const) {
      const rows = table.rows
        .slice(start, end)
        .map((row) => `[${jsonCells(table, row).join(',')}]`);
      expect(await text(result, start, end - start, 'json')).toBe(`[${rows.join(',')}]`);
    }
  },
);

test('a page is the slice of the rows that went in, in Arrow and CSV', async () => {
  await fc.assert(
    fc.asyncProperty(modelTables, page, layout, async (table, { offset, rowCount }, stored) => {
      fc.pre(offset <= table.rows.length);
      await using store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
      await withResult(store, table, stored, async (result) => {
        const rows = table.rows.slice(offset, offset + rowCount);
        const stream = Buffer.from(await text(result, offset, rowCount, 'arrow'), 'latin1');
        // The same rows, stored as a result of their own, must give the same JSON when they went
        // through an Arrow page.
        const arrow = tableFromIPC(stream);
        expect(arrow.numRows).toBe(rows.length);
        await using again = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
        const copies = new ResultStore({
          store: again,
          brokerId: 'b',
          expirationMs: 1e9,
          expirationMaxMs: 1e9,
        });
        const copy = await copies.create(
          { schema: arrow.schema, batches: iterate(arrow.batches) },
          { owner: 'o' },
        );
        expect(await text(copy, 0, 1000, 'json')).toBe(
          await text(result, offset, rowCount, 'json'),
        );

        const fields = parseCsv(await text(result, offset, rowCount, 'csv'));
        expect(fields[0]).toEqual(table.kinds.map((_, index) => `c${index}`));
        expect(fields.slice(1)).toEqual(
          rows.map((row) => csvFields(table, row, result.schema.fields[0]?.type)),
        );
      });
    }),
    { numRuns: 200 },
  );
});

test('walks forward and back, with another page size each time, cover the result', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(modelTables, layout, sizes, async (table, stored, rowCounts) => {
      await using store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
      await withResult(store, table, stored, async (result) => {
        const all = JSON.parse(await text(result, 0, 1e6, 'json')) as unknown[];
        const forward: unknown[] = [];
        for (let step = 0; forward.length < all.length; step += 1) {
          const rows = JSON.parse(
            await text(result, forward.length, rowCounts[step % rowCounts.length] ?? 1, 'json'),
          ) as unknown[];
          expect(rows.length).toBeGreaterThan(0);
          forward.push(...rows);
        }
        const backward: unknown[] = [];
        for (let step = 0; backward.length < all.length; step += 1) {
          const end = all.length - backward.length;
          const offset = Math.max(0, end - (rowCounts[step % rowCounts.length] ?? 1));
          backward.unshift(
            ...(JSON.parse(await text(result, offset, end - offset, 'json')) as unknown[]),
          );
        }
        expect(forward).toEqual(all);
        expect(backward).toEqual(all);
      });
    }),
    { numRuns: 100 },
  );
});

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** The CSV fields that a row should have: a null is nothing, everything else its text. */
function csvFields(
  table: ModelTable,
  row: readonly unknown[],
  firstType?: DataType,
): (string | null)[] {
  const fields = table.kinds.map(({ columnDataType }, column) => {
    const cell = jsonCells(table, row)[column] ?? '';
    if (cell === 'null') return null;
    const isNested = columnDataType.endsWith('_ARRAY') || columnDataType === 'MAP';
    return isNested || !cell.startsWith('"') ? cell : (JSON.parse(cell) as string);
  });
  // A line of one null alone would be empty, which readers skip: it is written as empty text, or as
  // \N where that is a value.
  const mayBeEmpty =
    DataType.isUtf8(firstType) || DataType.isLargeUtf8(firstType) || DataType.isBinary(firstType);
  return fields.length === 1 && fields[0] === null ? [mayBeEmpty ? '\\N' : ''] : fields;
}

/** Reads CSV (RFC 4180); an empty field without quotes is null. */
function parseCsv(csv: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  for (let position = 0; position < csv.length;) {
    let field: string | null;
    if (csv[position] === '"') {
      const match = /"((?:[^"]|"")*)"/y;
      match.lastIndex = position;
      const found = match.exec(csv);
      if (found === null) throw new Error(`Unclosed quote at ${position}`);
      field = (found[1] ?? '').replaceAll('""', '"');
      position = match.lastIndex;
    } else {
      const end = csv.slice(position).search(/[,\n]/) + position;
      field = end === position ? null : csv.slice(position, end);
      position = end;
    }
    record.push(field);
    if (csv[position] === '\n') {
      records.push(record);
      record = [];
    } else if (csv[position + 1] === '\n') {
      record.push(null);
      records.push(record);
      record = [];
      position += 1;
    }
    position += 1;
  }
  return records;
}
