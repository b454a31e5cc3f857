import { QuireClient } from '@quire/client';
import { systemClock } from '@quire/core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import { runCommand } from '../src/run-command.ts';
import { FakeEnvironment, type FakeOptions, untilBlocked } from './fake-environment.ts';

let broker: TestBroker;

beforeAll(async () => {
  // The broker's clock does not advance; clients that find no rows poll again.
  broker = await TestBroker.start({ rowsWaitMaxMs: 0 }, { batchSizeBytes: 8192 });
});

afterEach(async () => {
  for (const { requestId } of await running()) {
    await broker.call(`/query/${requestId}`, { method: 'DELETE', as: 'root' });
  }
  await broker.engine.untilIdle();
});

afterAll(() => broker[Symbol.asyncDispose]());

async function running(): Promise<readonly { readonly requestId: string }[]> {
  return (await broker.call('/queries', { as: 'root' })).json<{
    queries: { requestId: string }[];
  }>().queries;
}

/** Starts a query whose output is a pipe; its reader waits by the wall clock. */
function begin(sql: string, args: readonly string[], options: FakeOptions = {}) {
  const environment = new FakeEnvironment(options);
  Object.defineProperty(environment, 'clock', { value: systemClock });
  const command = ['query', '--url', broker.address.url, '--token', 'ann-token', ...args, sql];
  return { environment, exitCode: runCommand(command, environment) };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the same rows as they are written once the result is stored. */
async function stored(
  format: 'csv' | 'ndjson' | 'arrow',
  options: { offset?: number; rowCount?: number; pageSize?: number },
) {
  const client = new QuireClient({ baseUrl: broker.address.url, token: 'ann-token' });
  const cursor = await client.open(await broker.createDirectly(5000));
  return Buffer.from(await cursor.download({ format, ...options }).bytes());
}

const ways: readonly {
  readonly args: readonly string[];
  readonly asked: { offset?: number; rowCount?: number; pageSize?: number };
}[] = [
  { args: [], asked: {} },
  {
    args: ['--offset', '700', '--rows', '3500', '--page-size', '900'],
    asked: { offset: 700, rowCount: 3500, pageSize: 900 },
  },
  { args: ['--offset', '5000'], asked: { offset: 5000 } },
];

test.each(['csv', 'ndjson', 'arrow'] as const)(
  'rows are written as they come, and are in the end the bytes of the stored result: %s',
  async (format) => {
    for (const { args, asked } of ways) {
      const { environment, exitCode } = begin('rows 3000 then wait then rows 2000', [
        '--format',
        format,
        ...args,
      ]);
      const { offset = 0 } = asked;
      // Rows are written while the query runs; if none of the existing rows is requested, the
      // command waits.
      if (offset < 3000) await until(() => environment.stdout.bytes.byteLength > 1000);
      else await until(async () => (await running()).length > 0);
      expect(await running()).toHaveLength(1);
      broker.engine.resume();
      expect([await exitCode, environment.stderr.text]).toEqual([0, '']);
      const expected = await stored(format, asked);
      expect(Buffer.compare(environment.stdout.bytes, expected)).toBe(0);
    }
  },
);

test('lines of tabbed cells are written as they come, with their header once', async () => {
  const { environment, exitCode } = begin('rows 3000 then wait then rows 2000', [
    '--header',
    '--page-size',
    '1700',
  ]);
  await until(() => environment.stdout.text.includes('row 2000'));
  broker.engine.resume();
  expect(await exitCode).toBe(0);
  const lines = environment.stdout.text.split('\n');
  expect(lines.slice(0, 2)).toEqual(['n\tbig\ttext', '0\t9007199254740993\trow 0']);
  expect(lines.slice(1, -1).map((line) => Number(line.split('\t')[0]))).toEqual(
    Array.from({ length: 5000 }, (_, n) => n),
  );
});

test.each(['tsv', 'csv', 'ndjson', 'arrow'])(
  'a result without rows is what it was: %s',
  async (format) => {
    const { environment, exitCode } = begin('rows 0', ['--format', format, '--header']);
    expect(await exitCode).toBe(0);
    // The end is enough for Arrow: the end-of-stream marker.
    const ends: Readonly<Record<string, string>> = {
      tsv: 'n\tbig\ttext\n',
      csv: 'n,big,text\n',
      ndjson: '',
      arrow: '\xff\xff\xff\xff\0\0\0\0',
    };
    const { bytes } = environment.stdout;
    expect(bytes.subarray(format === 'arrow' ? -8 : 0).toString('latin1')).toBe(ends[format]);
  },
);

test.each(['tsv', 'csv', 'ndjson', 'arrow'])(
  'a query that fails in the middle says so, and that the rows are not all: %s',
  async (format) => {
    const { environment, exitCode } = begin('rows 3000 then wait then fail QUERY_FAILED', [
      '--format',
      format,
    ]);
    await until(() => environment.stdout.bytes.byteLength > 1000);
    broker.engine.resume();
    expect(await exitCode).toBe(1);
    expect(environment.stderr.text).toBe(
      'error QUERY_FAILED:\n  The script says QUERY_FAILED.\n  The rows that were written before are not the whole result.\n',
    );
  },
);

test('a query that fails at once says why, and nothing of rows', async () => {
  const { environment, exitCode } = begin('fail COLUMN_NOT_FOUND', []);
  expect([await exitCode, environment.stdout.text]).toEqual([1, '']);
  expect(environment.stderr.text).toBe(
    'error COLUMN_NOT_FOUND: The script says COLUMN_NOT_FOUND.\n',
  );
});

test.each(['tsv', 'ndjson'])(
  'a reader that has seen enough ends what still runs: %s',
  async (format) => {
    const { exitCode } = begin('rows 3000 then hang', ['--format', format, '--page-size', '500'], {
      writesUntilClosed: 2,
    });
    expect(await exitCode).toBe(0);
    expect(broker.engine.openCount).toBe(0);
    expect(await running()).toEqual([]);
  },
);

test.each([['rows 3000 then hang'], ['hang']])('Ctrl-C cancels the query: %s', async (sql) => {
  const { environment, exitCode } = begin(sql, ['--json']);
  await until(async () => (await running()).length > 0);
  environment.signal('SIGINT');
  expect([await exitCode, environment.stderr.text]).toEqual([1, 'Cancelled.\n']);
  expect(broker.engine.openCount).toBe(0);
  expect(await running()).toEqual([]);
});

test.each([
  ['tsv', 'rows 3000 then hang'],
  ['ndjson', 'rows 3000 then hang'],
  ['table', 'rows 3000'],
  ['parquet', 'rows 3000'],
])('Ctrl-C ends a command whose reader takes nothing: %s', async (format, sql) => {
  const { environment, exitCode } = begin(sql, ['--format', format]);
  await untilBlocked(environment);
  environment.signal('SIGINT');
  expect([await exitCode, environment.stderr.text]).toEqual([1, 'Cancelled.\n']);
  expect(await running()).toEqual([]);
});

test.each(['tsv', 'ndjson'])(
  'a query that still runs when the rows that were asked for are written is cancelled: %s',
  async (format) => {
    const { environment, exitCode } = begin('rows 3000 then hang', [
      '--format',
      format,
      '--rows',
      '2',
    ]);
    expect([await exitCode, environment.stderr.text]).toEqual([0, '']);
    expect(environment.stdout.text.split('\n').length).toBe(3);
    expect(broker.engine.openCount).toBe(0);
    expect(await running()).toEqual([]);
  },
);

test('a terminal shows the rows that were asked for, and the query is cancelled', async () => {
  const { environment, exitCode } = begin('rows 3000 then hang', ['--rows', '2'], {
    terminal: { columns: 80, rows: 10 },
    variables: { NO_COLOR: '1' },
  });
  expect(await exitCode).toBe(0);
  const lines = environment.stdout.text.trimEnd().split('\n');
  expect(lines.slice(2, 4).map((line) => line.split(/ +/)[0])).toEqual(['0', '1']);
  expect(lines.at(-1)).toMatch(/^first 2 rows; the query was cancelled · /);
  expect(await running()).toEqual([]);
});
