import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreSweeper, storeRemover } from '@quire/cleaner';
import { systemClock } from '@quire/core';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { serveParent } from '../process/serve-parent.ts';
import type { ResultDirectory } from './make-results.ts';

/** Ways to find expired results, and ways to delete them. */
export type SweepTask =
  | 'plan'
  | 'plan-first'
  | 'sweep'
  | 'parse-records'
  | 'delete-expired'
  | 'list-and-delete-each'
  | 'parse-and-remove-each';

export interface SweepRequest extends ResultDirectory {
  readonly task: SweepTask;
}

export interface SweepAnswer {
  readonly elapsedMs: number;
  /** The number of expired results that were found and, if the task deletes them, deleted. */
  readonly count: number;
}

const hourMs = 3_600_000;

/** A store, and its cleaner, which remembers what it has seen. */
interface Swept {
  readonly store: FileObjectStore;
  readonly sweeper: StoreSweeper;
}

/** The stores that are open. As in a server, each is used for all sweeps. */
const openSwept = new Map<string, Swept>();

/**
 * The number of found results and, if part of the time does not count, the time of finding them.
 */
type Outcome = number | SweepAnswer;

const tasks: Readonly<Record<SweepTask, (directory: ResultDirectory) => Promise<Outcome>>> = {
  async plan(directory) {
    const swept = openSwept.get(directory.root) ?? (await openToSweep(directory));
    openSwept.set(directory.root, swept);
    return sweep(swept, true);
  },
  async 'plan-first'(directory) {
    const swept = await openToSweep(directory);
    await using _store = swept.store;
    return await sweep(swept, true);
  },
  async sweep(directory) {
    const swept = await openToSweep(directory);
    await using _store = swept.store;
    // As in a server that has swept before: its threads have started.
    await sweep(swept, true);
    const startMs = performance.now();
    const count = await sweep(swept, false);
    return { elapsedMs: performance.now() - startMs, count };
  },
  'parse-records': async (directory) => (await expiredByRecords(directory)).length,
  'delete-expired': async (directory) => (await openResults(directory)).deleteExpired(Date.now()),
  async 'list-and-delete-each'(directory) {
    const nowMs = Date.now();
    // With a clock that is behind, since expired results cannot be deleted by their ids.
    const results = await openResults(directory, nowMs - 2 * hourMs);
    const expired: string[] = [];
    for await (const entry of results.list()) {
      if (entry.expirationTimeMs <= nowMs) expired.push(entry.requestId);
    }
    for (const requestId of expired) await results.delete(requestId);
    return expired.length;
  },
  async 'parse-and-remove-each'(directory) {
    const expired = await expiredByRecords(directory);
    for (const directory of expired) await rm(directory, { recursive: true });
    return expired.length;
  },
};

serveParent(
  async (request): Promise<SweepAnswer> => {
    const { task, ...directory } = request as SweepRequest;
    const startMs = performance.now();
    const outcome = await tasks[task](directory);
    return typeof outcome === 'number'
      ? { elapsedMs: performance.now() - startMs, count: outcome }
      : outcome;
  },
  async () => {
    for (const { store } of openSwept.values()) await store[Symbol.asyncDispose]();
  },
);

async function openToSweep({ root, brokerId }: ResultDirectory): Promise<Swept> {
  const store = await FileObjectStore.open({ root });
  return {
    store,
    sweeper: new StoreSweeper({ store, brokerId, remover: storeRemover(store) }, systemClock),
  };
}

/** The cleaner's own sweep, with its default settings. */
async function sweep({ sweeper }: Swept, isDryRun: boolean): Promise<number> {
  const { brokers } = await sweeper.sweep({
    trigger: 'once',
    policy: undefined,
    graceMs: hourMs,
    concurrencyMax: 16,
    isDryRun,
    usesWallClock: false,
    onRemoval: () => undefined,
    onFailure(_removal, error) {
      throw error;
    },
  });
  return brokers[0]?.expiry.freed.count ?? 0;
}

async function openResults(
  { root, brokerId }: ResultDirectory,
  nowMs?: number,
): Promise<ResultStore> {
  const clock = nowMs === undefined ? systemClock : { ...systemClock, nowMs: () => nowMs };
  const store = await FileObjectStore.open({ root });
  return new ResultStore({ store, brokerId, clock, expirationMs: hourMs, expirationMaxMs: hourMs });
}

/**
 * Returns the directories of expired results. Reads the metadata of every result, one by one, as a
 * peer's cleaner does.
 */
async function expiredByRecords({ root, brokerId }: ResultDirectory): Promise<string[]> {
  const nowMs = Date.now();
  const expired: string[] = [];
  for (const requestId of await readdir(join(root, brokerId))) {
    const directory = join(root, brokerId, requestId);
    const name = (await readdir(directory)).find((each) => each.endsWith('.json'));
    const { record } = JSON.parse(await readFile(join(directory, name ?? ''), 'utf8')) as {
      record: { expirationTimeMs: number };
    };
    if (record.expirationTimeMs <= nowMs) expired.push(directory);
  }
  return expired;
}
