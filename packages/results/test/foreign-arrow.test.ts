import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryObjectStore } from '@quire/core/memory';
import * as ownArrow from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyOfArrow } from '../../../test/src/testkit/builders/copy-of-arrow.ts';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { arrowVersions, describeWithTool } from '../../../test/src/testkit/toolchain.ts';
import { ResultStore } from '../src/index.ts';

type Arrow = typeof ownArrow;

const hourMs = 3_600_000;
const require = createRequire(import.meta.url);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-arrow-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Returns rows of most kinds of columns, with nulls, in two batches that are slices of larger ones.
 */
function rowsOf(arrow: Arrow): {
  readonly schema: ownArrow.Schema;
  readonly batches: readonly ownArrow.RecordBatch[];
} {
  const { Field, vectorFromArray } = arrow;
  const optional = (name: string, type: ownArrow.DataType): ownArrow.Field =>
    new Field(name, type, true);
  const entries = new Field(
    'entries',
    new arrow.Struct([
      new Field('key', new arrow.Utf8(), false),
      optional('value', new arrow.Int32()),
    ]),
    false,
  );
  // No dates before 1970: the builders of version 14 store wrong milliseconds for them.
  const days = [new Date('2024-02-29'), null, new Date('1970-01-02'), new Date('2038-01-19')];
  const columns: [string, ownArrow.DataType, readonly unknown[]][] = [
    ['int8', new arrow.Int8(), [1, null, -128, 127]],
    ['uint32', new arrow.Uint32(), [1, null, 2 ** 32 - 1, 0]],
    ['int64', new arrow.Int64(), [1n, null, -(2n ** 63n), 2n ** 63n - 1n]],
    ['float32', new arrow.Float32(), [1.5, null, -0.25, 1e10]],
    ['float64', new arrow.Float64(), [1.1, null, Number.NaN, -1e300]],
    ['bool', new arrow.Bool(), [true, null, false, true]],
    ['utf8', new arrow.Utf8(), ['a', null, '', 'größer "\n']],
    [
      'dictionary',
      new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()),
      ['red', null, 'blue', 'red'],
    ],
    [
      'binary',
      new arrow.Binary(),
      [Uint8Array.of(1, 2), null, new Uint8Array(0), Uint8Array.of(255)],
    ],
    [
      'fixedBinary',
      new arrow.FixedSizeBinary(2),
      [Uint8Array.of(1, 2), null, Uint8Array.of(0, 0), Uint8Array.of(255, 1)],
    ],
    [
      'decimal',
      new arrow.Decimal(2, 38, 128),
      [
        Uint32Array.of(12_345, 0, 0, 0),
        null,
        new Uint32Array(4).fill(2 ** 32 - 1),
        new Uint32Array(4),
      ],
    ],
    ['date', new arrow.DateDay(), days],
    ['dateMs', new arrow.DateMillisecond(), days],
    ['timestampMs', new arrow.TimestampMillisecond(), [1_700_000_000_123, null, 1, 0]],
    ['timestampUtc', new arrow.TimestampMicrosecond('UTC'), [1_700_000_000_123, null, 5, 0]],
    ['time', new arrow.TimeSecond(), [1, null, 86_399, 0]],
    ['list', new arrow.List(optional('item', new arrow.Int32())), [[1, null, 3], null, [], [4]]],
    [
      'fixedList',
      new arrow.FixedSizeList(2, optional('item', new arrow.Utf8())),
      [['a', 'b'], null, ['', null], ['c', 'd']],
    ],
    [
      'struct',
      new arrow.Struct([optional('n', new arrow.Int32()), optional('s', new arrow.Utf8())]),
      [{ n: 1, s: 'x' }, null, { n: null, s: '' }, { n: 4, s: null }],
    ],
    [
      'map',
      new arrow.Map_(entries as never),
      [
        new Map([['a', 1]]),
        null,
        new Map(),
        new Map([
          ['b', null],
          ['c', 3],
        ]),
      ],
    ],
    ['null', new arrow.Null(), [null, null, null, null]],
  ];
  const vectors = columns.map(
    ([name, type, values]) =>
      [name, vectorFromArray([...values, ...values, values[0]], type)] as const,
  );
  const table = new arrow.Table(Object.fromEntries(vectors) as never);
  const { batches } = table.slice(1, 6).concat(table.slice(2, 9) as never);
  // Version 14 does not declare the columns of a table as nullable.
  return { schema: new arrow.Schema(columns.map(([name, type]) => optional(name, type))), batches };
}

async function pagesOf(arrow: Arrow): Promise<Record<'json' | 'csv' | 'ndjson', string>> {
  await using results = new ResultStore({
    store: new MemoryObjectStore({ sizeMaxBytes: 1e7 }),
    brokerId: 'b',
    expirationMs: hourMs,
    expirationMaxMs: hourMs,
    cacheBytesMax: 0,
    batchSizeBytes: 1024,
  });
  const { schema, batches } = rowsOf(arrow);
  const { entry } = await results.create(
    { schema, batches: ReadableStream.from(batches) },
    { owner: 'o' },
  );
  const result = await results.open(entry.requestId);
  const chunks = await Array.fromAsync(result.page({ offset: 0, rowCount: 100 }).encode('arrow'));
  expect(ownArrow.tableFromIPC(Buffer.concat(chunks)).numRows).toBe(12);
  return {
    json: await pageText(result, 0, 100),
    csv: await pageText(result, 3, 5, 'csv'),
    ndjson: await pageText(result, 3, 5, 'ndjson'),
  };
}

test('a result made with our copy of apache-arrow holds what it was given', async () => {
  const [row] = (await pagesOf(ownArrow)).ndjson.split('\n');
  expect(row).toContain(
    '{"int8":1,"uint32":1,"int64":1,"float32":1.5,"float64":1.1,"bool":true,"utf8":"a","dictionary":"red",',
  );
});

describe('a result made with another copy of apache-arrow holds the same', () => {
  test('our version, required instead of imported', async () => {
    expect(await pagesOf(require('apache-arrow') as Arrow)).toEqual(await pagesOf(ownArrow));
  });

  test('our version, installed a second time', async () => {
    const path = copyOfArrow(folder);
    expect(await pagesOf((await import(pathToFileURL(path).href)) as Arrow)).toEqual(
      await pagesOf(ownArrow),
    );
  });
});

describeWithTool(
  arrowVersions,
  'a result made with another version of apache-arrow holds the same',
  (modules) => {
    const all = readdirSync(modules).filter((name) => name.startsWith('apache-arrow-'));
    const names =
      process.env['QUIRE_ARROW_VERSIONS'] === 'all'
        ? all
        : all.filter((name) => /-(14|20)\./u.test(name));

    test.each(names)(
      'a result made with another version of apache-arrow holds the same: %s, imported',
      async (name) => {
        expect(
          await pagesOf(
            (await import(pathToFileURL(join(modules, name, 'Arrow.node.mjs')).href)) as Arrow,
          ),
        ).toEqual(await pagesOf(ownArrow));
      },
    );

    test.each(names)(
      'a result made with another version of apache-arrow holds the same: %s, required',
      async (name) => {
        expect(await pagesOf(require(join(modules, name)) as Arrow)).toEqual(
          await pagesOf(ownArrow),
        );
      },
    );
  },
);
