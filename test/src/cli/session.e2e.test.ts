import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CliProcess,
  quire,
  quireHere,
  startServer,
  temporaryDirectory,
  writeSettings,
} from '../testkit/cli-process.ts';

/**
 * One server for all tests of this file, as people use one: with tables, results in files, and two
 * callers. Two of them run the command as a separate process, to test its pipes.
 */
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let asAdmin: readonly string[];
let asAnn: readonly string[];

beforeAll(async () => {
  directory = await temporaryDirectory();
  const config = await writeSettings(
    directory.path,
    'engine.broker.pagination.protocol = file\nengine.broker.pagination.file.data.dir = deep/results\n',
  );
  const roles = ['--roles', 'broker,controller', '--set', 'controller.port=0'];
  const started = await startServer(['--config', config, ...roles]);
  server = started.server;
  asAdmin = ['--url', started.url, '--token', 'admin-token'];
  asAnn = ['--url', started.url, '--user', 'ann:ann-password'];
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** The ids of all stored results, newest first. */
async function storedIds(): Promise<string[]> {
  const { stdout } = await quireHere(['results', 'list', '--no-header', ...asAdmin]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
}

const allStocks = 'SELECT symbol, date, price FROM stocks';

describe('quire query in a pipe', () => {
  test('quire query in a pipe writes every row of a result of several pages, in every format', async () => {
    const [tabbed, csv, ndjson] = await Promise.all([
      quireHere(['query', ...asAnn, '--page-size', '100', '--header', allStocks]),
      quire(['query', ...asAnn, '--format', 'csv', allStocks]),
      quireHere(['query', ...asAnn, '--json', allStocks]),
    ]);
    expect([
      tabbed.exitCode,
      tabbed.stderr,
      csv.exitCode,
      csv.stderr,
      ndjson.exitCode,
      ndjson.stderr,
    ]).toEqual([0, '', 0, '', 0, '']);
    const lines = tabbed.stdout.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['symbol\tdate\tprice', 'MSFT\tJan 1 2000\t39.81']);
    expect(lines.length).toBe(561);
    expect(csv.stdout.replaceAll('\r', '').trimEnd()).toBe(lines.join('\n').replaceAll('\t', ','));
    const rows = ndjson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => Object.values(JSON.parse(line)).join('\t'));
    expect(rows).toEqual(lines.slice(1));
  });

  test('quire query in a pipe keeps every digit and every character', async () => {
    const sql =
      "SELECT 9223372036854775807 AS big, -0.1::DECIMAL(38, 37) AS exact, 'a\tb\n\\' || chr(27) AS text, NULL AS nothing";
    expect((await quireHere(['query', ...asAnn, sql])).stdout).toBe(
      '9223372036854775807\t-0.1000000000000000000000000000000000000\ta\\tb\\n\\\\\u001b\t\\N\n',
    );
  });

  test('quire query in a pipe reads SQL from standard input, and writes the rows that are wanted', async () => {
    const { stdout } = await quire(['query', ...asAnn, '--rows', '2', '--offset', '558'], {
      stdin: `${allStocks};\n`,
    });
    expect(stdout).toBe('AAPL\tFeb 1 2010\t204.62\nAAPL\tMar 1 2010\t223.02\n');
  });

  test('quire query in a pipe exits with 1 for a query that fails, and says why', async () => {
    const { exitCode, stdout, stderr } = await quireHere([
      'query',
      ...asAnn,
      'SELECT * FROM stonks',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^error TABLE_NOT_FOUND: .*stonks/);
  });

  test('quire query in a pipe exits with 1 for a caller whom the server does not know, without a word about the token', async () => {
    const { exitCode, stderr } = await quireHere([
      'query',
      ...asAdmin.slice(0, 2),
      '--token',
      'wrong-token',
      'SELECT 1',
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error UNAUTHENTICATED: /);
    expect(stderr).not.toContain('wrong-token');
  });
});

describe('quire results', () => {
  test('lists what queries have stored, shows, renews and deletes it', async () => {
    await quireHere(['query', ...asAnn, allStocks]);
    const [id = ''] = await storedIds();
    const shown = await quireHere(['results', 'show', id, ...asAnn]);
    expect(shown.stdout).toContain(`requestId\t${id}\n`);
    expect(shown.stdout).toContain('numRowsResultSet\t560\n');

    const before = JSON.parse(
      (await quireHere(['results', 'list', '--json', ...asAdmin])).stdout.split('\n')[0] ?? '',
    ) as Record<string, unknown>;
    const renewed = JSON.parse(
      (await quireHere(['results', 'renew', id, '3h', '--json', ...asAnn])).stdout,
    ) as Record<string, unknown>;
    // The renewal wrote a record of its own.
    const { expirationTimeMs, metadataFile, sizeBytes } = renewed;
    expect(renewed).toEqual({ ...before, expirationTimeMs, metadataFile, sizeBytes });
    expect(Number(expirationTimeMs) - Number(before['expirationTimeMs'])).toBeGreaterThan(
      1.9 * 3_600_000,
    );

    expect(await quireHere(['results', 'delete', id, ...asAnn])).toEqual({
      exitCode: 0,
      stdout: `Deleted ${id}.\n`,
      stderr: '',
    });
    const again = await quireHere(['results', 'delete', id, ...asAnn]);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toMatch(/^error RESULT_DELETED: /);
    expect(await storedIds()).not.toContain(id);
  });

  test('quire results are for admins to list', async () => {
    const { exitCode, stderr } = await quireHere(['results', 'list', ...asAnn]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error FORBIDDEN: /);
  });
});

test('quire tables list and show give rows, files and bytes of a table over files of the settings', async () => {
  const [, url = ''] = /controller +(http:\S+)/.exec(server.stdout) ?? [];
  const asked = ['--url', url, '--token', 'admin-token'];
  const list = await quireHere(['tables', 'list', ...asked]);
  expect(list).toEqual({
    exitCode: 0,
    stdout: 'table\trows\tsegments\tbytes\nstocks_OFFLINE\t560\t1\t12245\n',
    stderr: '',
  });
  const shown = await quireHere(['tables', 'show', 'stocks', ...asked]);
  expect(shown.stdout).toMatch(/^table\tstocks_OFFLINE\nrows\t560\nfiles\t1\nsize\t12 KiB\n/);
});
