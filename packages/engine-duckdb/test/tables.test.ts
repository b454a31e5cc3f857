import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import duckdb from '@duckdb/node-bindings';
import { isQuireError } from '@quire/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TableSource } from '../src/index.ts';
import { type Answer, TestEngine } from './test-engine.ts';

const samples = fileURLToPath(new URL('../../../node_modules/vega-datasets/data', import.meta.url));

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-tables-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function writeParquet(name: string, sql: string): Promise<void> {
  const path = await write(name, '');
  const database = await duckdb.open(':memory:', duckdb.create_config());
  const connection = await duckdb.connect(database);
  await duckdb.query(connection, `COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
}

async function readTable(path: string, options: Partial<TableSource> = {}): Promise<Answer> {
  await using db = await TestEngine.open({
    tables: [{ name: 't', path, format: 'auto', ...options }],
  });
  return await db.answer('FROM t');
}

/** Returns sorted rows, because the files of a glob may be read in any order. */
function sorted(answer: Answer): unknown[] {
  return answer.rows().toSorted(([left], [right]) => Number(left) - Number(right));
}

async function openFailure(...tables: TableSource[]): Promise<string> {
  try {
    await using _db = await TestEngine.open({ tables });
  } catch (error) {
    if (isQuireError(error, 'INVALID_SETTING')) return error.message;
    throw error;
  }
  throw new Error('This must fail.');
}

describe('a table', () => {
  test('a table of Parquet has the types of the file', async () => {
    await using db = await TestEngine.open({
      tables: [{ name: 'flights', path: join(samples, 'flights-3m.parquet'), format: 'auto' }],
    });
    const answer = await db.answer('SELECT * FROM flights ORDER BY ALL LIMIT 1');

    expect(answer.columns).toEqual([
      'date: Timestamp<MICROSECOND>',
      'delay: Int64',
      'distance: Int64',
      'origin: Utf8',
      'destination: Utf8',
    ]);
    expect(answer.rows()).toEqual([['2001-01-01 00:01:00', '-13', '2345', 'ANC', 'LAX']]);
  });

  test('a table of CSV has types that all rows fit, far down as well', async () => {
    const lines = Array.from({ length: 50_000 }, (_, row) => `${row},2024-01-01,x`);
    const path = await write('late.csv', `a,b,c\n${lines.join('\n')}\n1.5,2024-01-02,y\n`);
    const answer = await readTable(path);

    expect(answer.columns).toEqual(['a: Float64', 'b: Date32<DAY>', 'c: Utf8']);
    expect(answer.rowCount).toBe(50_001);
  });

  test.each([
    ['semicolons.csv', 'a;b\n1;"x;y"\n', [['1', 'x;y']]],
    ['tabs.tsv', 'a\tb\n1\tx\n', [['1', 'x']]],
    [
      'quoted.csv',
      `a,b\n1,"line\nbreak ""quoted"""\n2,it's\n`,
      [
        ['1', 'line\nbreak "quoted"'],
        ['2', `it's`],
      ],
    ],
    ['single quotes.csv', `a,it's "b"\n1,x\n`, [['1', 'x']]],
    ['bom.csv', '\uFEFFa,b\n1,x\n', [['1', 'x']]],
    [
      'dates.csv',
      'a,b\n1,31/12/2024\n2,13/01/2024\n',
      [
        ['1', '2024-12-31'],
        ['2', '2024-01-13'],
      ],
    ],
    ['nothing.csv', 'a,b\n', []],
  ])('a table of CSV may be written as in %s', async (name, content, rows) => {
    expect((await readTable(await write(name, content))).rows()).toEqual(rows);
  });

  test('a table of CSV or JSON may be compressed', async () => {
    const csv = await readTable(await write('a.csv.gz', gzipSync('a,b\n1,x\n')));
    const json = await readTable(await write('a.json.gz', gzipSync('[{"a": 1, "b": "x"}]')));

    expect(csv.rows()).toEqual([['1', 'x']]);
    expect(json.rows()).toEqual([['1', 'x']]);
  });

  test.each([
    [
      'array.json',
      '[{"a": 1, "b": {"c": [1, null]}}, {"a": -1}]',
      ['a: Int64', 'b: Struct<{c:List<Int64>}>'],
      [
        ['1', { c: ['1', null] }],
        ['-1', null],
      ],
    ],
    ['lines.ndjson', '{"a": 1}\n{"a": "x"}\n', ['a: Utf8'], [['1'], ['"x"']]],
    [
      'huge.jsonl',
      '{"a": 99999999999999999999}\n{"a": -1}\n',
      ['a: Float64'],
      [['100000000000000000000'], ['-1']],
    ],
    [
      'unsigned.jsonl',
      '{"a": 18446744073709551615}\n{"a": -1}\n',
      ['a: Decimal[38e0]'],
      [['18446744073709551615'], ['-1']],
    ],
    [
      'dates.jsonl',
      '{"a": "2024-01-31", "b": "31/12/2024 10:00:00"}\n',
      ['a: Date32<DAY>', 'b: Utf8'],
      [['2024-01-31', '31/12/2024 10:00:00']],
    ],
    ['mixed.json', '{"a": [1, "x"]}', ['a: List<Utf8>'], [[['1', '"x"']]]],
  ])('a table of JSON may be written as in %s', async (name, content, columns, rows) => {
    const answer = await readTable(await write(name, content));

    expect(answer.columns).toEqual(columns);
    expect(answer.rows()).toEqual(rows);
  });

  test('a table may be a glob of files, whose columns are found by name', async () => {
    await write('parts/1.csv', 'a,b\n1,x\n');
    await write('parts/2.csv', 'b,a\ny,2.5\n');
    await write('parts/3.csv', 'a\n3\n');
    await write('parts/other.txt', 'no table');
    const answer = await readTable(join(directory, 'parts', '*.csv'));

    expect(answer.columns).toEqual(['a: Float64', 'b: Utf8']);
    expect(sorted(answer)).toEqual([
      ['1', 'x'],
      ['2.5', 'y'],
      ['3', null],
    ]);
  });

  test('a table may be a glob of Parquet files, whose columns are found by name', async () => {
    await writeParquet('parts/1.parquet', `SELECT 1 AS a, 'x' AS b`);
    await writeParquet('parts/2.parquet', `SELECT 'y' AS b, 2 AS a`);
    await writeParquet('parts/3.parquet', `SELECT 3 AS a`);
    const answer = await readTable(join(directory, 'parts', '*.parquet'));

    expect(answer.columns).toEqual(['a: Int32', 'b: Utf8']);
    expect(sorted(answer)).toEqual([
      ['1', 'x'],
      ['2', 'y'],
      ['3', null],
    ]);
  });

  test('a table may have any name and any extension, if its format is given', async () => {
    const path = await write(`it's a "table".data`, 'a\n1\n');
    await using db = await TestEngine.open({
      tables: [{ name: `My "Table"; --`, path, format: 'csv' }],
    });
    const answer = await db.answer(`FROM "my ""table""; --"`);

    expect(answer.rows()).toEqual([['1']]);
  });

  test.each(['duckdb', 'pinot'] as const)(
    'a table is found in any case of its ASCII letters, as DuckDB compares names, in the dialect %s',
    async (dialect) => {
      const path = await write('t.csv', 'n\n1\n');
      await using db = await TestEngine.open({ tables: [{ name: 'Été', path, format: 'auto' }] });
      db.dialect = dialect;
      for (const name of ['Été', 'ÉTé']) {
        expect((await db.answer(`SELECT n FROM "${name}"`)).rows()).toEqual([['1']]);
      }
      expect((await db.failure('SELECT n FROM "été"')).code).toBe('TABLE_NOT_FOUND');
    },
  );

  test('a table stays as it was opened when a file comes to its directory', async () => {
    const path = await write('a.csv', 'a\n1\n');
    await using db = await TestEngine.open({
      tables: [{ name: 't', path: join(dirname(path), '*.csv'), format: 'auto' }],
    });
    await write('b.csv', 'a\n2\n');

    expect((await db.answer('FROM t')).rows()).toEqual([['1']]);
  });

  test.each([
    'airports.csv',
    'unemployment.tsv',
    'flights-10k.json',
    'stocks.csv',
    'movies.json',
    'us-10m.json',
    'earthquakes.json',
  ])('a table can be the sample %s', async (name) => {
    expect((await readTable(join(samples, name))).rowCount).toBeGreaterThan(0);
  });
});

describe('opening fails, and names what is wrong,', () => {
  const csv = (
    name: string,
    path: string,
    format: TableSource['format'] = 'auto',
  ): TableSource => ({ name, path, format });

  test('opening fails, and names what is wrong, when nothing is there', async () => {
    expect(await openFailure(csv('t', '/nosuch/file.csv'))).toBe(
      `Table 't' cannot be read from /nosuch/file.csv: no file exists there.`,
    );
    expect(await openFailure(csv('t', '/nosuch/*.parquet'))).toContain(
      '/nosuch/*.parquet: no file exists there',
    );
    expect(await openFailure(csv('t', directory))).toContain(directory);
  });

  test('opening fails, and names what is wrong, when the path is not absolute', async () => {
    expect(await openFailure(csv('t', 'data/file.csv'))).toContain(
      'data/file.csv: the path is not absolute',
    );
    expect(await openFailure(csv('t', 'https://example.com/file.csv'))).toContain(
      'the path is not absolute',
    );
  });

  test('opening fails, and names what is wrong, when the files cannot be read as what they are said to be', async () => {
    const path = await write('a.parquet', 'not Parquet');

    expect(await openFailure(csv('t', path))).toContain(`Table 't' cannot be read from ${path}: `);
    expect(await openFailure(csv('t', await write('b.json', '{"a": 1')))).toContain('b.json');
    expect(
      await openFailure(csv('t', await write('c.csv', 'a,b\n1,2\n3,4,5\n'.repeat(10)), 'json')),
    ).toContain('c.csv');
  });

  test('opening fails, and names what is wrong, when the format cannot be told', async () => {
    await write('a.csv', 'a\n1\n');
    await write('a.json', '[]');

    expect(await openFailure(csv('t', await write('a.txt', 'a')))).toContain(
      'the extensions of the files do not determine',
    );
    expect(await openFailure(csv('t', join(directory, 'a.*')))).toContain(
      'the extensions of the files do not determine',
    );
  });

  test('opening fails, and names what is wrong, when the engine cannot work with the other settings', async () => {
    const file = await write('a.csv', 'a\n1\n');

    await expect(TestEngine.open({ threads: 0 })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
    });
    await expect(TestEngine.open({ spillDirectory: join(file, 'spill') })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringContaining(file) as string,
    });
  });

  test('opening fails, and names what is wrong, when the name cannot be used', async () => {
    const path = await write('a.csv', 'a\n1\n');

    for (const name of ['', 'x'.repeat(129), 'duckdb_views', 'PG_class']) {
      expect(await openFailure(csv(name, path))).toContain(`Table '${name}' cannot be read`);
    }
    expect(await openFailure(csv('a', path), csv('A', path))).toContain(
      `Table 'A' (${path}) has the name of another table`,
    );
  });
});

describe('statistics', () => {
  test('statistics name the tables that a query reads and count their rows', async () => {
    const one = await write('one.csv', 'a\n1\n2\n');
    const two = await write('two.csv', 'a\n1\n2\n3\n');
    const tables = [
      { name: 'One', path: one, format: 'auto' as const },
      { name: 'two', path: two, format: 'auto' as const },
    ];
    await using db = await TestEngine.open({ tables });
    const read = async (sql: string): Promise<unknown> => {
      await using execution = await db.execute(sql);
      for await (const batch of execution.batches) expect(batch.numRows).toBeGreaterThan(0);
      const { elapsedMs, ...rest } = execution.statistics();
      expect(elapsedMs).toBeGreaterThan(0);
      return rest;
    };
    const unknown = { cpuTimeNs: null, rowsScanned: null, dialect: 'duckdb' };

    expect(await read('FROM one')).toEqual({ ...unknown, rowsTotal: 2, tables: ['One'] });
    expect(await read('SELECT * FROM one, two AS one_more, one AS again')).toEqual({
      ...unknown,
      rowsTotal: 5,
      tables: ['One', 'two'],
    });
    expect(await read('WITH one AS (SELECT 1) SELECT * FROM one')).toEqual({
      ...unknown,
      rowsTotal: 0,
      tables: [],
    });
    expect(await read('SELECT (SELECT max(a) FROM two)')).toEqual({
      ...unknown,
      rowsTotal: 3,
      tables: ['two'],
    });
    expect(await read('SELECT 1')).toEqual({ ...unknown, rowsTotal: 0, tables: [] });
  });
});
