import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readObject } from '@quire/core';
import { collect } from '@quire/core/testing';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { killEverywhere, killWriters } from '../testkit/killed-writers.ts';
import {
  type HangingWriter,
  oldObject,
  replacedObject,
  writtenObject,
} from './store-file-workload.ts';

const script = join(import.meta.dirname, 'store-file-writer.process.ts');

/** Long enough for the slowest machine. */
const timeoutMs = 180_000;
/** The long run: `QUIRE_WRITER_KILLS=64 npx vitest run test/src/stores/store-file-crash.faults`. */
const killCount = Number(process.env['QUIRE_WRITER_KILLS'] ?? 4);

const names = new Map<string, string>([
  [digest(oldObject), 'old'],
  [digest(replacedObject), 'replaced'],
  [digest(writtenObject), 'written'],
]);

/** The states of the writer; whenever it dies, the store must be in one of them. */
const states = [
  { 'gone/k': 'old', 'old/k': 'old' },
  { 'gone/k': 'old', 'old/k': 'replaced' },
  { 'gone/k': 'old', 'new/deep/k': 'written', 'old/k': 'replaced' },
  { 'new/deep/k': 'written', 'old/k': 'replaced' },
];

test(
  'a writer killed before any of its changes of the file system leaves whole objects only',
  { timeout: timeoutMs },
  async () => {
    const seen = await killEverywhere(12, (changes) =>
      killEach(changes.map((count) => ({ hangAt: 'step', count }))).then((all) =>
        all.map(({ isDone, state }) => ({ isDone, left: state })),
      ),
    );
    // Each state was observed, in order: the writer was killed at every stage.
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    expect([...new Set(seen)]).toEqual([0, 1, 2, 3]);
    expect(seen.length).toBeGreaterThan(25);
  },
);

test(
  'a writer killed while its source delivers leaves the old state',
  { timeout: timeoutMs },
  async () => {
    const early = [0, 100_000, 1_000_000, 1_100_000, 1_200_000];
    const late = [1_300_000, 1_400_000, 2_400_000];
    expect(
      await killEach([...early, ...late].map((count) => ({ hangAt: 'source', count }))),
    ).toEqual([
      ...early.map(() => ({ isDone: false, state: 0 })),
      ...late.map(() => ({ isDone: false, state: 1 })),
    ]);
  },
);

test(
  'the debris of writers that are killed one after the other does not add up',
  { timeout: timeoutMs },
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'quire-crash-'));
    try {
      const stagedCounts: number[] = [];
      for (let kill = 0; kill < killCount; kill += 1) {
        await killWriters(script, [{ root, hangAt: 'source', count: 1_100_000 }]);
        stagedCounts.push((await readdir(join(root, '.staging'))).length);
      }
      expect(stagedCounts).toEqual(stagedCounts.map(() => 1));
      await using store = await FileObjectStore.open({ root });
      expect(await collect(store.leftovers.list())).toEqual([]);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);

test(
  'what one process left goes at once when somebody has seen it die, and nothing of those that live',
  { timeout: timeoutMs },
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'quire-crash-'));
    try {
      await using store = await FileObjectStore.open({ root });
      await killWriters(script, [{ root, hangAt: 'source', count: 1_100_000 }]);
      const found = await collect(store.leftovers.list());
      expect(found).toMatchObject([{ owner: 'dead' }]);
      const paused = Promise.withResolvers<void>();
      const isStaged = Promise.withResolvers<void>();
      const writing = store.put(
        'alive',
        (async function* () {
          yield new Uint8Array(10);
          isStaged.resolve();
          await paused.promise;
        })(),
      );
      await isStaged.promise;
      expect(await store.leftovers.removeDead({ pid: process.pid })).toBe(0);
      expect(await store.leftovers.removeDead()).toBe(found[0]?.sizeBytes);
      paused.resolve();
      expect(await writing).toMatchObject({ key: 'alive', sizeBytes: 10 });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);

interface Left {
  readonly isDone: boolean;
  readonly state: number;
}

/** Kills each writer at its point, inspects what it leaves, and shows that its successor works. */
async function killEach(points: readonly Omit<HangingWriter, 'root'>[]): Promise<readonly Left[]> {
  await using directory = await temporaryDirectory();
  const writers = points.map((point, index) => ({
    ...point,
    root: join(directory.path, String(index)),
  }));
  for (const { root } of writers) {
    await mkdir(root);
    const before = await FileObjectStore.open({ root });
    await before.put('old/k', oldObject);
    await before.put('gone/k', oldObject);
  }
  const ends = await killWriters(script, writers);
  const left: Left[] = [];
  for (const [index, { root }] of writers.entries()) {
    left.push({ isDone: ends[index] ?? false, state: await stateLeft(root) });
  }
  return left;
}

/** Returns the state that the store is in. */
async function stateLeft(root: string): Promise<number> {
  // Its staged files are deleted at once: their names contain its process id and start time.
  const after = await FileObjectStore.open({ root });
  expect(await readdir(join(root, '.staging'))).toEqual([]);
  const found = await stateOf(after);
  const state = states.findIndex((expected) => JSON.stringify(expected) === JSON.stringify(found));
  expect({ found, isOneOfTheStates: state >= 0 }).toEqual({ found, isOneOfTheStates: true });

  for (const key of ['old/k', 'new/deep/k']) await after.put(key, writtenObject);
  for await (const { key } of after.list('')) await after.delete(key);
  expect(await collect(after.list(''))).toEqual([]);
  return state;
}

/** Every key that is listed, with the name of the bytes that it holds. */
async function stateOf(store: FileObjectStore): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for await (const { key } of store.list('')) {
    state[key] = names.get(digest(await readObject(store, key))) ?? 'something else';
  }
  return state;
}

function digest(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
