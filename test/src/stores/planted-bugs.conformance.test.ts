import { MiB } from '@quire/core';
import { objectStoreCases, type OpenStoreFixture } from '@quire/core/conformance';
import { MemoryObjectStore } from '@quire/core/memory';
import { describe, expect, test } from 'vitest';
import { expectCaught } from '../testkit/planted-case.ts';
import { endingBugs } from './planted/ending-bugs.ts';
import { keyBugs } from './planted/key-bugs.ts';
import { listingBugs } from './planted/listing-bugs.ts';
import type { PlantedBug } from './planted/planted-bug.ts';
import { readingBugs } from './planted/reading-bugs.ts';
import { writingBugs } from './planted/writing-bugs.ts';

const bugs: readonly PlantedBug[] = [
  ...keyBugs,
  ...readingBugs,
  ...writingBugs,
  ...listingBugs,
  ...endingBugs,
];
const cases = new Map(objectStoreCases().map((each) => [each.title, each]));

/**
 * A store in memory with a bug. `memory-store.conformance.test.ts` shows that it passes without
 * one.
 */
function openWith({ plant }: PlantedBug): OpenStoreFixture {
  return async ({ sizeMaxBytes = 64 * MiB } = {}) => {
    const store = plant(new MemoryObjectStore({ sizeMaxBytes }), sizeMaxBytes);
    return { store, leftovers: async () => [], [Symbol.asyncDispose]: async () => undefined };
  };
}

describe('the conformance suite of stores', () => {
  test.each(bugs)('the conformance suite of stores catches a store that $name', async (bug) => {
    const caughtBy = cases.get(bug.caughtBy);
    if (caughtBy === undefined) return expect.fail(`There is no case “${bug.caughtBy}”.`);
    await expectCaught(caughtBy, openWith(bug), { hangs: bug.hangs, patienceMs: 1000 });
  });

  test('the conformance suite of stores is tried with at least forty bugs, of every group', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(40);
    const groups = new Set(bugs.map(({ caughtBy }) => cases.get(caughtBy)?.group));
    expect(groups).toEqual(new Set(objectStoreCases().map(({ group }) => group)));
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
  });
});
