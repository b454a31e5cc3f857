import assert from 'node:assert/strict';
import { QuireError } from '@quire/core';
import { FairSlots, type ReleaseSlot, type SlotClaim, type SlotShares } from '@quire/core/wait';

/** The principals; those with names that start with root are admins. */
export const principals = ['ann', 'bob', 'eve', 'root', 'root2'];

export function claimOf(principal: string): SlotClaim {
  return { principal, isAdmin: principal.startsWith('root') };
}

/** Resolves once all granted claims have been notified. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Slots in use and waiting claims, by principal. */
type Held = ReadonlyMap<string, { readonly taken: number; readonly waiting: number }>;

export type Step = { readonly kind: 'ask' | 'end' | 'abort'; readonly principal: string };

/** The guarantees to each principal, checked after every step. */
export class FairSlotsLaw {
  readonly #shares: SlotShares;
  readonly #slots: FairSlots;
  readonly #held = new Map<string, ReleaseSlot[]>();
  readonly #aborts = new Map<string, AbortController[]>();
  /**
   * The number of times that others were granted a slot that a waiting principal could have used,
   * since its last turn; by waiting principal, then by winner.
   */
  readonly #overtaken = new Map<string, Map<string, number>>();

  constructor(shares: SlotShares) {
    this.#shares = shares;
    this.#slots = new FairSlots(shares, () => new QuireError('TOO_MANY_QUERIES', 'full'));
  }

  async run(sequence: readonly Step[]): Promise<void> {
    for (const step of sequence) {
      const before = this.#state();
      if (step.kind === 'ask') this.#ask(step.principal);
      if (step.kind === 'end') this.#held.get(step.principal)?.shift()?.();
      if (step.kind === 'abort') this.#aborts.get(step.principal)?.shift()?.abort();
      // A release grants at most one slot at a time.
      await settled();
      this.#check(step, before);
    }
    for (const principal of principals) {
      for (const abort of this.#aborts.get(principal) ?? []) abort.abort();
    }
    for (const release of [...this.#held.values()].flat()) release();
    await settled();
    assert.deepEqual(
      [this.#slots.takenCount, this.#slots.waitingCount, this.#slots.principals],
      [0, 0, []],
    );
  }

  #ask(principal: string): void {
    const abort = new AbortController();
    this.#aborts.set(principal, [...(this.#aborts.get(principal) ?? []), abort]);
    this.#slots.acquire(claimOf(principal), abort.signal).then(
      (release) => this.#held.set(principal, [...(this.#held.get(principal) ?? []), release]),
      () => undefined,
    );
  }

  #state(): Held {
    return new Map(
      this.#slots.principals.map(({ principal, takenCount, waitingCount }) => [
        principal,
        { taken: takenCount, waiting: waitingCount },
      ]),
    );
  }

  #check(step: Step, before: Held): void {
    const after = this.#state();
    const of = (state: typeof before, principal: string) =>
      state.get(principal) ?? { taken: 0, waiting: 0 };
    const {
      slotCount,
      adminSlotCount,
      waitingMax,
      principalWaitingMax,
      principalPercentMax,
      isShareStrict,
    } = this.#shares;
    const taken = (state: typeof before, names: readonly string[]): number =>
      names.reduce((sum, name) => sum + of(state, name).taken, 0);
    const others = principals.filter((name) => !name.startsWith('root'));
    const othersMax = slotCount - Math.min(adminSlotCount, Math.ceil(slotCount / 2) - 1);
    const share = Math.max(1, Math.floor((slotCount * principalPercentMax) / 100));

    // Never more slots than exist, and never those of admins.
    assert.equal(taken(after, principals), this.#slots.takenCount);
    assert.ok(taken(after, principals) <= slotCount);
    assert.ok(taken(after, others) <= othersMax);
    const isFreeFor = (state: typeof before, name: string): boolean =>
      taken(state, principals) < slotCount &&
      (name.startsWith('root') || taken(state, others) < othersMax) &&
      (!isShareStrict || of(state, name).taken < share);
    for (const name of principals) {
      const { waiting } = of(after, name);
      assert.ok(waiting <= Math.min(waitingMax, principalWaitingMax));
      // No slot stays free if a waiting claim could use it.
      assert.ok(waiting === 0 || !isFreeFor(after, name), `a slot is free that ${name} could use`);
      // No call is refused while the queue has space, unless nothing may wait.
      const mayWait = Math.min(waitingMax, principalWaitingMax) > 0;
      if (
        step.kind === 'ask' &&
        step.principal === name &&
        of(before, name).waiting === 0 &&
        mayWait
      ) {
        assert.equal(
          of(after, name).waiting + of(after, name).taken,
          of(before, name).taken + 1,
          `${name} was refused`,
        );
      }
    }
    if (step.kind !== 'end') return this.#forget(after);

    const free = new Map(before);
    const { taken: held, waiting } = of(before, step.principal);
    free.set(step.principal, { taken: Math.max(0, held - 1), waiting });
    const winner = principals.find((name) => of(after, name).taken > of(free, name).taken);
    if (winner === undefined) return this.#forget(after);
    const rivals = principals.filter(
      (name) => name !== winner && of(before, name).waiting > 0 && isFreeFor(free, name),
    );
    for (const rival of rivals) {
      const isBelow = of(free, rival).taken < share;
      // A principal exceeds its share only while none with fewer slots waits.
      assert.ok(
        !isBelow || of(free, winner).taken < share,
        `${winner} got more than its share before ${rival}`,
      );
      // A principal that releases a slot has had its turn.
      if (rival === step.principal || (!isBelow && of(free, winner).taken < share)) continue;
      const overtaken = this.#overtaken.get(rival) ?? new Map<string, number>();
      overtaken.set(winner, (overtaken.get(winner) ?? 0) + 1);
      this.#overtaken.set(rival, overtaken);
      assert.ok((overtaken.get(winner) ?? 0) <= 1, `${winner} had two turns before ${rival}`);
    }
    this.#overtaken.delete(winner);
    this.#overtaken.delete(step.principal);
    this.#forget(after);
  }

  #forget(state: Held): void {
    for (const name of principals) {
      if ((state.get(name)?.waiting ?? 0) === 0) this.#overtaken.delete(name);
    }
  }
}
