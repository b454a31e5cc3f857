import { collect, FaultStore, ManualClock, SeededRandom } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import type { StoreLease } from '@quire/core';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import {
  Cleaner,
  type CleanerSettings,
  type QuotaOptions,
  StorageAdmission,
} from '../src/index.ts';

export const hourMs = 3_600_000;

/** A broker's results with their cleaner, in memory and in virtual time. */
export class CleanerSetup {
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(1);
  readonly disk: MemoryObjectStore;
  readonly store: FaultStore;
  readonly admission: StorageAdmission;
  readonly results: ResultStore;
  readonly log: { level: string; message: string; members: Record<string, unknown> }[] = [];
  settings: CleanerSettings = {
    periodMs: hourMs,
    initialDelayMs: 1000,
    quota: undefined,
    graceMs: hourMs,
    queryTimeoutMs: hourMs / 2,
    concurrencyMax: 2,
  };
  readonly cleaner: Cleaner;

  constructor(
    options: {
      quotaBytes?: number;
      batchSizeBytes?: number;
      disk?: MemoryObjectStore;
      lease?: (setup: CleanerSetup) => StoreLease;
      readSettings?: (settings: CleanerSettings) => CleanerSettings;
    } = {},
  ) {
    const { quotaBytes, batchSizeBytes = 512 * 1024, lease } = options;
    const { clock, random } = this;
    const admission = (this.admission = new StorageAdmission({ clock }));
    this.disk = options.disk ?? new MemoryObjectStore({ sizeMaxBytes: 1e8 });
    this.store = new FaultStore(this.disk, { clock });
    const times = { expirationMs: hourMs, expirationMaxMs: 24 * hourMs, clock, random };
    this.results = new ResultStore({
      store: this.store,
      brokerId: 'b',
      ...times,
      batchSizeBytes,
      cacheBytesMax: 0,
      admission,
    });
    if (quotaBytes !== undefined) this.setQuota(quotaBytes);
    const say = (level: string) => (members: object, message: string) => {
      this.log.push({ level, message, members: { ...members } });
    };
    this.cleaner = new Cleaner({
      target: {
        store: this.store,
        brokerId: 'b',
        remover: this.results,
        admission: this.admission,
      },
      settings: () => options.readSettings?.(this.settings) ?? this.settings,
      clock: this.clock,
      random: this.random,
      log: { info: say('info'), warn: say('warn'), error: say('error') },
      lease: lease?.(this),
    });
  }

  /** Stores a result for each number of rows. */
  async fill(...rowCounts: number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const rowCount of rowCounts) {
      ids.push((await this.results.create(countingRows(rowCount), { owner: 'o' })).entry.requestId);
    }
    return ids;
  }

  /** As `fill`, for an owner, each a millisecond after the one before. */
  async fillAs(owner: string, ...rowCounts: number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const rowCount of rowCounts) {
      ids.push((await this.results.create(countingRows(rowCount), { owner })).entry.requestId);
      await this.clock.advance(1);
    }
    return ids;
  }

  /** The owners of the remaining results, in no order. */
  async ownersLeft(): Promise<string[]> {
    return Promise.all(
      (await this.idsLeft()).map(async (id) => (await this.results.open(id)).owner),
    );
  }

  async idsLeft(): Promise<string[]> {
    return (await collect(this.results.list())).map(({ requestId }) => requestId);
  }

  setQuota(quotaBytes: number, options: Partial<QuotaOptions> = {}): void {
    this.settings = {
      ...this.settings,
      quota: { quotaBytes, criticalPercent: 90, targetPercent: 60, ...options },
    };
  }

  messages(): string[] {
    return this.log.map(({ message }) => message);
  }
}
