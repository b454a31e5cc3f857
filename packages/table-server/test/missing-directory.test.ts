import { mkdir, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isQuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { FileProducer } from '@quire/streams';
import { expect, test } from 'vitest';
import { openEmbeddedTables, openTableQueries } from '../../../test/src/testkit/embedded-tables.ts';
import { configOf } from './orders.ts';
import { jsonLines } from './test-server.ts';

const schemaOf = (schemaName: string) => ({
  schemaName,
  dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
});

const missing =
  /^STORE_UNAVAILABLE The directory of the tables \(engine\.tables\.data\.dir\) is missing: /;

async function failureOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
    return 'none';
  } catch (error) {
    return isQuireError(error) ? `${error.code} ${error.message}` : String(error);
  }
}

test('tables whose directory goes away say so, and are as before when it is back', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quire-missing-'));
  const [root, away, streams] = ['tables', 'away', 'streams'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1) });
  const damaged: unknown[] = [];
  const retries: Error[] = [];
  const reports: unknown[] = [];
  const engine = await openEmbeddedTables({
    dataDirectory: root,
    streamDirectory: streams,
    clock,
    consumerEvents: { onRetry: (_table, _partition, error) => retries.push(error as Error) },
    onSegmentDamaged: (damage) => damaged.push(damage),
    onDiskProblem: (problem) => reports.push(problem),
    onUpkeepFailed: (error) => reports.push(error),
  });
  const queries = await openTableQueries(root, join(home, 'spill'));
  await using producer = await FileProducer.open({ directory: streams, topic: 'orders' });

  const ingest = () =>
    engine.ingest({
      tableNameWithType: 'kept_OFFLINE',
      source: { kind: 'bytes', name: 'rows.jsonl', body: jsonLines([{ n: 1, ts: 1 }]) },
      batchConfig: {},
    });
  const produce = () =>
    producer.append([{ key: null, value: Buffer.from(JSON.stringify({ n: 1, ts: 1 })) }]);
  const count = async (table: string): Promise<number> => {
    const sql = `SELECT count(*)::INTEGER FROM ${table}`;
    await using execution = await queries.execute({ sql }, { limits: { timeoutMs: 60_000 } });
    const [batch] = await Array.fromAsync(execution.batches);
    return batch?.getChildAt(0)?.get(0) as number;
  };
  // The waits of the stream are real, all others virtual.
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) {
      await clock.advance(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const problems = async () =>
    (await engine.listProblems()).map(({ kind, subject }) => `${kind} ${subject}`);
  const partition = async () => {
    const { partitions } = await engine.readConsumption('orders_REALTIME');
    return `${partitions[0]?.state} ${partitions[0]?.error}`;
  };

  for (const name of ['kept', 'orders']) await engine.createSchema(schemaOf(name));
  await engine.createTable({ tableName: 'kept', tableType: 'OFFLINE', segmentsConfig: {} });
  await engine.createTable(configOf());
  await ingest();
  await produce();
  await until(async () => (await count('orders')) === 1);

  await rename(root, away);
  const calls = [
    () => count('kept'),
    () => count('orders'),
    () => count('information_schema.tables'),
    () => engine.readSchema('kept'),
    () => engine.readConsumption('orders_REALTIME'),
    () => engine.createSchema(schemaOf('other')),
    () => engine.createTable({ tableName: 'orders', tableType: 'OFFLINE', segmentsConfig: {} }),
    ingest,
    () => engine.deleteTable('kept_OFFLINE'),
  ];
  const failures = async () => {
    const all: string[] = [];
    for (const call of calls) all.push(await failureOf(call));
    return all;
  };
  const allMissing = calls.map(() => expect.stringMatching(missing));
  expect(await failures()).toEqual(allMissing);
  await produce();
  await until(async () => (await problems()).length > 0);
  expect(await problems()).toEqual(['disk engine.tables.data.dir']);
  await until(async () => retries.length > 0);
  for (const error of retries) {
    expect(await failureOf(() => Promise.reject(error))).toMatch(missing);
  }
  // Where a disk is not mounted, there is often an empty directory.
  await mkdir(root);
  expect(await failures()).toEqual(allMissing);
  expect(await count('(SELECT 1)')).toBe(1);
  for (let round = 0; round < 5; round += 1) await clock.advance(10_000);
  expect(await readdir(root)).toEqual([]);
  await rmdir(root);

  await rename(away, root);
  await until(async () => (await problems()).length === 0);
  await until(async () => (await count('orders')) === 2);
  await until(async () => (await partition()) === 'CONSUMING null');
  await ingest();
  expect([await count('kept'), damaged]).toEqual([2, []]);
  // Reported once, whatever the number of rounds, and once when it is over.
  expect(reports).toEqual([expect.stringMatching(/is missing: nothing/), undefined]);

  await queries[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});
