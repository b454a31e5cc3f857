import { abortError, type QuireError, throwIfAborted } from '../errors.ts';
import type { ReleaseSlot } from './slots.ts';

/** A request for a slot: its principal, and whether that principal is an admin. */
export interface SlotClaim {
  readonly principal: string;
  readonly isAdmin: boolean;
}

/**
 * The shares of the slots and of the queue. Read at each decision, so that getters make it live.
 */
export interface SlotShares {
  readonly slotCount: number;
  /**
   * The percentage of the slots that one principal may hold while others wait; at least one slot.
   */
  readonly principalPercentMax: number;
  /**
   * True if that share also applies while no one else waits, so that a slot is free for a principal
   * that arrives later.
   */
  readonly isShareStrict: boolean;
  /**
   * The number of slots for admins only; always fewer than half, so none if there are one or two
   * slots.
   */
  readonly adminSlotCount: number;
  /**
   * The number of claims that may wait. Admins, and principals with less than an equal share of the
   * queue, may exceed it.
   */
  readonly waitingMax: number;
  /** The number of waiting claims of one principal, at most `waitingMax`. */
  readonly principalWaitingMax: number;
}

/** The slots and the waiting claims of one principal. */
export interface PrincipalShare extends SlotClaim {
  readonly takenCount: number;
  readonly waitingCount: number;
}

/** A claim that may not wait. */
export interface RefusedClaim extends PrincipalShare {
  /** The limit that was reached: the principal's own, or that of all together. */
  readonly limit: 'principal' | 'all';
}

/**
 * The reason why a claim waits: all slots that it may use are taken, or its principal holds its
 * share.
 */
export type WaitReason = 'slots' | 'share';

interface Holder {
  readonly principal: string;
  isAdmin: boolean;
  takenCount: number;
  /**
   * Start functions of the waiting claims, oldest first. A Set removes an aborted one in constant
   * time.
   */
  readonly waiting: Set<() => void>;
}

/**
 * Slots that principals share fairly.
 *
 * Waiting principals take turns: each gets one slot in a round, however many claims it has queued.
 * A principal that holds its share (`principalPercentMax`) gets no further slot while one that
 * holds less is waiting.
 *
 * No slot stays free while a claim waits that may use it. So a principal that is alone uses all
 * slots except those of admins, unless shares are strict. Slots are not revoked: a principal that
 * arrives later gets the next one.
 *
 * The order of turns is a ring: a principal that gets a slot, or releases one, moves to its end. So
 * between two turns of a waiting principal, every other one gets at most one slot that it could
 * have used.
 */
export class FairSlots {
  readonly #shares: SlotShares;
  readonly #refusal: (refused: RefusedClaim) => QuireError;
  /** Principals that hold a slot or wait for one. */
  readonly #holders = new Map<string, Holder>();
  /** Principals that wait for a slot, in order. */
  readonly #ring = new Set<Holder>();
  #takenCount = 0;
  #takenByAdminsCount = 0;
  #waitingCount = 0;

  constructor(shares: SlotShares, refusal: (refused: RefusedClaim) => QuireError) {
    this.#shares = shares;
    this.#refusal = refusal;
  }

  get takenCount(): number {
    return this.#takenCount;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** The slots and waiting claims of each principal, in no particular order. */
  get principals(): readonly PrincipalShare[] {
    return [...this.#holders.values()].map(shareOf);
  }

  /**
   * Resolves once a slot is free, with the function that releases it.
   *
   * @throws the refusal's error immediately, when no slot is free and the queue is full
   * @throws ABORTED when the signal is or becomes aborted; the claim has then left the queue
   */
  async acquire(claim: SlotClaim, signal?: AbortSignal): Promise<ReleaseSlot> {
    throwIfAborted(signal);
    const holder = this.#holderOf(claim);
    // The number of slots may have grown. Free slots that remain after this cannot be used by
    // waiting claims.
    this.startNext();
    if (this.#hasSlotFor(holder)) return this.#take(holder);
    this.#assertMayWait(holder);
    return this.#wait(holder, signal);
  }

  /** Runs the task in a slot. @throws as `acquire`, and any error of the task */
  async run<T>(claim: SlotClaim, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(claim, signal);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Returns the reason why claims of a principal wait for a slot; undefined if none does. */
  waitReasonOf(principal: string): WaitReason | undefined {
    const holder = this.#holders.get(principal);
    if (holder === undefined || !this.#ring.has(holder)) return undefined;
    const isShareEnforced = this.#shares.isShareStrict || this.#ring.size > 1;
    return isShareEnforced && !this.#isBelowShare(holder) ? 'share' : 'slots';
  }

  /** Starts the waiting claims that may use a slot. Call it when the shares have changed. */
  startNext(): void {
    for (let next = this.#chooseNext(); next !== undefined; next = this.#chooseNext()) {
      const [start] = next.waiting;
      start?.();
    }
  }

  #holderOf({ principal, isAdmin }: SlotClaim): Holder {
    const known = this.#holders.get(principal);
    if (known !== undefined) {
      known.isAdmin = isAdmin;
      return known;
    }
    const holder: Holder = { principal, isAdmin, takenCount: 0, waiting: new Set() };
    this.#holders.set(principal, holder);
    return holder;
  }

  #wait(holder: Holder, signal: AbortSignal | undefined): Promise<ReleaseSlot> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        this.#leave(holder, start);
        resolve(this.#take(holder));
      };
      const onAbort = (): void => {
        this.#leave(holder, start);
        this.#forgetIdle(holder);
        if (signal !== undefined) reject(abortError(signal));
      };
      holder.waiting.add(start);
      this.#waitingCount += 1;
      this.#ring.add(holder);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #leave(holder: Holder, start: () => void): void {
    holder.waiting.delete(start);
    this.#waitingCount -= 1;
    if (holder.waiting.size === 0) this.#ring.delete(holder);
  }

  #take(holder: Holder): ReleaseSlot {
    // The role may have changed when the slot is released.
    const { isAdmin } = holder;
    this.#count(holder, isAdmin, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#count(holder, isAdmin, -1);
      this.#forgetIdle(holder);
      this.startNext();
    };
  }

  #count(holder: Holder, isAdmin: boolean, change: 1 | -1): void {
    holder.takenCount += change;
    this.#takenCount += change;
    if (isAdmin) this.#takenByAdminsCount += change;
    // Moves it to the end of the ring.
    if (this.#ring.delete(holder)) this.#ring.add(holder);
  }

  /**
   * Returns the first principal in the ring that may use a slot and is below its share, or
   * otherwise the first that may use one.
   */
  #chooseNext(): Holder | undefined {
    let beyondShare: Holder | undefined;
    for (const holder of this.#ring) {
      if (!this.#hasSlotFor(holder)) continue;
      if (this.#isBelowShare(holder)) return holder;
      beyondShare ??= holder;
    }
    return beyondShare;
  }

  #hasSlotFor(holder: Holder): boolean {
    const { slotCount, adminSlotCount, isShareStrict } = this.#shares;
    if (this.#takenCount >= slotCount || (isShareStrict && !this.#isBelowShare(holder))) {
      return false;
    }
    if (holder.isAdmin) return true;
    const heldBackCount = Math.min(adminSlotCount, Math.ceil(slotCount / 2) - 1);
    return this.#takenCount - this.#takenByAdminsCount < slotCount - heldBackCount;
  }

  #isBelowShare({ takenCount }: Holder): boolean {
    const { slotCount, principalPercentMax } = this.#shares;
    return takenCount < Math.max(1, Math.floor((slotCount * principalPercentMax) / 100));
  }

  #assertMayWait(holder: Holder): void {
    const { waitingMax, principalWaitingMax } = this.#shares;
    const waitingCount = holder.waiting.size;
    const refuse = (limit: RefusedClaim['limit']): never => {
      this.#forgetIdle(holder);
      throw this.#refusal({ ...shareOf(holder), limit });
    };
    if (waitingCount >= Math.min(waitingMax, principalWaitingMax)) refuse('principal');
    if (this.#waitingCount < waitingMax || holder.isAdmin || waitingCount === 0) return;
    if (waitingCount >= waitingMax / this.#ring.size) refuse('all');
  }

  #forgetIdle({ principal, takenCount, waiting }: Holder): void {
    if (takenCount === 0 && waiting.size === 0) this.#holders.delete(principal);
  }
}

function shareOf({ principal, isAdmin, takenCount, waiting }: Holder): PrincipalShare {
  return { principal, isAdmin, takenCount, waitingCount: waiting.size };
}
