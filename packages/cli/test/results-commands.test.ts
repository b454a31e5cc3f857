import { describe, expect, it } from 'vitest';
import { formatTimeLeft } from '../src/phrases.ts';
import { runCommand } from '../src/run-command.ts';
import { fakeRequestId, startFakeBroker } from './fake-broker.ts';
import { FakeEnvironment, type FakeOptions } from './fake-environment.ts';

const otherId = fakeRequestId.replace(/1$/, '2');
/** The manual clock's own start. */
const nowMs = Date.UTC(2026, 0, 1);

const entry = {
  requestId: fakeRequestId,
  brokerId: 'Broker_test_1',
  submissionTimeMs: nowMs - 60_000,
  expirationTimeMs: nowMs + 3_600_000,
  responseMetadata: [
    {
      type: 'fs',
      numRows: 1_234_567,
      sizeBytes: 1536,
      dataFile: 'file:///data',
      metadataFile: 'file:///record',
    },
  ],
};

async function run(args: readonly string[], options?: FakeOptions) {
  const environment = new FakeEnvironment(options);
  const exitCode = await runCommand(['results', ...args], environment);
  return { exitCode, stdout: environment.stdout.text, stderr: environment.stderr.text };
}

const terminal: FakeOptions = {
  terminal: { columns: 120, rows: 24 },
  variables: { NO_COLOR: '1' },
};

describe('quire results list', () => {
  it('quire results list aligns what it lists on a terminal, and never cuts an id', async () => {
    await using broker = await startFakeBroker(0, () => ({
      body: { resultMetadataList: [entry] },
    }));
    expect((await run(['list', '--url', broker.url], terminal)).stdout).toBe(
      [
        'id                                         rows     size  submitted             expires in',
        '────────────────────────────────────  ─────────  ───────  ────────────────────  ──────────',
        '018f6b1e-0000-7000-8000-000000000001  1,234,567  1.5 KiB  2025-12-31T23:59:00Z  1h',
        '',
      ].join('\n'),
    );
    const narrow = { ...terminal, terminal: { columns: 40, rows: 24 } };
    expect((await run(['list', '--url', broker.url], narrow)).stdout).toContain(fakeRequestId);
  });

  it('writes tabbed lines below headings in a pipe, with plain numbers and times', async () => {
    await using broker = await startFakeBroker(0, () => ({
      body: { resultMetadataList: [entry, { ...entry, requestId: otherId }] },
    }));
    expect((await run(['list', '--url', broker.url])).stdout).toBe(
      'id\trows\tbytes\tsubmitted\texpires\n' +
        `${fakeRequestId}\t1234567\t1536\t2025-12-31T23:59:00Z\t2026-01-01T01:00:00Z\n` +
        `${otherId}\t1234567\t1536\t2025-12-31T23:59:00Z\t2026-01-01T01:00:00Z\n`,
    );
  });

  it('quire results list writes JSON lines when asked, and nothing for nothing', async () => {
    await using broker = await startFakeBroker(0, () => ({
      body: { resultMetadataList: [entry] },
    }));
    expect(JSON.parse((await run(['list', '--json', '--url', broker.url])).stdout)).toEqual({
      requestId: fakeRequestId,
      brokerId: 'Broker_test_1',
      submissionTimeMs: nowMs - 60_000,
      expirationTimeMs: nowMs + 3_600_000,
      rowCount: 1_234_567,
      sizeBytes: 1536,
      storage: 'fs',
      dataFile: 'file:///data',
      metadataFile: 'file:///record',
    });
    await using empty = await startFakeBroker(0, () => ({ body: { resultMetadataList: [] } }));
    expect((await run(['list', '--json', '--url', empty.url])).stdout).toBe('');
    expect((await run(['list', '--url', empty.url], terminal)).stdout).toBe('no stored results\n');
  });

  it('quire results list gives everyone their own results with their queries, each in one line', async () => {
    await using broker = await startFakeBroker(0, () => {
      const own = { ...entry, owner: 'ann', sql: 'SELECT a,\n  b\tFROM t' };
      return { body: { resultMetadataList: [own, { ...entry, owner: 'ann', sql: null }] } };
    });
    expect((await run(['list', '--own', '--no-header', '--url', broker.url])).stdout).toBe(
      ['SELECT a, b FROM t', '\\N']
        .map(
          (sql) =>
            `${fakeRequestId}\t1234567\t1536\t2025-12-31T23:59:00Z\t2026-01-01T01:00:00Z\t${sql}\n`,
        )
        .join(''),
    );
    expect((await run(['list', '--own', '--url', broker.url], terminal)).stdout).toMatch(
      / query\s*\n[^]*SELECT a, b FR/,
    );
    expect(broker.calls).toEqual(
      Array.from({ length: 2 }, () => 'GET /query/resultStore?own=true'),
    );
  });

  it('quire results list fails for callers who are not admins', async () => {
    const body = { code: 403, error: 'This call needs the role admin.', reason: 'FORBIDDEN' };
    await using broker = await startFakeBroker(0, () => ({ status: 403, body }));
    expect(await run(['list', '--url', broker.url])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error FORBIDDEN: This call needs the role admin.\n',
    });
  });
});

describe('quire results show', () => {
  const record = {
    requestId: fakeRequestId,
    exceptions: [],
    numRowsResultSet: 3,
    totalDocs: 0,
    partialResult: false,
    traceInfo: {},
  };

  it('quire results show leaves out what says nothing, except as JSON', async () => {
    await using broker = await startFakeBroker(0, () => ({ body: [record] }));
    const url = ['--url', broker.url];
    expect((await run(['show', fakeRequestId, ...url], terminal)).stdout).toBe(
      `requestId         ${fakeRequestId}\nnumRowsResultSet  3\n`,
    );
    expect((await run(['show', fakeRequestId, ...url])).stdout).toBe(
      `requestId\t${fakeRequestId}\nnumRowsResultSet\t3\n`,
    );
    expect((await run(['show', fakeRequestId, '--json', ...url])).stdout).toBe(
      `${JSON.stringify(record)}\n`,
    );
  });
});

describe('quire results delete', () => {
  it('quire results delete goes on past a result that cannot be deleted, and fails at the end', async () => {
    await using broker = await startFakeBroker(0, (request) =>
      request.url?.endsWith(fakeRequestId) === true
        ? { status: 410, body: { code: 410, error: 'It has expired.', reason: 'RESULT_EXPIRED' } }
        : { body: 'Query Results deleted.' },
    );
    expect(await run(['delete', fakeRequestId, otherId, 'nonsense', '--url', broker.url])).toEqual({
      exitCode: 1,
      stdout: `Deleted ${otherId}.\n`,
      stderr:
        "error RESULT_EXPIRED: It has expired.\nerror INVALID_PARAMETER: 'nonsense' is not a request id.\n",
    });
  });

  it('quire results delete reports what it could not delete before it had to stop', async () => {
    await using broker = await startFakeBroker(0, (request) =>
      request.url?.endsWith(fakeRequestId) === true
        ? { status: 410, body: { code: 410, error: 'It has expired.', reason: 'RESULT_EXPIRED' } }
        : { status: 403, body: { code: 403, error: 'Not yours.', reason: 'FORBIDDEN' } },
    );
    expect(await run(['delete', fakeRequestId, otherId, '--url', broker.url])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error RESULT_EXPIRED: It has expired.\nerror FORBIDDEN: Not yours.\n',
    });
  });

  it('quire results delete stops when the server does not answer or does not let the caller', async () => {
    await using broker = await startFakeBroker(0, () => ({
      status: 401,
      body: { code: 401, error: 'Who calls?', reason: 'UNAUTHENTICATED' },
    }));
    const { exitCode } = await run(['delete', fakeRequestId, otherId, '--url', broker.url]);
    expect([exitCode, broker.calls.length]).toEqual([1, 1]);
  });
});

describe('quire results renew', () => {
  it('quire results renew tells the new expiration', async () => {
    await using broker = await startFakeBroker(0, () => ({ body: entry }));
    expect((await run(['renew', fakeRequestId, '2h', '--url', broker.url])).stdout).toBe(
      `Result ${fakeRequestId} expires in 1h, at 2026-01-01T01:00:00Z.\n`,
    );
    expect(broker.calls).toEqual([`PATCH /query/resultStore/${fakeRequestId}`]);
  });
});

it.each([
  [-1, 'expired'],
  [0, 'expired'],
  [1, '1s'],
  [59_001, '1m'],
  [60_001, '2m'],
  [3_600_000, '1h'],
  [90_060_000, '1d1h1m'],
])('%i ms left are %s', (timeLeftMs, text) => {
  expect(formatTimeLeft(timeLeftMs)).toBe(text);
});
