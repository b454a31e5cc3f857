import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let directory: string;
let db: TestEngine;
const copiedAtSeconds = 1_577_836_800;
/** The bytes of a Parquet file as it was written. */
let parquet: Buffer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-damaged-'));
  const connection = await duckdb.connect(await duckdb.open());
  const rows = `SELECT range AS n, md5(range::VARCHAR) AS t FROM range(20000)`;
  const copies: Readonly<Record<string, string>> = {
    'whole.parquet': 'COMPRESSION zstd',
    'lines.csv': 'HEADER',
    'objects.json': '',
    'packed.csv.gz': 'HEADER, COMPRESSION gzip',
  };
  for (const [name, options] of Object.entries(copies)) {
    await duckdb.query(
      connection,
      `COPY (${rows}) TO '${join(directory, name)}'${options === '' ? '' : ` (${options})`}`,
    );
  }
  parquet = await readFile(join(directory, 'whole.parquet'));
  const kinds = ['cut', 'emptied', 'scrambled', 'broken-page', 'broken-footer', 'gone'];
  for (const kind of kinds) {
    await mkdir(join(directory, kind));
    for (const part of ['one', 'two']) {
      const path = join(directory, kind, `${part}.parquet`);
      await copyFile(join(directory, 'whole.parquet'), path);
      // DuckDB keeps the footer that it read when the table was opened while the file's time, in
      // seconds, is the same.
      await utimes(path, copiedAtSeconds, copiedAtSeconds);
    }
  }
  db = await TestEngine.open({
    tables: [
      ...kinds.map((kind) => ({
        name: `t_${kind.replace('-', '_')}`,
        path: join(directory, kind, '*.parquet'),
      })),
      { name: 'lines', path: join(directory, 'lines.csv') },
      { name: 'objects', path: join(directory, 'objects.json') },
      { name: 'packed', path: join(directory, 'packed.csv.gz') },
    ].map((table) => ({ ...table, format: 'auto' })),
  });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Returns the bytes with 64 of them inverted. */
function inverted(bytes: Buffer, start: number): Buffer {
  return bytes.map((byte, index) =>
    index >= start && index < start + 64 ? byte ^ 0xff : byte,
  ) as Buffer;
}

/** A kind of damage, and the error of a query of the table. */
const damages: Readonly<
  Record<
    string,
    readonly [table: string, file: string, damage: () => Buffer | string | undefined, named: string]
  >
> = {
  'was cut': [
    't_cut',
    'cut/two.parquet',
    () => parquet.subarray(0, 1000),
    'two.parquet of table t_cut',
  ],
  'was emptied': ['t_emptied', 'emptied/two.parquet', () => '', 'two.parquet of table t_emptied'],
  'has other bytes where its rows begin': [
    't_scrambled',
    'scrambled/two.parquet',
    () => inverted(parquet, 30),
    'two.parquet of table t_scrambled',
  ],
  'has no page at its beginning': [
    't_broken_page',
    'broken-page/two.parquet',
    () => inverted(parquet, 4),
    'A file of table t_broken_page may be damaged',
  ],
  'has other bytes in its footer': [
    't_broken_footer',
    'broken-footer/two.parquet',
    () => inverted(parquet, parquet.length - 8 - parquet.readUInt32LE(parquet.length - 8)),
    'A file of table t_broken_footer may be damaged',
  ],
  'is gone': [
    't_gone',
    'gone/two.parquet',
    () => undefined,
    'The file two.parquet of table t_gone no longer exists.',
  ],
  'has a text for a number': [
    'lines',
    'lines.csv',
    () => 'n,t\nhello,x\n',
    'lines.csv of table lines',
  ],
  'ends within an object': [
    'objects',
    'objects.json',
    () => '{"n":1,"t":"x"}\n{"n":',
    'objects.json of table objects',
  ],
  'is not compressed any more': [
    'packed',
    'packed.csv.gz',
    () => 'n,t\n1,x\n',
    'packed.csv.gz of table packed',
  ],
};

describe('a query of a file that', () => {
  test.each(Object.entries(damages))(
    'a query of a file that %s fails with the names of table and file, and none of a directory',
    async (_, of) => {
      const [table, file, damage, named] = of;
      const bytes = damage();
      if (bytes === undefined) await rm(join(directory, file));
      else await writeFile(join(directory, file), bytes);
      for (const sql of [`SELECT sum(n), max(t) FROM ${table}`, `SELECT * FROM ${table}`]) {
        const error = await db.failure(sql);
        expect([error.code, error.message.includes(named) ? named : error.message]).toEqual([
          'QUERY_FAILED',
          named,
        ]);
        expect(error.message).not.toContain(directory);
      }
    },
  );
});
