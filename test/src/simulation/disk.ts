import {
  type CallOptions,
  type ConditionalWriter,
  type DeleteOptions,
  type GetOptions,
  isQuireError,
  type ListOptions,
  type ObjectBody,
  type ObjectEntry,
  type ObjectStore,
  QuireError,
  throwIfAborted,
} from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import type { SimulatedProcess } from './machine.ts';
import type { Scheduler } from './scheduler.ts';

/** The possible faults of calls to a store, while `isFaulty`. */
export interface DiskConditions {
  /** The largest latency of a call. */
  latencyMaxMs: number;
  /** The probability for each call to fail, before or after it has an effect. */
  failureChance: number;
  /** Puts fail with STORE_FULL. */
  isFull: boolean;
}

/** Hides recent puts and deletions from the listings of a bucket. */
export class ListingLag {
  readonly #scheduler: Scheduler;
  readonly #lagMs: number;
  readonly #put = new Map<string, number>();
  readonly #deleted = new Map<string, { readonly atMs: number; readonly entry: ObjectEntry }>();

  constructor(scheduler: Scheduler, lagMs: number) {
    this.#scheduler = scheduler;
    this.#lagMs = lagMs;
  }

  notePut(key: string): void {
    if (!this.#deleted.delete(key)) this.#put.set(key, this.#scheduler.nowMs);
  }

  noteDeleted(entry: ObjectEntry): void {
    if (!this.#put.delete(entry.key)) {
      this.#deleted.set(entry.key, { atMs: this.#scheduler.nowMs, entry });
    }
  }

  isShown(key: string): boolean {
    return (this.#put.get(key) ?? -Infinity) + this.#lagMs <= this.#scheduler.nowMs;
  }

  /** Returns deleted objects that are still listed. */
  gone(prefix: string): readonly ObjectEntry[] {
    return [...this.#deleted.values()]
      .filter(({ atMs }) => atMs + this.#lagMs > this.#scheduler.nowMs)
      .map(({ entry }) => entry)
      .filter(({ key }) => key.startsWith(prefix));
  }
}

/**
 * The number of entries that a listing reads at a time: it may show a part of the changes that
 * occur while it runs.
 */
const listedAtOnce = 5;

/**
 * The store as one process reaches it. Calls take time, take effect at one moment of that time, and
 * may fail before or after it. A process that is killed during a call does not learn whether the
 * call took effect.
 */
export class SimulatedStore implements ObjectStore, ConditionalWriter {
  readonly location: string;
  readonly #objects: ObjectStore;
  readonly #process: SimulatedProcess;
  readonly #random: SeededRandom;
  readonly #conditions: DiskConditions;
  readonly #onStored: (key: string) => Promise<void>;
  readonly #lag: ListingLag | undefined;

  constructor(options: {
    readonly location: string;
    readonly objects: ObjectStore;
    readonly process: SimulatedProcess;
    readonly random: SeededRandom;
    readonly conditions: DiskConditions;
    readonly lag?: ListingLag | undefined;
    /** Called when an object starts to exist. */
    readonly onStored: (key: string) => Promise<void>;
  }) {
    this.#onStored = options.onStored;
    this.location = options.location;
    this.#objects = options.objects;
    this.#process = options.process;
    this.#random = options.random;
    this.#conditions = options.conditions;
    this.#lag = options.lag;
  }

  head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return this.#call(`head ${key}`, options, () => this.#objects.head(key));
  }

  get(key: string, options?: GetOptions): Promise<ObjectBody> {
    const range = options?.range === undefined ? {} : { range: options.range };
    return this.#call(`get ${key}`, options, async () => {
      const object = await this.#objects.get(key, range);
      return {
        sizeBytes: object.sizeBytes,
        body: this.#paced(object.body, options?.signal),
        [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
      };
    });
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    let bytes: Uint8Array;
    if (body instanceof Uint8Array) {
      bytes = body.slice();
    } else {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) {
        throwIfAborted(options?.signal);
        chunks.push(chunk.slice());
        await this.#process.pause(this.#latencyMs());
      }
      bytes = Buffer.concat(chunks);
    }
    return this.#call(`put ${key}`, options, async () => {
      if (this.#conditions.isFull) {
        throw new QuireError('STORE_FULL', 'The simulated disk is full.');
      }
      const isNew = this.#lag !== undefined && (await this.#find(key)) === undefined;
      const entry = await this.#objects.put(key, bytes);
      if (isNew) this.#lag?.notePut(key);
      await this.#onStored(key);
      return entry;
    });
  }

  putIfAbsent(
    key: string,
    bytes: Uint8Array,
    options?: CallOptions,
  ): Promise<ObjectEntry | undefined> {
    return this.#call(`put ${key}`, options, async () => {
      if (this.#conditions.isFull) {
        throw new QuireError('STORE_FULL', 'The simulated disk is full.');
      }
      if ((await this.#find(key)) !== undefined) return undefined;
      const entry = await this.#objects.put(key, bytes);
      this.#lag?.notePut(key);
      await this.#onStored(key);
      return entry;
    });
  }

  async *list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectEntry> {
    let { after } = options;
    for (;;) {
      const page = await this.#call(`list ${prefix}`, options, () =>
        this.#readPage(prefix, { ...options, after }),
      );
      yield* page;
      if (page.length < listedAtOnce) return;
      after = page.at(-1)?.key;
    }
  }

  delete(key: string, options?: DeleteOptions): Promise<void> {
    return this.#call(`delete ${key}`, options, async () => {
      const entry = this.#lag === undefined ? undefined : await this.#find(key);
      await this.#objects.delete(key, { isDurable: options?.isDurable });
      if (entry !== undefined) this.#lag?.noteDeleted(entry);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #readPage(
    prefix: string,
    { after, skipsFolder }: ListOptions,
  ): Promise<readonly ObjectEntry[]> {
    const entries: ObjectEntry[] = [];
    for await (const entry of this.#objects.list(prefix, { after, skipsFolder })) {
      if (this.#lag?.isShown(entry.key) !== false) entries.push(entry);
      if (entries.length === listedAtOnce) break;
    }
    if (this.#lag === undefined) return entries;
    const last = entries.length === listedAtOnce ? entries.at(-1)?.key : undefined;
    const gone = this.#lag
      .gone(prefix)
      .filter(({ key }) => key > (after ?? '') && (last === undefined || key < last));
    const all = [...entries, ...gone].toSorted((a, b) => (a.key < b.key ? -1 : 1));
    return all.slice(0, listedAtOnce);
  }

  async #find(key: string): Promise<ObjectEntry | undefined> {
    try {
      return await this.#objects.head(key);
    } catch (error) {
      if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
      return undefined;
    }
  }

  #latencyMs(): number {
    return this.#random.fraction() * this.#conditions.latencyMaxMs;
  }

  async #call<T>(
    what: string,
    options: CallOptions | undefined,
    act: () => Promise<T>,
  ): Promise<T> {
    throwIfAborted(options?.signal);
    const fails = this.#random.fraction() < this.#conditions.failureChance;
    const failsBefore = fails && this.#random.fraction() < 0.5;
    await this.#process.pause(this.#latencyMs());
    throwIfAborted(options?.signal);
    if (failsBefore) throw new QuireError('STORE_UNAVAILABLE', `Simulated: no answer to ${what}.`);
    const outcome = await act();
    await this.#process.pause(this.#latencyMs());
    if (fails) throw new QuireError('STORE_UNAVAILABLE', `Simulated: answer lost to ${what}.`);
    throwIfAborted(options?.signal);
    return outcome;
  }

  async *#paced(
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      throwIfAborted(signal);
      await this.#process.pause(this.#latencyMs());
      yield chunk;
    }
  }
}
