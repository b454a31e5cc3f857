import assert from 'node:assert/strict';
import type { CleanerSettings } from '@quire/cleaner';
import { createRequestId, isQuireError, type RequestId } from '@quire/core';
import { collect, type FaultStore, ManualClock, SeededRandom } from '@quire/core/testing';
import { listResultFolders, type ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/store-memory';
import { countingJson, countingRows } from '../builders/counting-rows.ts';
import { pageText } from '../builders/page-text.ts';
import type { Action, Scene, Weather } from './cleaner-actions.ts';
import { Process, type Removed } from './cleaner-process.ts';

const hourMs = 3_600_000;
const graceMs = 2 * hourMs;
const bytesPerRow = 4;
const bytesPerRowMax = 20;
const bytesPerResultMax = 3000;

/** What is known of a result that somebody began to write. */
interface KnownResult {
  readonly requestId: RequestId;
  readonly rowCount: number;
  /** Until then it lives for sure; not later than the truth. */
  expirationTimeMs: number;
  /** `live`: it must be there. `gone`: it must not. `unknown`: a failure left that open; if it is there, it is right. */
  state: 'live' | 'gone' | 'unknown';
  /** Whether somebody has tried to remove it, perhaps before its writer heard that it stands. */
  isDisturbed: boolean;
}

/** A broker with its cleaner, a daemon, the disk that they share, and what must be true of it. */
export class World {
  readonly disk = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(7);
  settings: CleanerSettings = { periodMs: hourMs, initialDelayMs: 0, quota: undefined, graceMs, concurrencyMax: 3 };
  #broker = new Process(this, 'broker');
  #daemon = new Process(this, 'daemon');
  readonly #known: KnownResult[] = [];
  #turn = 0;
  #isDaemonSweeping = false;
  /** At no moment of the scene was more stored than this, writes in flight apart. */
  #storedBytesMax = 0;
  /** The critical thresholds of which evictions in this scene say that they were exceeded. */
  #evictedAbove: number[] = [];
  /** What a cleaner has removed and must not have. */
  readonly #violations: string[] = [];

  /** Runs one scene to its end and checks what must be true after it. */
  async play({ actions, weather }: Scene): Promise<void> {
    this.#storedBytesMax = await this.#presentBytes();
    this.#evictedAbove = [];
    this.#isDaemonSweeping = actions.some((action) => action.kind === 'sweep' && action.by === 'daemon');
    this.#brew(weather);
    await this.#drive(Promise.all(actions.map((action) => this.#act(action))));
    this.#brew({ fault: undefined, delaySeed: undefined });
    if (this.#broker.store.isCrashed) this.#broker = new Process(this, 'broker');
    if (this.#daemon.store.isCrashed) this.#daemon = new Process(this, 'daemon');
    this.#expire();
    assert.deepEqual(this.#violations, []);
    for (const criticalBytes of this.#evictedAbove) assert.ok(this.#storedBytesMax > criticalBytes, 'evicted for nothing stored');
    await this.#expectListed();
    this.#turn += 1;
    const result = this.#known[this.#turn % Math.max(1, this.#known.length)];
    if (result !== undefined) await this.#expectReadable(result, this.#broker.results);
  }

  /** Lets peace return and two grace periods pass: nothing may be left but whole results, and not too much of these. */
  async conclude(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.#broker.cleaner.sweep('schedule');
      if (round < 2) await this.clock.advance(graceMs);
    }
    this.#expire();
    assert.deepEqual(this.#violations, []);
    const folders = await collect(listResultFolders(this.disk, ''));
    assert.deepEqual(
      folders.filter(({ entry, orphans }) => entry === undefined || orphans.length > 0),
      [],
    );
    const presentBytes = await this.#presentBytes();
    assert.equal(this.#broker.admission.usageBytes, presentBytes);
    const { quota } = this.settings;
    if (quota !== undefined) {
      assert.ok(presentBytes <= (quota.quotaBytes * quota.criticalPercent) / 100, 'usage is above critical');
    }
    for (const { entry } of folders) assert.ok(entry!.expirationTimeMs > this.clock.nowMs(), 'an expired result is left');
    // The disk has to prove it to a process that remembers nothing, and the broker must say the same.
    for (const results of [new Process(this, 'daemon').results, this.#broker.results]) {
      for (const result of this.#known) await this.#expectReadable(result, results);
    }
  }

  async #presentBytes(): Promise<number> {
    return (await collect(this.disk.list(''))).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Called by the cleaners' logs. */
  noteRemoval({ id, reason }: Removed, isDone: boolean): void {
    const result = this.#known.find(({ requestId }) => requestId === id);
    const violate = (what: string): void => void this.#violations.push(`${id} was ${reason}: ${what}`);
    if (result === undefined) return violate('nobody ever wrote it');
    // Of a committed result, that is a commit record which a renewal has replaced: whether the result still reads is checked anyway.
    if (reason === 'orphan') return undefined;
    if (reason === 'expired' && result.state === 'live' && result.expirationTimeMs > this.clock.nowMs()) {
      violate('it had time left');
    }
    if (reason === 'evicted') {
      const { quota } = this.settings;
      if (quota === undefined) violate('no quota is enforced');
      else this.#evictedAbove.push((quota.quotaBytes * quota.criticalPercent) / 100);
    }
    Object.assign(result, { state: isDone ? 'gone' : 'unknown', isDisturbed: true });
    return undefined;
  }

  /** Makes the calls of both processes go as the weather says, counted from now. */
  #brew({ fault, delaySeed }: Weather): void {
    const random = delaySeed === undefined ? undefined : new SeededRandom(delaySeed);
    let count = 0;
    const plan: FaultStore['plan'] = () => {
      count += 1;
      if (fault?.at === count) return fault.fault;
      return random === undefined ? undefined : { kind: 'slow', delayMs: random.integer(4) };
    };
    this.#broker.store.plan = plan;
    this.#daemon.store.plan = plan;
  }

  /** Lets virtual time pass until it is done. */
  async #drive(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    while (!isDone) await this.clock.advance(1);
    await done;
  }

  /** What has once been seen as expired may be treated as gone, even if the clock is set back. */
  #expire(): void {
    for (const result of this.#known) {
      if (result.state === 'live' && result.expirationTimeMs <= this.clock.nowMs()) result.state = 'unknown';
    }
  }

  async #act(action: Action): Promise<void> {
    switch (action.kind) {
      case 'write':
        return this.#write(action.rowCount);
      case 'abort':
        return this.#write(action.rowCount, AbortSignal.abort());
      case 'read':
        return this.#read(action.result, action.offset, action.rowCount);
      case 'renew':
        return this.#renew(action.result, action.durationMs);
      case 'delete':
        return this.#delete(action.result);
      case 'sweep':
        return this.#sweep(action.by);
      case 'tick':
        return this.clock.advance(action.durationMs);
      case 'step-clock':
        this.clock.stepWallClock(action.deltaMs);
        return undefined;
      case 'quota': {
        const { quotaBytes } = action;
        const quota = quotaBytes === undefined ? undefined : { quotaBytes, criticalPercent: 90, targetPercent: 60 };
        this.settings = { ...this.settings, quota };
        return undefined;
      }
      case 'restart':
        if (action.who === 'broker') this.#broker = new Process(this, 'broker');
        else this.#daemon = new Process(this, 'daemon');
        return undefined;
    }
  }

  async #write(rowCount: number, signal?: AbortSignal): Promise<void> {
    const requestId = createRequestId(this.clock, this.random);
    const result: KnownResult = { requestId, rowCount, expirationTimeMs: 0, state: 'unknown', isDisturbed: false };
    this.#known.push(result);
    const { admission } = this.#broker;
    const quotaBefore = admission.policy?.quotaBytes ?? Number.POSITIVE_INFINITY;
    try {
      const { entry } = await this.#broker.results.create(countingRows(rowCount, 100), { owner: 'o', requestId, signal });
      // A sweep at the same time may have brought another quota into force.
      const quotaBytes = Math.max(quotaBefore, admission.policy?.quotaBytes ?? Number.POSITIVE_INFINITY);
      assert.ok(entry.sizeBytes <= quotaBytes, 'a result is larger than the quota');
      this.#storedBytesMax += entry.sizeBytes;
      if (!result.isDisturbed) Object.assign(result, { state: 'live', expirationTimeMs: entry.expirationTimeMs });
    } catch (error) {
      if (!isQuireError(error)) throw error;
      // Data larger than the quota is refused before it is stored; what failed otherwise may have been.
      const isRefusedEarly = error.code === 'QUERY_LIMIT_EXCEEDED' && rowCount * bytesPerRow > quotaBefore;
      if (!isRefusedEarly) this.#storedBytesMax += rowCount * bytesPerRowMax + bytesPerResultMax;
    }
  }

  async #read(index: number, offset: number, rowCount: number): Promise<void> {
    const result = this.#known[index];
    if (result === undefined) return;
    const start = Math.min(offset, result.rowCount);
    try {
      const text = await pageText(await this.#broker.results.open(result.requestId), start, rowCount);
      assert.equal(text, countingJson(start, Math.min(result.rowCount, start + rowCount)));
    } catch (error) {
      if (!isQuireError(error)) throw error;
      assert.notEqual(error.code, 'RESULT_CORRUPT');
    }
  }

  async #renew(index: number, durationMs: number): Promise<void> {
    const result = this.#known[index];
    if (result === undefined) return;
    const wished = this.clock.nowMs() + durationMs;
    const before = result.expirationTimeMs;
    result.expirationTimeMs = Math.min(before, wished);
    // While it goes on, there are two commit records.
    this.#storedBytesMax += bytesPerResultMax;
    try {
      const { expirationTimeMs } = await this.#broker.results.renew(result.requestId, durationMs);
      if (result.state === 'live') result.expirationTimeMs = expirationTimeMs;
    } catch (error) {
      if (!isQuireError(error)) throw error;
      // Another renewal at the same time may have succeeded before this one took its place, and failed.
      result.expirationTimeMs = Math.min(result.expirationTimeMs, wished);
      // A daemon and a renewal, which have seen each other, have both given way: see `removeResult`.
      if (this.#isDaemonSweeping && result.state === 'live') result.state = 'unknown';
    }
  }

  async #delete(index: number): Promise<void> {
    const result = this.#known[index];
    if (result === undefined) return;
    if (result.state === 'live') result.state = 'unknown';
    result.isDisturbed = true;
    try {
      await this.#broker.results.delete(result.requestId);
      result.state = 'gone';
    } catch (error) {
      if (!isQuireError(error)) throw error;
    }
  }

  async #sweep(by: 'broker' | 'daemon'): Promise<void> {
    const process = by === 'broker' ? this.#broker : this.#daemon;
    try {
      await process.cleaner.sweep('schedule');
    } catch (error) {
      if (!isQuireError(error)) throw error;
    }
  }

  /** What must be there is there; to open all of it after every scene would take too long. */
  async #expectListed(): Promise<void> {
    const listed = new Set<string>();
    for await (const { requestId, entry } of listResultFolders(this.disk, '')) if (entry !== undefined) listed.add(requestId);
    const wrong = this.#known.filter(
      ({ requestId, state }) => state !== 'unknown' && (state === 'live') !== listed.has(requestId),
    );
    assert.deepEqual(wrong, []);
  }

  async #expectReadable({ requestId, rowCount, state }: KnownResult, results: ResultStore): Promise<void> {
    try {
      assert.equal(await pageText(await results.open(requestId), 0, rowCount + 1), countingJson(0, rowCount));
      // Of no rows, a broker that has the commit record at hand needs no data, and so does not hear that a daemon has removed it.
      if (rowCount > 0) assert.notEqual(state, 'gone', requestId);
    } catch (error) {
      if (!isQuireError(error)) throw error;
      assert.notEqual(state, 'live', `${requestId}: ${error.message}`);
      assert.equal(error.kind, 'missing');
    }
  }
}
