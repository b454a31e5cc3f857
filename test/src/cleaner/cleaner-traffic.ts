import { Cleaner, type Leftovers, StorageAdmission } from '@quire/cleaner';
import {
  isQuireError,
  type ObjectStore,
  type RequestId,
  systemClock,
  systemRandom,
} from '@quire/core';
import { ResultStore } from '@quire/results';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';
import { MB, usageOf } from './cleaner-config.ts';

const rowCountMax = 60_000;
/** At least the size of the largest result that is written. */
export const resultBytesMax = rowCountMax * 4 + 10_000;
export const quotaBytes = 4 * MB;

export interface TrafficOptions {
  readonly store: ObjectStore;
  readonly brokerId: string;
  readonly leftovers?: Leftovers;
}

/** The observations of readers and writers. */
export interface Seen {
  /** Responses that are neither a correct page nor an expected refusal. */
  readonly wrong: readonly unknown[];
  readonly writtenCount: number;
  readonly refusedCount: number;
  readonly pageCount: number;
  readonly goneCount: number;
  /**
   * Counted by listings, which take time: results that are stored or deleted during one may count
   * twice.
   */
  readonly usageBytesMax: number;
}

/**
 * Readers and writers of one broker at full speed, with its own cleaner; results live for four
 * seconds, which other processes enforce.
 */
export class CleanerTraffic {
  readonly #options: TrafficOptions;
  readonly #results: ResultStore;
  readonly #cleaner: Cleaner;
  readonly #written = new Map<RequestId, number>();
  readonly #seen = {
    wrong: [] as unknown[],
    writtenCount: 0,
    refusedCount: 0,
    pageCount: 0,
    goneCount: 0,
    usageBytesMax: 0,
  };
  #isOver = false;
  readonly #all: Promise<unknown>;

  constructor(options: TrafficOptions) {
    const { store, brokerId, leftovers } = options;
    const admission = new StorageAdmission();
    this.#options = options;
    this.#results = new ResultStore({
      store,
      brokerId,
      expirationMs: 4000,
      expirationMaxMs: 3_600_000,
      admission,
    });
    this.#cleaner = new Cleaner({
      target: { store, brokerId, remover: this.#results, admission, leftovers },
      settings: () => ({
        quota: { quotaBytes, criticalPercent: 90, targetPercent: 60 },
        periodMs: 3_600_000, // expired results are left to the daemon
        initialDelayMs: 0,
        graceMs: 60_000,
        queryTimeoutMs: 30_000,
        concurrencyMax: 4,
      }),
      clock: systemClock,
      random: systemRandom,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    this.#cleaner.start();
    this.#all = Promise.all([
      this.#write(0),
      this.#write(500),
      this.#read(0),
      this.#read(7),
      this.#read(19),
      this.#watch(),
    ]);
  }

  /** The observations so far. */
  get seen(): Seen {
    return this.#seen;
  }

  /** Lets all clients finish their current calls. */
  async end(): Promise<Seen> {
    this.#isOver = true;
    await this.#all;
    await this.#cleaner.stop();
    return this.#seen;
  }

  async #write(seed: number): Promise<void> {
    for (let turn = seed; !this.#isOver; turn += 1) {
      const rowCount = 1000 + ((turn * 7919) % (rowCountMax - 1000));
      try {
        const { entry } = await this.#results.create(countingRows(rowCount), { owner: 'o' });
        this.#seen.writtenCount += 1;
        this.#written.set(entry.requestId, rowCount);
        if (this.#written.size > 200) this.#written.delete([...this.#written.keys()][0]!);
      } catch (error) {
        if (!isQuireError(error, 'QUERY_LIMIT_EXCEEDED')) this.#seen.wrong.push(error);
        this.#seen.refusedCount += 1;
        await systemClock.sleep(5);
      }
    }
  }

  async #read(seed: number): Promise<void> {
    for (let turn = seed; !this.#isOver; turn += 1) {
      const [requestId, rowCount] = [...this.#written][
        (turn * 31) % Math.max(1, this.#written.size)
      ] ?? [undefined, 0];
      await systemClock.sleep(1);
      if (requestId === undefined) continue;
      const offset = (turn * 104_729) % rowCount;
      try {
        const text = await pageText(await this.#results.open(requestId), offset, 500);
        this.#seen.pageCount += 1;
        if (text !== countingJson(offset, Math.min(rowCount, offset + 500))) {
          this.#seen.wrong.push({ requestId, offset });
        }
      } catch (error) {
        if (!isQuireError(error) || error.kind !== 'missing') this.#seen.wrong.push(error);
        this.#seen.goneCount += 1;
      }
    }
  }

  async #watch(): Promise<void> {
    const { store, brokerId } = this.#options;
    while (!this.#isOver) {
      this.#seen.usageBytesMax = Math.max(this.#seen.usageBytesMax, await usageOf(store, brokerId));
      await systemClock.sleep(50);
    }
  }
}
