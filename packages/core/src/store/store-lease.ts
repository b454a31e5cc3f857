import type { Clock } from '../clock.ts';
import { isQuireError, QuireError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import type { Random } from '../random.ts';
import { readObject } from './read-object.ts';

/** The location of a lease and its duration. */
export interface StoreLeaseOptions {
  readonly store: ObjectStore;
  /** The key of the lease's object. */
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The time until a lease expires when its holder dies; a live holder renews it three times in
   * that time.
   */
  readonly durationMs: number;
  /**
   * True to run the task even if the lease cannot be read or written: for work that must continue
   * when the store accepts no writes.
   */
  readonly isOptional?: boolean;
}

interface LeaseRecord {
  readonly holder: string;
  readonly untilMs: number;
}

/**
 * Gives processes exclusive turns by means of an object in a store. A process that finds no valid
 * lease writes its own, and reads it back to check that no other process has replaced it.
 *
 * Best effort, because the port has no compare-and-swap: work under a lease must be harmless when
 * two processes do it at once.
 */
export class StoreLease {
  readonly #options: StoreLeaseOptions;
  readonly #holder: string;

  constructor(options: StoreLeaseOptions) {
    this.#options = options;
    this.#holder = Buffer.from(options.random.bytes(12)).toString('hex');
  }

  /**
   * Runs the task if the lease is available; returns undefined while another process holds it. The
   * task's signal is aborted when the lease is lost, for example because this process was suspended
   * for longer than the lease.
   *
   * @throws STORE_UNAVAILABLE and similar when the lease cannot be read or written, unless it is
   *   optional
   */
  async runInTurn<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (!(await this.#take())) return undefined;
    const ended = new AbortController();
    const lost = new AbortController();
    const renewal = this.#keep(ended.signal, lost);
    try {
      return await task(lost.signal);
    } finally {
      ended.abort();
      await renewal;
      await this.#release();
    }
  }

  async #keep(ended: AbortSignal, lost: AbortController): Promise<void> {
    const { clock, durationMs, key } = this.#options;
    let renewedMs = clock.monotonicMs();
    for (;;) {
      try {
        await clock.sleep(durationMs / 3, ended);
        const other = await this.#read();
        const isTaken = other !== undefined && other.holder !== this.#holder;
        if (isTaken) {
          lost.abort(new QuireError('ABORTED', `The lease ${key} was taken by another process.`));
          return;
        }
        await this.#write();
        renewedMs = clock.monotonicMs();
      } catch (error) {
        if (ended.aborted) return;
        if (!isQuireError(error)) throw error;
        // A short failure of the store has no effect; one as long as the lease lets other processes
        // take it.
        const isOver = clock.monotonicMs() - renewedMs > durationMs;
        if (!isOver) continue;
        lost.abort(
          new QuireError('ABORTED', `The lease ${key} could not be renewed.`, { cause: error }),
        );
        return;
      }
    }
  }

  async #take(): Promise<boolean> {
    try {
      return await this.#tryAcquire();
    } catch (error) {
      if (this.#options.isOptional !== true || !isQuireError(error)) throw error;
      return true;
    }
  }

  async #tryAcquire(): Promise<boolean> {
    const { clock, durationMs } = this.#options;
    const other = await this.#read();
    // A lease that ends further in the future than any holder may request was written by another
    // clock: it must not block others forever.
    const leftMs = (other?.untilMs ?? 0) - clock.nowMs();
    if (
      other !== undefined &&
      other.holder !== this.#holder &&
      leftMs > 0 &&
      leftMs <= durationMs * 2
    ) {
      return false;
    }
    await this.#write();
    return (await this.#read())?.holder === this.#holder;
  }

  async #write(): Promise<void> {
    const { store, clock, durationMs, key } = this.#options;
    const lease: LeaseRecord = { holder: this.#holder, untilMs: clock.nowMs() + durationMs };
    await store.put(key, Buffer.from(JSON.stringify(lease)));
  }

  async #release(): Promise<void> {
    const { store, clock, key } = this.#options;
    try {
      const lease = await this.#read();
      // One that has expired may belong to another process by now.
      if (lease?.holder === this.#holder && lease.untilMs > clock.nowMs()) await store.delete(key);
    } catch (error) {
      // The lease expires by itself.
      if (!isQuireError(error)) throw error;
    }
  }

  async #read(): Promise<LeaseRecord | undefined> {
    try {
      const parsed: unknown = JSON.parse(
        Buffer.from(await readObject(this.#options.store, this.#options.key)).toString(),
      );
      return isLease(parsed) ? parsed : undefined;
    } catch (error) {
      // Text that cannot be parsed counts as no lease: another process may be writing one.
      if (isQuireError(error, 'OBJECT_NOT_FOUND') || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function isLease(value: unknown): value is LeaseRecord {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'holder' in value &&
    typeof value.holder === 'string' &&
    'untilMs' in value &&
    typeof value.untilMs === 'number'
  );
}
