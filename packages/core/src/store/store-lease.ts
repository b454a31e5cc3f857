import type { Clock } from '../clock.ts';
import { isQuireError, QuireError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import type { Random } from '../random.ts';
import { readObject } from './read-object.ts';

/** Where a lease is kept, and for how long it is taken. */
export interface StoreLeaseOptions {
  readonly store: ObjectStore;
  /** The key of the lease's object. */
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * How long a lease holds when its holder dies; one that lives takes it again three times in that
   * time.
   */
  readonly durationMs: number;
  /**
   * Whether a lease that cannot be read or written is as good as taken: for work that must go on
   * when the store takes no writes.
   */
  readonly isOptional?: boolean;
}

interface LeaseRecord {
  readonly holder: string;
  readonly untilMs: number;
}

/**
 * Lets processes take turns by an object in a store: a process that finds no valid lease writes its
 * own, and reads whether it stands.
 *
 * Best effort, since stores have no compare-and-swap in the port: what is done under a lease must
 * be harmless when two do it at once.
 */
export class StoreLease {
  readonly #options: StoreLeaseOptions;
  readonly #holder: string;

  constructor(options: StoreLeaseOptions) {
    this.#options = options;
    this.#holder = Buffer.from(options.random.bytes(12)).toString('hex');
  }

  /**
   * Runs the task when the lease can be had; undefined while another has it. The task's signal is
   * aborted when the lease is lost, as when this process stood still for longer than a lease lasts.
   *
   * @throws STORE_UNAVAILABLE and the like when the lease cannot be read or written, unless it is
   * optional
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
        // A store that fails for a moment costs nothing; one that fails for as long as a lease
        // lasts lets others in.
        const isOver = clock.monotonicMs() - renewedMs > durationMs;
        if (!isOver) continue;
        lost.abort(
          new QuireError('ABORTED', `The lease ${key} could not be kept.`, { cause: error }),
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
    // A lease from further in the future than any holder takes comes from another clock: it must
    // not keep others out for ever.
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
    try {
      if ((await this.#read())?.holder === this.#holder) {
        await this.#options.store.delete(this.#options.key);
      }
    } catch (error) {
      // It runs out by itself.
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
      // A text that cannot be parsed counts as no lease at all: another process may write one.
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
