import { type Clock, isQuireError, type ObjectStore, type Random, readObject } from '@quire/core';

/** Lies beside the brokers' folders; no broker's object has a name of two segments. */
export const leaseKey = 'quire-cleaner/lease.json';

export interface LeaseOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** How long a lease holds when its holder dies; one that lives takes it again three times in that time. */
  readonly durationMs: number;
}

interface LeaseText {
  readonly holder: string;
  readonly untilMs: number;
}

/**
 * Lets cleaners on one store take turns: a cleaner that finds no valid lease takes one, and then checks that it is its own.
 *
 * Best effort, to save work: stores have no compare-and-swap in the port. Two cleaners at once do no harm, because deletions are
 * idempotent. So a lease that cannot be read or written never keeps a cleaner from its work: freeing needs no successful write.
 */
export class CleanerLease {
  readonly #options: LeaseOptions;
  readonly #holder: string;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#holder = Buffer.from(options.random.bytes(12)).toString('hex');
  }

  /** Runs the task when it is our turn; undefined when it is another's. */
  async runInTurn<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#take())) return undefined;
    const end = new AbortController();
    const keeping = this.#keep(end.signal);
    try {
      return await task();
    } finally {
      end.abort();
      await keeping;
      await this.#giveBack();
    }
  }

  /** Takes the lease again while the task runs: it may last longer than a lease, which is short for the sake of those who wait for the dead. */
  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, durationMs } = this.#options;
    for (;;) {
      try {
        await clock.sleep(durationMs / 3, signal);
      } catch (error) {
        if (isQuireError(error, 'ABORTED')) return;
        throw error;
      }
      await this.#write();
    }
  }

  async #take(): Promise<boolean> {
    const { clock, durationMs } = this.#options;
    const other = await this.#read();
    // A lease from further in the future than any holder takes comes from another clock: it must not lock us out for ever.
    const leftMs = (other?.untilMs ?? 0) - clock.nowMs();
    if (other !== undefined && other.holder !== this.#holder && leftMs > 0 && leftMs <= durationMs * 2) return false;
    if (!(await this.#write())) return true;
    const holder = (await this.#read())?.holder;
    return holder === undefined || holder === this.#holder;
  }

  /** False when the store takes nothing, which keeps nobody from freeing it. */
  async #write(): Promise<boolean> {
    const { store, clock, durationMs } = this.#options;
    const lease: LeaseText = { holder: this.#holder, untilMs: clock.nowMs() + durationMs };
    try {
      await store.put(leaseKey, Buffer.from(JSON.stringify(lease)));
      return true;
    } catch (error) {
      if (!isQuireError(error)) throw error;
      return false;
    }
  }

  async #giveBack(): Promise<void> {
    if ((await this.#read())?.holder !== this.#holder) return;
    try {
      await this.#options.store.delete(leaseKey);
    } catch (error) {
      // It runs out by itself.
      if (!isQuireError(error)) throw error;
    }
  }

  async #read(): Promise<LeaseText | undefined> {
    try {
      const parsed: unknown = JSON.parse(Buffer.from(await readObject(this.#options.store, leaseKey, {})).toString());
      return isLease(parsed) ? parsed : undefined;
    } catch (error) {
      // There is none, or none that makes sense: either way nobody's turn.
      if (isQuireError(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function isLease(value: unknown): value is LeaseText {
  if (typeof value !== 'object' || value === null) return false;
  return 'holder' in value && typeof value.holder === 'string' && 'untilMs' in value && typeof value.untilMs === 'number';
}
