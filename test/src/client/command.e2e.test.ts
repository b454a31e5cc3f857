import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { QuireClient } from '@quire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import {
  type CliProcess,
  quire,
  quireHere,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let proxy: FaultProxy;
let requestId: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const started = await startServer(['--config', await writeSettings(directory.path)]);
  server = started.server;
  proxy = await FaultProxy.start(Number(new URL(started.url).port));
  const client = new QuireClient({ baseUrl: started.url, token: testVariables.TEST_ADMIN_TOKEN });
  ({ requestId } = await client.query('SELECT range AS n FROM range(50000)', { keep: true }));
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function download(...args: string[]) {
  return quire([
    'results',
    'download',
    requestId,
    '--url',
    proxy.endpoint,
    '--token',
    testVariables.TEST_ADMIN_TOKEN,
    ...args,
  ]);
}

const forbidden = JSON.stringify({ code: 403, error: 'No more.', reason: 'FORBIDDEN' });
const allRows = `n\n${Array.from({ length: 50_000 }, (_, n) => `${n}\n`).join('')}`;

test('quire results download goes on in another process behind the rows that it has', async () => {
  const path = join(directory.path, 'numbers.csv');
  // The connection breaks. When it is open again, its caller is no longer allowed to read.
  let attemptCount = 0;
  proxy.intercept = ({ url }) => {
    if (!url.includes('offset=20000&')) return undefined;
    attemptCount += 1;
    if (attemptCount === 1) return { kind: 'reset', afterBytes: 1000 };
    return {
      kind: 'answer',
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: forbidden,
    };
  };
  const broken = await download('-o', path, '--resume', '--page-size', '10000');
  expect({ ...broken, stderr: broken.stderr.split('\n')[0] }).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `20,000 rows are in ${path}.part; --resume continues with them.`,
  });
  expect(broken.stderr).toContain('error FORBIDDEN: ');
  expect(attemptCount).toBe(2);

  proxy.intercept = () => undefined;
  proxy.requests.length = 0;
  expect(await download('-o', path, '--resume', '--page-size', '10000')).toEqual({
    exitCode: 0,
    stdout: `${path}: 50,000 rows, 282.1 KiB\n`,
    stderr: '',
  });
  expect(await readFile(path, 'utf8')).toBe(allRows);
  expect((await readdir(directory.path)).filter((name) => name.startsWith('numbers.csv'))).toEqual([
    'numbers.csv',
  ]);
  const offsets = proxy.requests.map(({ url }) => Number(/offset=(\d+)/.exec(url)?.[1]));
  expect(offsets).toEqual([0, 20_000, 30_000, 40_000]);
});

test('quire results download passes rows on in a pipe, in any format', async () => {
  proxy.intercept = () => undefined;
  expect(await download()).toEqual({ exitCode: 0, stdout: allRows, stderr: '' });
  const { stdout } = await download('--format', 'json', '--page-size', '7777');
  expect(JSON.parse(stdout)).toEqual(Array.from({ length: 50_000 }, (_, n) => ({ n })));
  const path = join(directory.path, 'numbers.arrow');
  await download('--format', 'arrow', '-o', path, '--page-size', '20000');
  const table = tableFromIPC(await readFile(path));
  expect([table.numRows, table.getChild('n')?.get(49_999)]).toEqual([50_000, 49_999n]);
});

test('quire query in a pipe does not notice a connection that breaks on the way', async () => {
  let isBroken = false;
  proxy.intercept = ({ url }) => {
    if (isBroken || !url.includes('offset=1000&')) return undefined;
    isBroken = true;
    return { kind: 'reset', afterBytes: 100 };
  };
  const caller = ['--url', proxy.endpoint, '--token', testVariables.TEST_ADMIN_TOKEN];
  const sql = 'SELECT range AS n FROM range(50000)';
  expect(await quire(['query', ...caller, '--format', 'csv', sql])).toEqual({
    exitCode: 0,
    stdout: allRows,
    stderr: '',
  });
  expect(isBroken).toBe(true);
  const some = ['--format', 'csv', '--offset', '49990', '--rows', '3', '--page-size', '2'];
  expect((await quireHere(['query', ...caller, ...some, sql])).stdout).toBe(
    'n\n49990\n49991\n49992\n',
  );
  expect(
    await quireHere(['query', ...caller, '--format', 'csv', '--offset', '50001', sql]),
  ).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('error OFFSET_OUT_OF_RANGE: ') as string,
  });
});
