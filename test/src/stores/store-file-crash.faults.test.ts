import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readObject } from '@quire/core';
import { collect } from '@quire/core/testing';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { oldObject, replacedObject, writtenObject } from './store-file-workload.ts';

/** Long enough for the slowest machine; each point starts a process. */
const timeoutMs = 180_000;
/** The long run: `QUIRE_WRITER_KILLS=64 npx vitest run test/src/stores/store-file-crash.faults`. */
const killCount = Number(process.env['QUIRE_WRITER_KILLS'] ?? 4);

const names = new Map<string, string>([
  [digest(oldObject), 'old'],
  [digest(replacedObject), 'replaced'],
  [digest(writtenObject), 'written'],
]);

/** The states that the writer goes through; whenever it dies, the store must be in one of them. */
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
    const seen: number[] = [];
    for (let step = 1; ; step += 1) {
      const { isDone, state } = await killWriter('step', step);
      seen.push(state);
      if (isDone) break;
    }
    // Each state was met, in order: the writer was killed in all of its stretches.
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    expect([...new Set(seen)]).toEqual([0, 1, 2, 3]);
    expect(seen.length).toBeGreaterThan(25);
  },
);

test('a writer killed while its source delivers leaves the old state', { timeout: timeoutMs }, async () => {
  for (const bytes of [0, 100_000, 1_000_000, 1_100_000, 1_200_000]) {
    expect(await killWriter('source', bytes)).toEqual({ isDone: false, state: 0 });
  }
  for (const bytes of [1_300_000, 1_400_000, 2_400_000]) {
    expect(await killWriter('source', bytes)).toEqual({ isDone: false, state: 1 });
  }
});

test('the debris of writers that are killed one after the other does not add up', { timeout: timeoutMs }, async () => {
  const root = await mkdtemp(join(tmpdir(), 'quire-crash-'));
  try {
    const stagedCounts: number[] = [];
    for (let kill = 0; kill < killCount; kill += 1) {
      await runWriter(root, 'source', 1_100_000);
      stagedCounts.push((await readdir(join(root, '.staging'))).length);
    }
    expect(stagedCounts).toEqual(stagedCounts.map(() => 1));
    await using store = await FileObjectStore.open({ root });
    expect(await collect(store.leftovers.list())).toEqual([]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test(
  'what one process left goes at once when somebody has seen it die, and nothing of those that live',
  { timeout: timeoutMs },
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'quire-crash-'));
    try {
      await using store = await FileObjectStore.open({ root });
      await runWriter(root, 'source', 1_100_000);
      const found = await collect(store.leftovers.list());
      expect(found).toMatchObject([{ isOwnerDead: true }]);
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

/** Kills a writer at a point, looks at what it leaves, and shows that its successor is not hampered. */
async function killWriter(hangAt: 'step' | 'source', count: number): Promise<{ isDone: boolean; state: number }> {
  const root = await mkdtemp(join(tmpdir(), 'quire-crash-'));
  try {
    const before = await FileObjectStore.open({ root });
    await before.put('old/k', oldObject);
    await before.put('gone/k', oldObject);

    const isDone = await runWriter(root, hangAt, count);

    // What it staged goes at once: its process id and start time stand in the name.
    const after = await FileObjectStore.open({ root });
    expect(await readdir(join(root, '.staging'))).toEqual([]);
    const found = await stateOf(after);
    const state = states.findIndex((expected) => JSON.stringify(expected) === JSON.stringify(found));
    expect({ found, isOneOfTheStates: state >= 0 }).toEqual({ found, isOneOfTheStates: true });

    for (const key of ['old/k', 'new/deep/k']) await after.put(key, writtenObject);
    for await (const { key } of after.list('')) await after.delete(key);
    expect(await collect(after.list(''))).toEqual([]);
    return { isDone, state };
  } finally {
    await rm(root, { recursive: true, maxRetries: 10 });
  }
}

/** Resolves once the writer is dead; tells whether it had come to its end. */
async function runWriter(root: string, hangAt: string, count: number): Promise<boolean> {
  const script = join(import.meta.dirname, 'store-file-writer.process.ts');
  const child = spawn(process.execPath, ['--conditions=@quire/source', script, root, hangAt, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface(child.stdout)) return line === 'done';
    throw new Error('The writer ended without a word.');
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Every key that is listed, with the name of the bytes that it holds. */
async function stateOf(store: FileObjectStore): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for await (const { key } of store.list('')) state[key] = names.get(digest(await readObject(store, key))) ?? 'something else';
  return state;
}

function digest(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
