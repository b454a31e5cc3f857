import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchReport } from '@quire/bench';
import { expect, test } from 'vitest';
import {
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

const program = join(import.meta.dirname, '../../../packages/bench/bin/quire-bench.js');
const sql = 'SELECT range AS id, range * 2 AS twice FROM range(20000)';

/** Runs the command in a process of its own. */
async function bench(
  ...args: string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [program, ...args])) };
  } catch (error) {
    return error as { readonly code: number; readonly stdout: string; readonly stderr: string };
  }
}

test(
  'quire-bench measures two servers by turns, in every combination, and deletes what it stored',
  { timeout: 240_000 },
  async () => {
    await using directory = await temporaryDirectory();
    const config = await writeSettings(directory.path);
    const { server, url } = await startServer(['--config', config]);
    await using _server = server;
    const token = testVariables.TEST_ADMIN_TOKEN;
    // The same server twice, under two names, in each of the two dialects that it supports.
    const other = url.replace('127.0.0.1', 'localhost');
    const short = [
      '--pages',
      '10,1000',
      '--readers',
      '1,2',
      '--offsets',
      'first,last,random',
      '--rounds',
      '1',
      '--slice',
      '5',
    ];
    const both = [
      '--url',
      url,
      '--token',
      token,
      '--vs',
      other,
      '--vs-token',
      token,
      '--vs-dialect',
      'pinot',
      '--sql',
      sql,
    ];

    const json = await bench(...both, ...short, '--json');
    expect(json.stderr).toBe('');
    const { servers, measurements } = JSON.parse(json.stdout) as BenchReport;
    expect(servers).toMatchObject([
      { url, dialect: 'quire', rowCount: 20_000 },
      { url: other, dialect: 'pinot', rowCount: 20_000 },
    ]);
    expect(measurements.length).toBe(2 * 2 * 3 * 2);
    for (const each of measurements) {
      expect(each.pageCount).toBeGreaterThan(0);
      expect(each.p99Ms).toBeGreaterThanOrEqual(each.p50Ms);
      expect(each.pagesPerSecond).toBeGreaterThan(0);
      expect(each.bytesPerPage).toBeGreaterThan(each.pageSize);
    }

    const text = await bench(
      '--url',
      url,
      '--token',
      token,
      '--sql',
      sql,
      ...short.slice(0, 4),
      '--formats',
      'json,arrow,csv,ndjson',
      '--quick',
      '--slice',
      '5',
    );
    expect(text).toMatchObject({ code: 0, stderr: '' });
    for (const format of ['json', 'arrow', 'csv', 'ndjson']) expect(text.stdout).toContain(format);

    const failures = await Promise.all([
      bench('--url', url, '--token', 'wrong', '--sql', sql),
      bench('--url', url, '--token', token, '--sql', 'SELECT * FROM missing'),
      bench('--url', url, '--token', token, '--sql', 'SELECT 1 AS n WHERE false'),
      bench(...both, '--formats', 'arrow'),
      bench('--url', 'http://127.0.0.1:9', '--sql', sql),
    ]);
    expect(failures.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
    const messages = [
      'status 401',
      'missing',
      'has no rows',
      'whose pages are json; arrow was requested',
      'cannot be reached',
    ];
    for (const [index, message] of messages.entries()) {
      expect(failures[index]?.stderr).toContain(message);
    }

    const list = await fetch(`${url}/query/resultStore`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await list.json()).toEqual({ resultMetadataList: [] });
  },
);

test('quire-bench says what is wrong with its options', async () => {
  const url = 'http://127.0.0.1:1';
  const said = await Promise.all([
    bench('--url', url),
    bench('--sql', sql),
    bench('--url', 'somewhere', '--sql', sql),
    bench('--url', url, '--sql', sql, '--pages', '10,none'),
    bench('--url', url, '--sql', sql, '--formats', 'xml'),
    bench('--url', url, '--sql', sql, '--vs', url),
    bench('--nothing'),
  ]);
  expect(said.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(said.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
    'error: --sql is missing: give the query whose pages are read.',
    'error: --url is missing: give the address of a server, such as http://127.0.0.1:8099.',
    'error: --url is somewhere; expected an address that starts with http:// or https://.',
    'error: --pages has none; expected an integer from 1 to 1000000.',
    'error: --formats has xml; expected one or more of json, arrow, csv, ndjson, parquet.',
    'error: --vs is the same address as --url: give another server.',
    expect.stringContaining("Unknown option '--nothing'"),
  ]);
});
