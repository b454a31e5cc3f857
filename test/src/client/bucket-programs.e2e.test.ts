import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { QuireClient } from '@quire/client';
import { tableFromIPC } from 'apache-arrow';
import { tableFromIPC as flechetteTable } from '@uwdata/flechette';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CliProcess,
  propertiesOf,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';
import { describeWithTool, python, s3Server } from '../testkit/toolchain.ts';

const root = join(import.meta.dirname, '../../..');
const rowCount = 100_000;
const run = promisify(execFile);

/**
 * Reads an Arrow stream with three readers of Python, and prints the rows and the sum that each
 * sees.
 */
const pythonReaders = `
import io, json, sys
import duckdb, polars, pyarrow
data = sys.stdin.buffer.read()
arrow = pyarrow.ipc.open_stream(io.BytesIO(data)).read_all()
arrow.validate(full=True)
frame = polars.read_ipc_stream(io.BytesIO(data), use_pyarrow=False)
count, total = duckdb.sql("SELECT count(*), sum(price) FROM arrow").fetchall()[0]
print(json.dumps([[arrow.num_rows, sum(arrow.column("price").to_pylist())], [frame.height, frame["price"].sum()], [count, total]]))
`;

describeWithTool(s3Server, 'with 100,000 rows in a bucket and default settings', (path) => {
  const resources = new AsyncDisposableStack();
  let server: CliProcess;
  let url: string;
  let symbols: readonly (readonly [symbol: string, date: string, price: number])[];

  beforeAll(async () => {
    const directory = resources.use(await temporaryDirectory());
    const [header = '', ...lines] = (
      await readFile(join(root, 'node_modules/vega-datasets/data/stocks.csv'), 'utf8')
    )
      .trim()
      .split(/\r?\n/);
    const rows = Array.from({ length: rowCount }, (_, index) => lines[index % lines.length] ?? '');
    symbols = rows
      .map((row) => row.split(','))
      .map(([symbol = '', date = '', price]) => [symbol, date, Number(price)]);
    const table = join(directory.path, 'many.csv');
    await writeFile(table, [header, ...rows, ''].join('\n'));
    const bucket = resources.use(await S3Server.start(path));
    const config = await writeSettings(
      directory.path,
      propertiesOf(s3SettingsOf(bucket.storeOptions())),
    );
    ({ server, url } = await startServer([
      '--config',
      config,
      '--set',
      `engine.table.stocks.path=${table}`,
    ]));
    resources.use(server);
  });
  afterAll(() => resources.disposeAsync());

  const here = (program: string): string =>
    program
      .replace('http://127.0.0.1:8099', url)
      .replace('quickstart-analyst', testVariables.TEST_ADMIN_TOKEN);
  const client = (): QuireClient =>
    new QuireClient({ baseUrl: url, token: testVariables.TEST_ADMIN_TOKEN });

  test("the example of the client's README runs as it is printed", async () => {
    const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    const args = ['--input-type=module-typescript', '--eval', here(example)];
    const { stdout } = await run(process.execPath, args, { cwd: import.meta.dirname });
    const printed = stdout.split('\n');
    expect(printed[0]).toMatch(/^100000 STRING,STRING,DOUBLE \[ 'MSFT'/);
    const sum = symbols.reduce((total, [, , price]) => total + price, 0);
    expect(printed).toContain(sum.toFixed(2));
    const [table, ...progress] = printed.slice(printed.indexOf(sum.toFixed(2)) + 1);
    expect(table).toBe(String(rowCount)); // tableFromIPC(await cursor.toArrow()).numRows
    expect(progress).toContain(String(rowCount));
  });

  describeWithTool(python, 'in Python', (pythonPath) => {
    test('the program of the README of the package api runs as it is printed', async () => {
      const readme = await readFile(join(root, 'packages/api/README.md'), 'utf8');
      const [, example = ''] = /```python\n([\s\S]*?)```/.exec(readme) ?? [];
      const { stdout } = await run(pythonPath, ['-c', here(example)]);
      expect(stdout).toContain(`${rowCount} ['symbol']\n`);
    });

    test('the cells of the notebook run as they stand', async () => {
      const notebook = JSON.parse(
        await readFile(join(root, 'examples/notebook.ipynb'), 'utf8'),
      ) as {
        readonly cells: readonly {
          readonly cell_type: string;
          readonly source: readonly string[];
        }[];
      };
      const cells = notebook.cells
        .filter(({ cell_type: type }) => type === 'code')
        .map(({ source }) => source.join(''));
      const { stdout } = await run(pythonPath, [
        '-c',
        `${here(cells.join('\n'))}\nprint(stocks.num_rows)`,
      ]);
      expect(stdout).toBe(`${rowCount} rows are stored\n${rowCount}\n`);
    });

    test.each([{ compression: undefined }, { compression: ['zstd', 'lz4'] as const }])(
      'pyarrow, polars and DuckDB read a download of Arrow with $compression',
      async ({ compression }) => {
        await using cursor = await client().query('SELECT * FROM stocks', { rowCount: 1 });
        const reading = run(pythonPath, ['-c', pythonReaders]);
        reading.child.stdin?.end(await cursor.toArrow({ compression }));
        const price = symbols.reduce((total, row) => total + row[2], 0);
        const sum = expect.closeTo(price, 3) as number;
        expect(JSON.parse((await reading).stdout)).toEqual([
          [rowCount, sum],
          [rowCount, sum],
          [rowCount, sum],
        ]);
      },
    );
  });

  test('the readers of JavaScript, which bring no codecs, read a download and a page of Arrow', async () => {
    await using cursor = await client().query('SELECT * FROM stocks', { rowCount: 1 });
    const download = await cursor.toArrow();
    const page = new Uint8Array(
      await new Response(
        ReadableStream.from(
          client().stream(cursor.requestId, { offset: 0, rowCount, format: 'arrow' }),
        ),
      ).arrayBuffer(),
    );
    for (const bytes of [download, page]) {
      const table = tableFromIPC(bytes);
      const other = flechetteTable(bytes);
      expect([table.numRows, other.numRows]).toEqual([rowCount, rowCount]);
      for (const row of [0, 1, 16_384, 50_000, rowCount - 1]) {
        const [symbol, date, price] = symbols[row] ?? [];
        expect(table.get(row)?.toJSON()).toEqual({ symbol, date, price });
        expect(other.get(row)).toEqual({ symbol, date, price });
      }
    }
    // The stored result is compressed, and is sent in this form to clients that accept it, in fewer
    // bytes.
    const compressed = await cursor.toArrow({ compression: ['zstd'] });
    expect(compressed.byteLength).toBeLessThan(download.byteLength / 2);
    expect(() => tableFromIPC(compressed)).toThrow('codec');
  });
});
