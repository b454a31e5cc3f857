import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorStatuses } from '@quire/api';
import {
  createRequestId,
  type ErrorCode,
  errorKinds,
  systemClock,
  systemRandom,
} from '@quire/core';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { tableFromArrays } from 'apache-arrow';
import { expect, test } from 'vitest';
import { openCleanedResults } from '../../../examples/embedding/embedded-cleaner.ts';
import { createOwnBroker } from '../../../examples/embedding/own-broker.ts';
import { SqliteEngine } from '../../../examples/embedding/sqlite-engine.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';

const hour = 3_600_000;
const examples = join(import.meta.dirname, '../../../examples/embedding');

test('a broker of one’s own stores answers, serves pages, and gives each error its status', async () => {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  await using results = new ResultStore({
    store,
    brokerId: 'own',
    expirationMs: hour,
    expirationMaxMs: hour,
  });
  await using engine = new SqliteEngine(':memory:');
  const server = createOwnBroker(engine, results).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const query = (body: string) => fetch(`${url}/queries`, { method: 'POST', body });

  const stored = await query(
    'WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c LIMIT 100000) SELECT n, n / 2.0 AS half FROM c',
  );
  const { id, rowCount } = (await stored.json()) as {
    readonly id: string;
    readonly rowCount: number;
  };
  expect([stored.status, rowCount]).toEqual([201, 100_000]);
  const json = await fetch(`${url}/results/${id}?offset=99998&rows=10`);
  expect([json.status, await json.json()]).toEqual([
    200,
    [
      [99_998, 49_999],
      [99_999, 49_999.5],
    ],
  ]);
  const csv = await fetch(`${url}/results/${id}?offset=99999&format=csv`);
  expect([csv.headers.get('content-type'), await csv.text()]).toEqual([
    'text/csv',
    'n,half\n99999,49999.5\n',
  ]);

  const failures: [Response, ErrorCode][] = [
    [await query('SELECT 1 FRM t'), 'QUERY_SYNTAX'],
    [await query('SELECT * FROM missing'), 'TABLE_NOT_FOUND'],
    [
      await fetch(`${url}/results/${createRequestId(systemClock, systemRandom)}`),
      'RESULT_NOT_FOUND',
    ],
    [await fetch(`${url}/results/${id}?offset=100001`), 'OFFSET_OUT_OF_RANGE'],
    [await fetch(`${url}/results/${id}?offset=-1`), 'INVALID_PARAMETER'],
    [await fetch(`${url}/nothing`), 'ROUTE_NOT_FOUND'],
  ];
  for (const [response, code] of failures) {
    const { reason } = (await response.json()) as { readonly reason: string };
    expect([response.status, reason]).toEqual([errorStatuses[code], code]);
  }
  server.close();
  server.closeAllConnections();
});

test('every kind of error has a status', () => {
  expect(Object.keys(errorStatuses).toSorted()).toEqual(Object.keys(errorKinds).toSorted());
  for (const status of Object.values(errorStatuses)) expect(status).toBeGreaterThanOrEqual(400);
});

test('an embedded cleaner deletes what has expired', async () => {
  await using directory = await temporaryDirectory();
  const silent = (): void => undefined;
  const { results, cleaner } = await openCleanedResults(directory.path, {
    quotaBytes: 1e8,
    expirationMs: 1,
    log: { info: silent, warn: silent, error: silent },
  });
  const table = tableFromArrays({ n: Int32Array.of(1, 2, 3) });
  const batches = (async function* () {
    yield* table.batches;
  })();
  const { entry } = await results.create({ schema: table.schema, batches }, { owner: 'me' });
  await expect.poll(() => Date.now()).toBeGreaterThan(entry.expirationTimeMs);
  const report = await cleaner.sweep('once');
  expect(report?.brokers.map(({ expiry }) => expiry.freed.count)).toEqual([1]);
  await expect(results.open(entry.requestId)).rejects.toMatchObject({ code: 'RESULT_EXPIRED' });
  await cleaner[Symbol.asyncDispose]();
  await results[Symbol.asyncDispose]();
});

test('two processes share one directory, and each reads what the other stored', async () => {
  await using directory = await temporaryDirectory();
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [
      join(examples, 'shared-directory.ts'),
      directory.path,
      ...args,
    ]);
  const [first, second] = await Promise.all([
    run('broker-a', 'store', '1000'),
    run('broker-b', 'store', '2000'),
  ]);
  const last = await Promise.all([
    run('broker-b', 'read', first.stdout.trim()),
    run('broker-a', 'read', second.stdout.trim()),
  ]);
  expect(last.map(({ stdout }) => stdout)).toEqual(['[[999]]', '[[1999]]']);
  await expect(run('broker-a', 'read', 'none')).rejects.toMatchObject({
    code: 1,
    stderr: 'none is not the id of a result.\n',
  });
});
