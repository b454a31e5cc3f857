import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import { ManualClock } from '@quire/core/testing';
import type { Logger } from 'pino';
import { expect, test, vi } from 'vitest';
import { Feed } from '../src/samples/feed.ts';
import { openSamples } from '../src/samples/open-samples.ts';
import { readSamples } from '../src/samples/sample-documents.ts';

async function directoryOf(
  files: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'quire-samples-'));
  await mkdir(join(path, 'streams'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, maxRetries: 10 }) };
}

const feed = {
  topic: 'ticks',
  partitions: 1,
  file: 'rows.json',
  rowsPerSecond: 4_000,
  timeField: 'at',
  retentionMB: 1,
};

test('a feed writes the rows of its file as if they came now, at its rate, again and again, and keeps no more than it is told', async () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => ({
    n,
    at: 'long ago',
    text: 'x'.repeat(100),
  }));
  await using home = await directoryOf({
    'ticks.feed.json': JSON.stringify(feed),
    'rows.json': JSON.stringify(rows),
  });
  const [document] = (await readSamples(home.path)).feeds;
  if (document === undefined) throw new Error('There is a feed.');
  const clock = new ManualClock();
  const onFailed = vi.fn<(error: unknown) => void>();
  const streams = join(home.path, 'streams');
  await using _feed = await Feed.open(document, { streams, clock, onFailed });
  // Two batches of 1,000 rows and one of 500 make up the file: seventeen batches are 14,500 rows,
  // some 2 MB.
  for (let batch = 1; batch < 17; batch += 1) {
    await clock.untilSleeping();
    await clock.advance(250);
  }
  await clock.untilSleeping();
  const kept = await linesOf(join(streams, 'ticks'));
  expect(kept.at(-1)).toEqual({ n: 1_999, at: clock.nowMs(), text: 'x'.repeat(100) });
  const bytes = kept.reduce<number>((sum, row) => sum + JSON.stringify(row).length + 1, 0);
  expect(bytes).toBeGreaterThan(1024 * 1024);
  expect(bytes).toBeLessThan(1.4 * 1024 * 1024);
  expect(onFailed).not.toHaveBeenCalled();
});

test.each([
  [
    'ticks.feed.json',
    { ...feed, rowsPerSecond: 0 },
    'rowsPerSecond must be a whole number of at least 1',
  ],
  ['ticks.feed.json', { ...feed, topic: '' }, 'topic must be a text'],
  [
    'ticks.task.json',
    { taskType: 'MergeRollupTask', tableName: 'a_OFFLINE' },
    'taskName must be a text',
  ],
  ['ticks.table.json', [], 'JSON object'],
])('a document that cannot be used is named: %s %o', async (name, document, message) => {
  await using home = await directoryOf({ [name]: JSON.stringify(document) });
  const expected = { code: 'INVALID_SETTING', message: expect.stringContaining(message) as string };
  await expect(readSamples(home.path)).rejects.toMatchObject(expected);
});

test('a sample table that is set aside keeps nothing from starting: the others are created', async () => {
  const schemas = Object.fromEntries(
    ['a', 'b'].map((name) => [`${name}.schema.json`, JSON.stringify({ schemaName: name })]),
  );
  const tables = Object.fromEntries(
    ['a', 'b'].map((name) => [
      `${name}.table.json`,
      JSON.stringify({ tableName: `${name}_OFFLINE`, tableType: 'OFFLINE' }),
    ]),
  );
  await using home = await directoryOf({ ...schemas, ...tables });
  const created: string[] = [];
  const engine = {
    createSchema: async ({ schemaName }: { readonly schemaName: string }) => {
      if (schemaName === 'a') throw new QuireError('RECORD_DAMAGED', 'schemas/a.json is empty.');
      created.push(schemaName);
    },
    createTable: async ({ tableName }: { readonly tableName: string }) => {
      if (tableName === 'a_OFFLINE') {
        throw new QuireError('TABLE_DAMAGED', 'The table a_OFFLINE is set aside.');
      }
      created.push(tableName);
      return { tableNameWithType: tableName, findings: [] };
    },
  } as unknown as TableEngine;
  const logger = { warn: vi.fn<() => void>() } as unknown as Logger;
  await using _samples = await openSamples(home.path, {
    engine,
    streams: undefined,
    clock: new ManualClock(),
    logger,
  });
  expect(created).toEqual(['b', 'b_OFFLINE']);
});

test('a directory that is not there is named', async () => {
  const expected = {
    code: 'INVALID_SETTING',
    message: expect.stringContaining('engine.tables.samples.dir = /no/such') as string,
  };
  await expect(readSamples('/no/such')).rejects.toMatchObject(expected);
});

async function linesOf(topic: string): Promise<readonly unknown[]> {
  const names = (await readdir(topic)).filter((name) => name.endsWith('.jsonl'));
  const byOffset = names.toSorted(
    (left, right) => Number(left.split('.')[1]) - Number(right.split('.')[1]),
  );
  const texts = await Promise.all(byOffset.map((name) => readFile(join(topic, name), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as unknown);
}
