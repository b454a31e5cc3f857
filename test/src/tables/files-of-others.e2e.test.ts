import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@quire/core';
import {
  createFileFinder,
  openFileRows,
  previewTable,
  type SourceRow,
  type TableSchema,
} from '@quire/tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, python } from '../testkit/toolchain.ts';

const run = promisify(execFile);

/** Writes the same rows with every library. */
const write = `
import sys, decimal, datetime as dt
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.ipc as ipc, pyarrow.feather as feather, polars as pl, duckdb
folder = sys.argv[1]
D = decimal.Decimal
money = lambda digits: pa.decimal128(digits, 2)
rows = pa.table({
    'price': pa.array([D('0.57'), None, D('-1.10')], money(9)),
    'total': pa.array([D('1234567890123456.78'), None, D('-0.01')], money(18)),
    'large': pa.array([D('123456789012345678901234567890.57'), None, D('-1.50')], money(38)),
    'prices': pa.array([[D('0.57'), None], None, []], pa.list_(money(20))),
    'sale': pa.array([{'price': D('0.29'), 'n': 1}, None, {'price': None, 'n': 2}], pa.struct([('price', money(20)), ('n', pa.int64())])),
    'bytes': pa.array([b'\\xff\\x00', None, b'ab'], pa.binary()),
    'two': pa.array([b'\\xff\\x00', None, b'ab'], pa.binary(2)),
    'word': pa.array(['x', None, '']),
    'at': pa.array([1700000000123456789, None, -1], pa.timestamp('ns')),
    'since': pa.array([1700000000123456, None, -1], pa.timestamp('us', 'UTC')),
    'often': pa.array([1700000000123456, None, -1], pa.timestamp('us')).dictionary_encode(),
    'day': pa.array([2932897, None, -719529], pa.date32()),
    'many': pa.array([[1, None], None, []], pa.large_list(pa.int64())),
})
maps = rows.append_column('byName', pa.array([[('a', D('0.57'))], None, []], pa.map_(pa.string(), money(20))))
maps = maps.append_column('byPrice', pa.array([[(D('0.57'), 1)], None, []], pa.map_(money(9), pa.int8())))
maps = maps.append_column('byBytes', pa.array([[(b'\\xff\\x00', 1)], None, []], pa.map_(pa.binary(), pa.int8())))
maps = maps.append_column('byDay', pa.array([[('a', dt.date(2024, 2, 29))], None, []], pa.map_(pa.string(), pa.date32())))
sales = pa.array([[{'prices': [D('0.57')]}], None, []], pa.list_(pa.struct([('prices', pa.list_(money(20)))])))
maps = maps.append_column('sales', sales)
pq.write_table(maps, f'{folder}/pyarrow.parquet')
pq.write_table(maps, f'{folder}/integers.parquet', store_decimal_as_integer=True, use_dictionary=False)
pq.write_table(maps, f'{folder}/lz4.parquet', compression='lz4')
for codec in ['lz4', 'zstd']:
    options = ipc.IpcWriteOptions(compression=codec)
    with ipc.new_file(f'{folder}/{codec}.arrow', maps.schema, options=options) as file: file.write_table(maps, max_chunksize=2)
    with ipc.new_stream(f'{folder}/{codec}.arrows', maps.schema, options=options) as file: file.write_table(maps)
with ipc.new_file(f'{folder}/pyarrow.arrow', maps.schema) as file: file.write_table(maps, max_chunksize=2)
with ipc.new_stream(f'{folder}/pyarrow.arrows', maps.schema) as file: file.write_table(maps)
with open(f'{folder}/pyarrow.arrow', 'rb') as file: whole = file.read()
with open(f'{folder}/cut.arrow', 'wb') as file: file.write(whole[:-1])
frame = pl.from_arrow(rows)
frame.write_parquet(f'{folder}/polars.parquet')
frame.write_ipc(f'{folder}/polars.arrow', compression='uncompressed')
frame.write_ipc(f'{folder}/polars-lz4.arrow', compression='lz4')
frame.write_ipc(f'{folder}/polars-zstd.arrow', compression='zstd')
frame.write_parquet(f'{folder}/polars-lz4.parquet', compression='lz4')
feather.write_feather(pa.table({'n': range(100_000), 'even': [n if n % 2 == 0 else None for n in range(100_000)], 'word': [f'word {n % 7}' for n in range(100_000)]}), f'{folder}/long.feather')
frame.write_ipc(f'{folder}/oldest.arrow', compression='uncompressed', compat_level=pl.CompatLevel.oldest())
duckdb.sql("""COPY (SELECT *, 'y'::ENUM('x', 'y') AS letter, '{"a":1}'::JSON AS json, INTERVAL 1 DAY AS lapse FROM maps)
    TO '%s/duckdb.parquet'""" % folder)
duckdb.sql(f"COPY maps TO '{folder}/duckdb-lz4.parquet' (COMPRESSION lz4_raw)")
`;

const files = [
  'pyarrow.parquet',
  'integers.parquet',
  'lz4.parquet',
  'pyarrow.arrow',
  'pyarrow.arrows',
  'lz4.arrow',
  'lz4.arrows',
  'zstd.arrow',
  'zstd.arrows',
  'polars.parquet',
  'polars-lz4.parquet',
  'polars.arrow',
  'polars-lz4.arrow',
  'polars-zstd.arrow',
  'oldest.arrow',
  'duckdb.parquet',
  'duckdb-lz4.parquet',
];

describeWithTool(python, 'Rows of files that other libraries wrote', (pythonPath) => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-others-'));
    await run(pythonPath, ['-c', write, folder]);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function rowsOf(name: string): Promise<readonly SourceRow[]> {
    const { signal } = new AbortController();
    const finder = createFileFinder({ paths: [folder], schemes: [] });
    const { files: found, problem } = await finder.find(name, signal);
    if (found[0] === undefined) throw new Error(`${name}: ${String(problem?.message)}`);
    return Array.fromAsync(openFileRows(found[0], { batchConfig: {}, rowBytesMax: 1e6, signal }));
  }

  test.each(files)('%s has the values that were written', async (name) => {
    const rows = await rowsOf(name);
    // Decimals of at most 15 digits in Parquet are numbers.
    const isNumber = name.endsWith('.parquet');
    expect(rows).toMatchObject([
      {
        price: isNumber ? 0.57 : '0.57',
        total: '1234567890123456.78',
        large: '123456789012345678901234567890.57',
        prices: ['0.57', null],
        sale: { price: '0.29', n: 1n },
        bytes: Uint8Array.of(255, 0),
        two: Uint8Array.of(255, 0),
        word: 'x',
        at: '2023-11-14 22:13:20.123456789',
        since: '2023-11-14 22:13:20.123456',
        often: '2023-11-14 22:13:20.123456',
        day: '+010000-01-01',
        many: [1n, null],
      },
      { price: null, total: null, large: null, prices: null, bytes: null, at: null, many: null },
      {
        price: isNumber ? -1.1 : '-1.10',
        total: '-0.01',
        large: '-1.50',
        prices: [],
        at: '1969-12-31 23:59:59.999999999',
        since: '1969-12-31 23:59:59.999999',
        day: '-000001-12-31',
        many: [],
      },
    ]);
    if (/polars|oldest/.test(name)) return;
    expect(rows).toMatchObject([
      {
        byName: { a: '0.57' },
        byPrice: { '0.57': 1 },
        byBytes: { ff00: 1 },
        byDay: { a: '2024-02-29' },
        sales: [{ prices: ['0.57'] }],
      },
      { byName: null, byPrice: null, byBytes: null, sales: null },
      { byName: {}, byPrice: {}, byBytes: {}, sales: [] },
    ]);
  });

  test.each(files)('%s has columns of decimals in the proposed schema', async (name) => {
    const finder = createFileFinder({ paths: [folder], schemes: [] });
    const { schema } = await previewTable({ sourceFiles: [name] }, { clock: systemClock, finder });
    const { metricFieldSpecs } = schema as TableSchema;
    const types = metricFieldSpecs?.map((column) => [column.name, column.dataType]);
    expect(types).toMatchObject([
      ['price', name.endsWith('.parquet') ? 'DOUBLE' : 'BIG_DECIMAL'],
      ['total', 'BIG_DECIMAL'],
      ['large', 'BIG_DECIMAL'],
    ]);
  });

  test('a long file that is compressed by default has every value', async () => {
    let count = 0;
    for (const { n, even, word } of await rowsOf('long.feather')) {
      if (n !== BigInt(count) || even !== (count % 2 === 0 ? n : null)) break;
      if (word !== `word ${count % 7}`) break;
      count += 1;
    }
    expect(count).toBe(100_000);
  });

  test('a file of Arrow without its last byte is refused, with its name', async () => {
    await expect(rowsOf('cut.arrow')).rejects.toThrow(
      'cut.arrow does not end with an Arrow footer: it is truncated',
    );
  });

  test('enums and JSON are text, and intervals are bytes', async () => {
    const [row] = await rowsOf('duckdb.parquet');
    expect(row).toMatchObject({
      letter: 'y',
      json: '{"a":1}',
      lapse: new Uint8Array(12).with(4, 1),
    });
  });
});
