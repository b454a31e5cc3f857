import { collect, ManualClock } from '@quire/core/testing';
import type { ObjectEntry } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { expect, test } from 'vitest';
import { pageText } from '../../../test/src/testkit/builders/page-text.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

/** A store whose listings read the names first, and the status of each object afterwards. */
class TwoStepStore extends MemoryObjectStore {
  /** Called between the two steps, once each. */
  readonly between: (() => Promise<unknown>)[] = [];
  #isBetween = false;

  override async *list(prefix: string): AsyncGenerator<ObjectEntry> {
    const listed = await Array.fromAsync(super.list(prefix));
    if (!this.#isBetween) {
      this.#isBetween = true;
      await this.between.shift()?.();
      this.#isBetween = false;
    }
    for (const { key } of listed) {
      const found = await this.head(key).catch(() => undefined);
      if (found !== undefined) yield found;
    }
  }
}

test('a cleaner that runs once keeps a result whose record two of its listings miss because of renewals', async () => {
  const disk = new TwoStepStore({ sizeMaxBytes: 1e8, clock: new ManualClock() });
  const setup = new CleanerSetup({ disk });
  const [id] = await setup.fill(10);
  await setup.results.renew(id!, 10 * hourMs);
  await setup.clock.advance(2 * hourMs);
  for (const hours of [11, 12]) {
    disk.between.push(() => setup.results.renew(id!, hours * hourMs));
  }
  await setup.cleaner.sweep('schedule', { usesWallClock: true });
  expect(disk.between).toEqual([]);
  expect(await pageText(await setup.results.open(id!), 0, 1)).toBe('[[0]]');
  expect(await collect(disk.list('b/'))).toHaveLength(2);
});
