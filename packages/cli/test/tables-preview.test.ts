import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { FakeEnvironment, type FakeOptions } from './fake-environment.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-tables-'));
  await writeFile(
    join(directory, 'orders.csv'),
    'id,bought at,price\n1,2024-05-01 10:00:00,1.5\n9007199254740993,2024-05-02 11:30:00,\n',
  );
});

afterEach(() => rm(directory, { recursive: true }));

async function preview(
  args: readonly string[],
  options: FakeOptions = { terminal: { columns: 100, rows: 40 }, variables: { NO_COLOR: '1' } },
) {
  const environment = Object.assign(new FakeEnvironment(options), { directory });
  const exitCode = await runCommand(['tables', 'preview', ...args], environment);
  return { exitCode, stdout: environment.stdout.text, stderr: environment.stderr.text };
}

describe('on a terminal', () => {
  test('rows are shown before and after, with columns, what was done and findings', async () => {
    const { exitCode, stdout, stderr } = await preview(['orders.csv']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(`orders.csv 2 rows, 3 fields → orders 2 rows, 3 columns

Before
id                bought at            price
────────────────  ───────────────────  ─────
1                 2024-05-01 10:00:00  1.5
9007199254740993  2024-05-02 11:30:00  NULL

After
bought_at                            id  price
─────────────────────  ────────────────  ─────
2024-05-01 10:00:00.0                 1    1.5
2024-05-02 11:30:00.0  9007199254740993   NULL

Columns
column     type       kind       why
─────────  ─────────  ─────────  ───────────────────────────────────────────────────────────────────
bought_at  TIMESTAMP  time       Every value is a time in the format TIMESTAMP from 2024-05-01 to 2…
id         LONG       dimension  Every value is an integer of 64 bits.
price      DOUBLE     metric     Every value is a number, and some have fractions. It has no value …

What was done
step         rows  what
───────────  ────  ─────────────────────────────────────
transform       2  adds bought_at: ‘2024-05-01 10:00:00’
dataType        2  changes id, price, bought_at: ‘1’ → 1
nullDefault     1  adds price: 0
projection      2  removes bought at: not in the schema

Findings
nothing is wrong
`);
  });

  test('no line is wider than the terminal', async () => {
    for (const columns of [60, 80]) {
      const { stdout } = await preview(['orders.csv'], {
        terminal: { columns, rows: 24 },
        variables: { NO_COLOR: '1' },
      });
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
        columns,
      );
    }
  });

  test('rows that are too wide are shown field by field', async () => {
    const row = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`a long name ${index}`, index]),
    );
    await writeFile(join(directory, 'wide.json'), JSON.stringify([row]));
    const { stdout } = await preview(['wide.json']);
    expect(stdout).toContain('The first row, before and after');
    expect(stdout).toMatch(/^a long name 7 +7 +a_long_name_7 +7$/m);
  });

  test('what would act on the terminal is shown as an escape in a preview', async () => {
    await writeFile(join(directory, 'evil.csv'), 'a\u001b[2Jb\n\u001b]0;x\u0007\n');
    const { stdout } = await preview(['evil.csv']);
    expect([stdout.includes('\u001b'), stdout.includes('\u0007')]).toEqual([false, false]);
    expect(stdout).toContain('\\x1b');
  });

  test('the findings of a preview on a terminal come last, the worst first', async () => {
    await writeFile(
      join(directory, 't.json'),
      JSON.stringify({
        tableName: 'orders',
        ingestionConfig: { filterConfig: { filterFunction: 'uper(id' } },
      }),
    );
    const { exitCode, stdout } = await preview(['orders.csv', 'none.csv', '--config', 't.json']);
    expect(exitCode).toBe(0);
    expect(stdout.slice(stdout.indexOf('Findings'))).toMatch(
      /^Findings\nerror {4}.*\n(?: .*\n)*warning {2}No file matches/,
    );
  });
});

describe('in a pipe', () => {
  test('a preview in a pipe gives the rows as the table would hold them', async () => {
    const { stdout, stderr } = await preview(['orders.csv'], {});
    expect(stdout).toBe(
      'bought_at\tid\tprice\n2024-05-01 10:00:00.0\t1\t1.5\n2024-05-02 11:30:00.0\t9007199254740993\t\\N\n',
    );
    expect(stderr).toBe('');
  });

  test('findings go to standard error', async () => {
    const { stdout, stderr } = await preview(['none.csv'], {});
    expect(stdout).toBe('');
    expect(stderr).toContain('NO_FILES at /sourceFiles/0');
  });

  test('--json gives the whole preview with all digits', async () => {
    const { stdout } = await preview(['orders.csv', '--json'], {});
    expect(stdout).toContain('"id":9007199254740993');
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { getnRows: 2 },
      tableConfigs: { tableName: 'orders' },
    });
  });
});

test('a file of CSV with another delimiter is previewed with it, and otherwise says so', async () => {
  await writeFile(join(directory, 'semicolons'), 'id;n\n1;2\n');
  const other = ['semicolons', '--batch', 'recordReader.prop.delimiter=;'];
  expect(await preview(other, {})).toEqual({ exitCode: 0, stdout: 'id\tn\n1\t2\n', stderr: '' });
  const { stderr } = await preview(['semicolons'], {});
  expect(stderr).toMatch(
    /^warning {2}All rows have one field, 'id;n'\. Perhaps .* should be ';'\.$/m,
  );
  const asJson = await preview(['semicolons', '--format', 'json'], {});
  expect(asJson.stderr).toMatch(/not JSON/);
});

describe('--write', () => {
  test('--write saves config and schema, from which the same preview comes again', async () => {
    expect((await preview(['orders.csv', '--write'])).stdout).toContain(
      'wrote orders.schema.json\nwrote orders.table.json\n',
    );
    const given = await preview(
      ['orders.csv', '--config', 'orders.table.json', '--schema', 'orders.schema.json'],
      {},
    );
    expect(given).toEqual(await preview(['orders.csv'], {}));
  });

  test('--write keeps a file that is created while it writes', async () => {
    // To the check beforehand, a dangling link does not exist.
    await symlink('elsewhere', join(directory, 'orders.schema.json'));
    const { exitCode, stderr } = await preview(['orders.csv', '--write']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error INVALID_PARAMETER: orders.schema.json cannot be written: EEXIST.\n',
    });
    expect((await readdir(directory)).toSorted()).toEqual(['orders.csv', 'orders.schema.json']);
  });

  test('--write replaces nothing unless it is forced', async () => {
    await writeFile(join(directory, 'orders.table.json'), 'mine');
    const { exitCode, stderr } = await preview(['orders.csv', '--write']);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('orders.table.json exists already'),
    });
    expect(await readFile(join(directory, 'orders.table.json'), 'utf8')).toBe('mine');
    expect((await readdir(directory)).toSorted()).toEqual(['orders.csv', 'orders.table.json']);
    expect((await preview(['orders.csv', '--write', '--force'])).exitCode).toBe(0);
    expect(await readFile(join(directory, 'orders.table.json'), 'utf8')).toContain(
      '"tableName": "orders"',
    );
  });
});

test.each([
  [['orders.csv', '--force'], 2, '--force is for --write'],
  [['orders.csv', '--config', 'none.json'], 1, 'none.json cannot be read: ENOENT.'],
  [['orders.csv', '--schema', 'orders.csv'], 1, 'orders.csv is not JSON'],
  [['orders.csv', '--format', 'xlsx'], 1, 'inputFormat = xlsx: expected one of csv, tsv, json,'],
  [['orders.csv', '--batch', 'delimiter=;'], 1, "--batch has an unknown member 'delimiter'"],
  [[], 2, "missing required argument 'file'"],
])('called wrongly: %j', async (args, code, message) => {
  const { exitCode, stdout, stderr } = await preview(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
  expect(stderr).toContain(message);
});

test('a file that is not there is a failure, which says so', async () => {
  for (const args of [['no/such.csv'], ['no/such.csv', '--json']]) {
    const { exitCode, stderr } = await preview(args);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^error INVALID_PARAMETER: No file matches .*no\/such\.csv/),
    ]);
  }
  expect((await preview(['orders.csv', 'no/such.csv'])).exitCode).toBe(0);
});

test('a bucket that cannot be opened is a failure, which says why', async () => {
  const { exitCode, stderr } = await preview(['az://orders/x.csv']);
  expect([exitCode, stderr]).toEqual([
    1,
    'error INVALID_PARAMETER: open of az://orders failed: no storage account is named. Check the credentials.\n',
  ]);
});
