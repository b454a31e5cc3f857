import { createRequestId, type RequestId } from '@quire/core';
import { ManualClock, RecordingStore, SeededRandom } from '@quire/core/testing';
import { dataKeyOf, recordKeyOf } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BrokerSnapshot,
  QuotaPolicy,
  readSnapshots,
  storeRemover,
  StoreSweeper,
} from '../src/index.ts';
import { idByteCount, idText, writeId } from '../src/id-bytes.ts';
import { RememberedResults } from '../src/remembered-results.ts';

const dayMs = 24 * 3_600_000;
const brokerId = 'b';

class Scene {
  readonly store = new MemoryObjectStore({ sizeMaxBytes: 1e6 });
  readonly remembered = new RememberedResults();
  readonly ids: RequestId[] = [];
  readonly #clock = new ManualClock();
  readonly #random = new SeededRandom(3);

  async put(sizeBytes: number, expirationTimeMs: number): Promise<RequestId> {
    const requestId = createRequestId(this.#clock, this.#random);
    this.ids.push(requestId);
    await this.store.put(dataKeyOf(brokerId, requestId), new Uint8Array(sizeBytes));
    await this.commit(requestId, expirationTimeMs);
    return requestId;
  }

  async commit(requestId: RequestId, expirationTimeMs: number): Promise<void> {
    const name = { submissionTimeMs: 1, expirationTimeMs, rowCount: 2 };
    await this.store.put(recordKeyOf(brokerId, requestId, name), new Uint8Array(3));
  }

  async empty(folder: string): Promise<void> {
    for await (const { key } of this.store.list(folder)) await this.store.delete(key);
  }

  /** The snapshots of a cleaner that remembers results. */
  async look(monotonicMs: number, ageMaxMs = dayMs): Promise<unknown> {
    const skippable = this.remembered.selectSkippable(monotonicMs, ageMaxMs);
    const snapshots = await readSnapshots(this.store, '', { skippable });
    this.remembered.keep(snapshots, monotonicMs, skippable);
    return shown(snapshots);
  }

  async lookAtAll(): Promise<unknown> {
    return shown(await readSnapshots(this.store, ''));
  }
}

function shown(snapshots: ReadonlyMap<string, BrokerSnapshot>): unknown {
  return [...snapshots.values()].map((snapshot) => ({
    sizes: [snapshot.sizeBytes, snapshot.resultBytes],
    entries: Array.from({ length: snapshot.length }, (_, index) => snapshot.entryAt(index)),
    orphans: snapshot.orphans.map(({ key }) => key),
  }));
}

describe('what is remembered of results', () => {
  test('what is remembered of results shows as to one who looks at all, whatever this process, or a writer, has done meanwhile', async () => {
    const step = fc.record({
      kind: fc.constantFrom(
        'put',
        'put',
        'delete',
        'delete half',
        'renew',
        'orphan',
        'foreign',
        'look',
      ),
      which: fc.nat(30),
      size: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const scene = new Scene();
        for (let count = 0; count < 20; count += 1) await scene.put(count, 100);
        for (const [index, { kind, which, size }] of steps.entries()) {
          const requestId = scene.ids[which % scene.ids.length]!;
          const folder = `${brokerId}/${requestId}/`;
          const foreign = `${folder}${which % 2 === 0 ? 'notes' : 'deep/notes'}`;
          if (kind === 'put') await scene.put(size, 100);
          else if (kind === 'renew') await scene.commit(requestId, 100 + size);
          else if (kind === 'orphan') {
            await scene.store.put(dataKeyOf(brokerId, scene.ids[which % 3]!), new Uint8Array(size));
          } else if (kind === 'foreign') await scene.store.put(foreign, new Uint8Array(size));
          else if (kind === 'delete half') await scene.store.delete(dataKeyOf(brokerId, requestId));
          else if (kind === 'delete') await scene.empty(folder);
          if (kind !== 'put' && kind !== 'look') scene.remembered.forget(requestId);
          if (kind === 'orphan') scene.remembered.forget(scene.ids[which % 3]!);
          expect(await scene.look(index)).toEqual(await scene.lookAtAll());
        }
      }),
      { numRuns: 60 },
    );
  });

  test('what is remembered of results is not looked at again at each sweep; but by and by all of it, also what others have changed', async () => {
    const scene = new Scene();
    for (let count = 0; count < 64; count += 1) await scene.put(count, 100);
    const before = await scene.look(0);
    const name = { submissionTimeMs: 1, expirationTimeMs: 100, rowCount: 2 };
    for (const requestId of scene.ids) {
      await scene.store.delete(recordKeyOf(brokerId, requestId, name));
    }
    const after = await scene.lookAtAll();
    expect(await scene.look(1)).not.toEqual(after);
    expect(await scene.look(2)).not.toEqual(before);
    for (let sweep = 3; sweep < 17; sweep += 1) await scene.look(sweep);
    expect(await scene.look(17)).toEqual(after);
  });

  test('what is remembered of results is looked at again within the time given', async () => {
    const scene = new Scene();
    for (let count = 0; count < 64; count += 1) await scene.put(count, 100);
    await scene.look(0);
    for (const requestId of scene.ids) await scene.store.delete(dataKeyOf(brokerId, requestId));
    await scene.look(300, 1000);
    await scene.look(700, 1000);
    expect(await scene.look(1001, 1000)).toEqual(await scene.lookAtAll());
  });

  test('what is remembered of results may have changed while a listing went on', async () => {
    const scene = new Scene();
    const requestId = await scene.put(5, 100);
    const skippable = scene.remembered.selectSkippable(0, dayMs);
    const snapshots = await readSnapshots(scene.store, '', { skippable });
    await scene.store.delete(dataKeyOf(brokerId, requestId));
    scene.remembered.forget(requestId);
    scene.remembered.keep(snapshots, 0, skippable);
    expect(await scene.look(1)).toEqual(await scene.lookAtAll());
  });

  test('what is remembered of results evicts nobody: a sweep that has to evict looks at all first', async () => {
    const scene = new Scene();
    const store = new RecordingStore(scene.store);
    for (let count = 0; count < 32; count += 1) await scene.put(100, dayMs * 1e6);
    const sweeper = new StoreSweeper(
      { store, brokerId, remover: storeRemover(store) },
      new ManualClock(),
    );
    const sweep = (quotaBytes: number) => {
      store.reset();
      const policy = new QuotaPolicy({
        quotaBytes,
        criticalPercent: 100,
        targetPercent: 100,
        protectionMs: 0,
      });
      const tell = { onRemoval: () => undefined, onFailure: () => undefined };
      return sweeper.sweep({
        trigger: 'once',
        policy,
        graceMs: dayMs,
        concurrencyMax: 1,
        isDryRun: false,
        usesWallClock: false,
        ...tell,
      });
    };
    await sweep(10_000);
    const listed = (): number => store.calls.reduce((sum, { entryCount }) => sum + entryCount, 0);
    expect(listed()).toBe(64);
    expect((await sweep(10_000)).brokers).toMatchObject([{ usageEndBytes: 3296, resultCount: 32 }]);
    expect(listed()).toBeLessThan(32);
    // Another process deletes most of them, and leaves folders behind.
    for (const requestId of scene.ids.slice(2)) {
      await scene.store.delete(dataKeyOf(brokerId, requestId));
    }
    expect((await sweep(1000)).brokers).toMatchObject([
      { usageEndBytes: 296, quota: { freed: { count: 0 } } },
    ]);
  });
});

describe('an id in bytes', () => {
  test('an id in bytes is the same as in text, and sorts the same', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        const bytes = new Uint8Array(idByteCount + 3);
        expect(writeId(bytes, 3, `b/${one}/`, 2)).toBe(true);
        expect(idText(bytes, 3)).toBe(one);
        const otherBytes = new Uint8Array(idByteCount);
        writeId(otherBytes, 0, other, 0);
        expect(Math.sign(Buffer.compare(bytes.subarray(3), otherBytes))).toBe(
          one < other ? -1 : one > other ? 1 : 0,
        );
      }),
    );
  });

  test('an id in bytes is nothing else', () => {
    const bytes = new Uint8Array(idByteCount);
    for (const text of [
      '',
      '019a0000-0000-7000-8000-00000000000',
      '019A0000-0000-7000-8000-000000000000',
      '019a0000x0000-7000-8000-000000000000',
      '019a000\u0130-0000-7000-8000-000000000000',
    ]) {
      expect(writeId(bytes, 0, text, 0)).toBe(false);
    }
  });
});
