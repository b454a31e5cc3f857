import { QuireError } from '@quire/core';
import { FairSlots, type ReleaseSlot, type SlotShares } from '@quire/core/wait';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimOf, FairSlotsLaw, principals, settled, type Step } from './fair-slots-law.ts';

const usual: SlotShares = {
  slotCount: 4,
  principalPercentMax: 50,
  isShareStrict: false,
  adminSlotCount: 1,
  waitingMax: 64,
  principalWaitingMax: 32,
};

/**
 * Fair slots whose grants are recorded in order; a slot is released by the name of its principal.
 */
class Trial {
  readonly slots: FairSlots;
  /** Principals that were granted a slot. */
  readonly granted: string[] = [];
  readonly refused: string[] = [];
  readonly #held: { readonly principal: string; readonly release: ReleaseSlot }[] = [];

  constructor(shares: Partial<SlotShares> = {}) {
    this.slots = new FairSlots(
      { ...usual, ...shares },
      ({ principal, takenCount, waitingCount, limit }) => {
        return new QuireError(
          'TOO_MANY_QUERIES',
          `${principal}: ${takenCount} run, ${waitingCount} wait, limit of ${limit}.`,
        );
      },
    );
  }

  /**
   * Requests slots, as an admin if the principal is root. Aborting the signal withdraws the waiting
   * requests.
   */
  async ask(
    principal: string,
    { count = 1, signal }: { count?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      this.slots.acquire(claimOf(principal), signal).then(
        (release) => {
          this.granted.push(principal);
          this.#held.push({ principal, release });
        },
        (error: unknown) => this.refused.push((error as Error).message),
      );
    }
    await settled();
  }

  /** Releases the oldest slot of a principal. */
  async end(principal: string): Promise<void> {
    const held = this.#held.find((each) => each.principal === principal);
    if (held === undefined) throw new Error(`${principal} holds no slot.`);
    this.#held.splice(this.#held.indexOf(held), 1);
    held.release();
    await settled();
  }

  get shares(): Readonly<Record<string, readonly [taken: number, waiting: number]>> {
    return Object.fromEntries(
      this.slots.principals.map(({ principal, takenCount, waitingCount }) => [
        principal,
        [takenCount, waitingCount],
      ]),
    );
  }
}

describe('FairSlots', () => {
  it('FairSlots gives a principal that is alone all slots but those of admins', async () => {
    const trial = new Trial();
    await trial.ask('ann', { count: 5 });
    expect(trial.shares).toEqual({ ann: [3, 2] });
    await trial.ask('root');
    expect(trial.shares).toEqual({ ann: [3, 2], root: [1, 0] });
    await trial.end('ann');
    expect(trial.shares).toEqual({ ann: [3, 1], root: [1, 0] });
  });

  it('FairSlots gives the next slot to a principal that comes late', async () => {
    for (const slotCount of [1, 2, 3, 4, 8]) {
      for (const principalPercentMax of [50, 100]) {
        const trial = new Trial({ slotCount, principalPercentMax });
        await trial.ask('ann', { count: 20 });
        await trial.ask('bob');
        await trial.end('ann');
        expect(trial.granted.at(-1)).toBe('bob');
      }
    }
  });

  it('FairSlots gives principals that wait one slot each in turn, however much each has queued', async () => {
    const trial = new Trial({ slotCount: 1 });
    await trial.ask('ann', { count: 5 });
    await trial.ask('bob', { count: 2 });
    await trial.ask('eve', { count: 2 });
    for (const name of ['ann', 'bob', 'eve', 'ann', 'bob', 'eve', 'ann', 'ann']) {
      await trial.end(name);
    }
    expect(trial.granted).toEqual(['ann', 'bob', 'eve', 'ann', 'bob', 'eve', 'ann', 'ann', 'ann']);
  });

  it('FairSlots gives a principal with half of the slots no further one while another waits that has less', async () => {
    const trial = new Trial({ slotCount: 4, adminSlotCount: 0 });
    await trial.ask('ann', { count: 10 });
    await trial.ask('bob', { count: 10 });
    // Queries of bob end immediately, those of ann never: with turns alone, ann would soon hold
    // every slot.
    for (let index = 0; index < 2; index += 1) await trial.end('ann');
    expect(trial.shares).toEqual({ ann: [2, 6], bob: [2, 8] });
    for (let index = 0; index < 5; index += 1) await trial.end('bob');
    expect(trial.shares).toEqual({ ann: [2, 6], bob: [2, 3] });
    expect([trial.slots.waitReasonOf('ann'), trial.slots.waitReasonOf('bob')]).toEqual([
      'share',
      'share',
    ]);
  });

  it('FairSlots leaves no slot free that a claim could use, though its principal has more than its share', async () => {
    const trial = new Trial({ slotCount: 3, adminSlotCount: 0 });
    await trial.ask('ann', { count: 3 });
    await trial.ask('bob', { count: 3 });
    await trial.end('ann');
    await trial.end('ann');
    expect(trial.shares).toEqual({ ann: [1, 0], bob: [2, 1] });
    expect(trial.slots.waitReasonOf('bob')).toBe('slots');
  });

  it('FairSlots holds every principal to its share where shares are strict, so that one that comes late finds a slot', async () => {
    const trial = new Trial({ isShareStrict: true });
    await trial.ask('ann', { count: 5 });
    expect(trial.shares).toEqual({ ann: [2, 3] });
    expect(trial.slots.waitReasonOf('ann')).toBe('share');
    await trial.ask('bob');
    expect(trial.shares).toEqual({ ann: [2, 3], bob: [1, 0] });
    await trial.end('bob');
    await trial.end('ann');
    expect(trial.shares).toEqual({ ann: [2, 2] });
  });

  it('FairSlots holds back no slot for admins where there are one or two: an admin takes its turn', async () => {
    for (const slotCount of [1, 2]) {
      const trial = new Trial({ slotCount });
      await trial.ask('ann', { count: 9 });
      expect(trial.slots.takenCount).toBe(slotCount);
      await trial.ask('root', { count: 2 });
      await trial.end('ann');
      expect(trial.granted.at(-1)).toBe('root');
    }
  });

  it('FairSlots holds back fewer than half of the slots, whatever is asked for', async () => {
    for (const [slotCount, othersCount] of [
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 3],
      [5, 3],
      [8, 5],
    ] as const) {
      const trial = new Trial({ slotCount, adminSlotCount: 100 });
      await trial.ask('ann', { count: 9 });
      expect(trial.slots.takenCount).toBe(othersCount);
    }
  });

  it('FairSlots refuses what exceeds the queue of one principal, with its own counts, and nothing of others', async () => {
    const trial = new Trial({ principalWaitingMax: 2 });
    await trial.ask('ann', { count: 7 });
    await trial.ask('bob', { count: 2 });
    expect(trial.refused).toEqual([
      'ann: 3 run, 2 wait, limit of principal.',
      'ann: 3 run, 2 wait, limit of principal.',
    ]);
    expect(trial.shares).toEqual({ ann: [3, 2], bob: [0, 2] });
  });

  it('FairSlots lets a principal wait in a full queue until it has an equal share, and an admin until its own limit', async () => {
    const trial = new Trial({ waitingMax: 6, principalWaitingMax: 6 });
    await trial.ask('ann', { count: 9 });
    await trial.ask('bob', { count: 4 });
    await trial.ask('eve', { count: 4 });
    await trial.ask('root', { count: 8 });
    expect(trial.refused).toEqual([
      'bob: 0 run, 3 wait, limit of all.',
      'eve: 0 run, 2 wait, limit of all.',
      'eve: 0 run, 2 wait, limit of all.',
      'root: 1 run, 6 wait, limit of principal.',
    ]);
  });

  it('FairSlots forgets at once who gives up waiting, and who holds nothing any more', async () => {
    const trial = new Trial({ slotCount: 1, waitingMax: 3, principalWaitingMax: 3 });
    const abort = new AbortController();
    await trial.ask('ann');
    await trial.ask('bob', { count: 3, signal: abort.signal });
    await trial.ask('eve');
    abort.abort();
    await settled();
    expect(trial.shares).toEqual({ ann: [1, 0], eve: [0, 1] });
    expect(trial.slots.waitingCount).toBe(1);
    await trial.end('ann');
    await trial.end('eve');
    expect([trial.granted, trial.shares, trial.slots.takenCount]).toEqual([['ann', 'eve'], {}, 0]);
    expect(trial.refused).toHaveLength(3);
  });

  it('FairSlots starts nothing for a signal that is aborted already', async () => {
    const trial = new Trial();
    await trial.ask('ann', { signal: AbortSignal.abort() });
    expect([trial.granted, trial.shares]).toEqual([[], {}]);
  });

  it('FairSlots takes a slot back once only', async () => {
    const slots = new FairSlots(usual, () => new QuireError('TOO_MANY_QUERIES', 'full'));
    const release = await slots.acquire(claimOf('ann'));
    await slots.acquire(claimOf('ann'));
    release();
    release();
    expect(slots.takenCount).toBe(1);
  });

  it('FairSlots gives the slot on when a task fails', async () => {
    const slots = new FairSlots(
      { ...usual, slotCount: 1 },
      () => new QuireError('TOO_MANY_QUERIES', 'full'),
    );
    const failing = slots.run(claimOf('ann'), () => Promise.reject(new Error('failed')));
    const next = slots.run(claimOf('bob'), () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect(slots.takenCount).toBe(0);
  });

  it('FairSlots lets claims that wait use slots that are there since', async () => {
    const shares = { ...usual, slotCount: 1 };
    const slots = new FairSlots(shares, () => new QuireError('TOO_MANY_QUERIES', 'full'));
    await slots.acquire(claimOf('ann'));
    const waiting = slots.acquire(claimOf('ann'));
    shares.slotCount = 8;
    await slots.acquire(claimOf('bob'));
    await waiting;
    expect(slots.takenCount).toBe(3);
  });
});

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('ask', 'ask', 'end', 'end', 'abort'),
    principal: fc.constantFrom(...principals),
  }),
  { maxLength: 200 },
);

const anyShares = fc.record<SlotShares>({
  slotCount: fc.integer({ min: 1, max: 9 }),
  principalPercentMax: fc.integer({ min: 1, max: 100 }),
  isShareStrict: fc.boolean(),
  adminSlotCount: fc.integer({ min: 0, max: 3 }),
  waitingMax: fc.integer({ min: 0, max: 12 }),
  principalWaitingMax: fc.integer({ min: 0, max: 8 }),
});

it('FairSlots keeps to its law for all sequences of claims, ends and aborts', async () => {
  await fc.assert(
    fc.asyncProperty(anyShares, steps, (shares, sequence) =>
      new FairSlotsLaw(shares).run(sequence),
    ),
    { numRuns: 300 },
  );
});
