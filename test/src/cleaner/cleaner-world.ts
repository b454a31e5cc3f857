import assert from 'node:assert/strict';
import { type CleanerSettings, QuotaPolicy } from '@quire/cleaner';
import { createRequestId, isQuireError, ownerTagOf } from '@quire/core';
import { collect, type FaultStore, ManualClock, SeededRandom } from '@quire/core/testing';
import { listResultFolders, ownerTag, type ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { countingJson, countingRows } from '../testkit/builders/counting-rows.ts';
import { pageText } from '../testkit/builders/page-text.ts';
import { type Action, owners, type Scene, type Conditions } from './cleaner-actions.ts';
import { Process, type Removed } from './cleaner-process.ts';
import { EvictionChecker, type KnownResult } from './eviction-checker.ts';

const hourMs = 3_600_000;
const graceMs = 2 * hourMs;
/** More bytes than any commit record has. */
const recordBytesMax = 3000;
/** The time limit of a scene, whose calls take some milliseconds each. */
const sceneMsMax = 60_000;

type Written = Pick<Extract<Action, { readonly kind: 'write' }>, 'rowCount' | 'owner'>;

/** A broker with its cleaner, a daemon, the disk that they share, and their invariants. */
export class World {
  readonly disk = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(7);
  settings: CleanerSettings = {
    periodMs: hourMs,
    initialDelayMs: 0,
    quota: undefined,
    graceMs,
    queryTimeoutMs: hourMs,
    concurrencyMax: 3,
  };
  #broker = new Process(this, 'broker');
  #daemon = new Process(this, 'daemon');
  readonly #known: KnownResult[] = [];
  #turn = 0;
  #isDaemonSweeping = false;
  #scene: readonly Action[] = [];
  #isFaulty = false;
  #evictions = new EvictionChecker(undefined, owners.length);
  /** The deletions by a cleaner that the laws forbid. */
  readonly #violations: string[] = [];

  /** Runs one scene to its end and checks the invariants. */
  async play({ actions, conditions }: Scene): Promise<void> {
    this.#evictions = await this.#watchEvictions();
    const oldBefore = this.#evictions.oldOf(this.#known, this.clock.nowMs());
    this.#scene = actions;
    this.#isFaulty = conditions.fault !== undefined;
    this.#isDaemonSweeping = actions.some(
      (action) => action.kind === 'sweep' && action.by === 'daemon',
    );
    this.#setConditions(conditions);
    await this.#drive(
      Promise.all(actions.map((action) => this.#act(action))).then(() => this.#broker.untilIdle()),
    );
    this.#setConditions({ fault: undefined, delaySeed: undefined });
    if (this.#broker.store.isCrashed) this.#broker = new Process(this, 'broker');
    if (this.#daemon.store.isCrashed) this.#daemon = new Process(this, 'daemon');
    this.#expire();
    assert.deepEqual(this.#violations, []);
    // Concurrent deletions and renewals change what is stored, and what may be deleted, without the
    // sweep's knowledge.
    const isCalm =
      actions.every(({ kind }) => kind === 'write' || kind === 'abort' || kind === 'read') &&
      !this.#isFaulty;
    this.#evictions.check(isCalm ? oldBefore : undefined);
    await this.#expectListed();
    this.#turn += 1;
    const result = this.#known[this.#turn % Math.max(1, this.#known.length)];
    if (result !== undefined) await this.#expectReadable(result, this.#broker.results);
  }

  /**
   * Ends all faults and lets twice four grace periods pass: only complete results may remain,
   * within the quota.
   */
  async conclude(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.#drive(this.#broker.cleaner.sweep('schedule'));
      // By then, each cleaner has verified its cached entries again.
      if (round < 2) await this.clock.advance(4 * graceMs);
    }
    this.#expire();
    assert.deepEqual(this.#violations, []);
    const folders = await collect(listResultFolders(this.disk, ''));
    assert.deepEqual(
      folders.filter(({ entry, orphans }) => entry === undefined || orphans.length > 0),
      [],
    );
    const presentBytes = await this.#presentBytes();
    assert.equal(this.#broker.admission.usage.totalBytes, presentBytes);
    const { quota } = this.settings;
    if (quota !== undefined) {
      assert.ok(
        presentBytes <= (quota.quotaBytes * quota.criticalPercent) / 100,
        'usage is above critical',
      );
      const policy = new QuotaPolicy(quota);
      for (const [owner, results] of Map.groupBy(folders, ({ requestId }) =>
        ownerTagOf(requestId),
      )) {
        const bytes = results.reduce((sum, { entry }) => sum + entry!.sizeBytes, 0);
        assert.ok(
          bytes <= (policy.shareOf(owner)?.criticalBytes ?? Infinity),
          'usage of a share is above critical',
        );
        assert.equal(this.#broker.admission.usage.totalBytesOf(owner), bytes);
      }
    }
    for (const { entry } of folders) {
      assert.ok(entry!.expirationTimeMs > this.clock.nowMs(), 'an expired result is left');
    }
    // A process without caches must find the same on the disk, and the broker must report it.
    for (const result of this.#known) result.isHalfRenewed = false;
    for (const results of [new Process(this, 'daemon').results, this.#broker.results]) {
      for (const result of this.#known) await this.#expectReadable(result, results);
    }
  }

  async #presentBytes(): Promise<number> {
    return (await collect(this.disk.list(''))).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  async #watchEvictions(): Promise<EvictionChecker> {
    const checker = new EvictionChecker(this.settings.quota, owners.length);
    const folders = await collect(listResultFolders(this.disk, ''));
    const present = folders.flatMap(({ requestId, entry }) => {
      if (entry === undefined) return [];
      const { sizeBytes, submissionTimeMs } = entry;
      return [{ ownerTag: ownerTagOf(requestId), sizeBytes, submissionTimeMs }];
    });
    checker.begin(present, await this.#presentBytes(), this.clock.nowMs());
    return checker;
  }

  /** Called by the broker's admission: a write of an owner requests more space. */
  noteDemand(bytes: number, owner: number | undefined): void {
    this.#evictions.noteDemand(bytes, owner);
  }

  /**
   * Reads the disk: the bytes of the live results that are not being written, and whether there is
   * nothing else.
   */
  async look(): Promise<{
    readonly liveBytes: number;
    readonly liveBytesOf: (owner: number | undefined) => number;
    readonly isTidy: boolean;
  }> {
    let liveBytes = 0;
    const byOwner = new Map<number | undefined, number>();
    let hasDebris = false;
    for await (const { requestId, entry, orphans } of listResultFolders(this.disk, '')) {
      if (this.#broker.admission.usage.isWriting(requestId)) continue;
      hasDebris ||= orphans.length > 0;
      if (entry === undefined || entry.expirationTimeMs <= this.clock.nowMs()) continue;
      liveBytes += entry.sizeBytes;
      const owner = ownerTagOf(requestId);
      byOwner.set(owner, (byOwner.get(owner) ?? 0) + entry.sizeBytes);
    }
    // Sweeps of another process, and records that are being replaced, become visible with a delay.
    const isAlone = this.#scene.every(
      ({ kind }) => kind !== 'sweep' && kind !== 'renew' && kind !== 'delete',
    );
    return {
      liveBytes,
      liveBytesOf: (owner) => byOwner.get(owner) ?? 0,
      isTidy: !hasDebris && !this.#isFaulty && isAlone,
    };
  }

  /** Called by the cleaners' logs; `storedBytes` as the broker counts them afterwards. */
  noteRemoval(
    { id, reason, bytes, ageMs, owner, limitedBy }: Removed,
    isDone: boolean,
    storedBytes: number | undefined,
  ): void {
    const result = this.#known.find(({ requestId }) => requestId === id);
    const violate = (what: string): void =>
      void this.#violations.push(`${id} was ${reason}: ${what}`);
    if (result === undefined) return violate('nobody ever wrote it');
    // For a committed result, that is a commit record which a renewal has replaced: whether the
    // result can be read is verified anyway.
    if (reason === 'orphan') return undefined;
    if (
      reason === 'expired' &&
      result.state === 'live' &&
      result.expirationTimeMs > this.clock.nowMs()
    ) {
      // A cleaner that remembers it from before a renewal by another process may try to delete it,
      // but checks first: it must still exist.
      if (!isDone) return undefined;
      violate('it had time left');
    }
    if (reason === 'evicted') {
      if (this.settings.quota === undefined) violate('no quota is enforced');
      if ((owner === undefined ? undefined : Number.parseInt(owner, 16)) !== result.ownerTag) {
        violate('as that of another owner');
      }
      const isForShare = limitedBy !== undefined;
      this.#evictions.note({
        ownerTag: result.ownerTag,
        isForShare,
        bytes,
        ageMs,
        storedBytes: isDone ? storedBytes : undefined,
      });
    }
    Object.assign(result, { state: isDone ? 'gone' : 'unknown', isDisturbed: true });
    return undefined;
  }

  /** Makes the calls of both processes fail or wait as the faults define, counted from now. */
  #setConditions({ fault, delaySeed }: Conditions): void {
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
    const startMs = this.clock.monotonicMs();
    while (!isDone && this.clock.monotonicMs() - startMs < sceneMsMax) await this.clock.advance(1);
    assert.ok(
      isDone,
      `a scene does not end: ${this.#broker.admission.queue.waitingCount} writes wait for room`,
    );
    await done;
  }

  /**
   * A result that has been seen as expired may be treated as deleted, even if the clock is set
   * back.
   */
  #expire(): void {
    for (const result of this.#known) {
      if (result.state === 'live' && result.expirationTimeMs <= this.clock.nowMs()) {
        result.state = 'unknown';
      }
    }
  }

  async #act(action: Action): Promise<void> {
    switch (action.kind) {
      case 'write':
        return this.#write(action);
      case 'abort':
        return this.#abort(action);
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
        const { quotaBytes, protectionMs, maxPercent = 100, firstBytes } = action;
        const percents = { criticalPercent: 90, targetPercent: 60 };
        const own =
          firstBytes === undefined
            ? []
            : [{ ownerTag: ownerTag(owners[0]), maxBytes: firstBytes, maxBytesKey: 'first' }];
        const shares = { maxPercent, maxPercentKey: 'each', owners: own };
        const quota =
          quotaBytes === undefined ? undefined : { quotaBytes, protectionMs, ...percents, shares };
        this.settings = { ...this.settings, quota };
        this.#evictions = await this.#watchEvictions();
        return undefined;
      }
      case 'restart':
        if (action.who === 'broker') this.#broker = new Process(this, 'broker');
        else this.#daemon = new Process(this, 'daemon');
        return undefined;
    }
  }

  async #write({ rowCount, owner = 'none' }: Written, signal?: AbortSignal): Promise<void> {
    const requestId =
      owner === 'none'
        ? createRequestId(this.clock, this.random)
        : this.#broker.results.newRequestId(owner);
    const result: KnownResult = {
      requestId,
      rowCount,
      ownerTag: ownerTagOf(requestId),
      submissionTimeMs: 0,
      expirationTimeMs: 0,
      state: 'unknown',
      isDisturbed: false,
    };
    this.#known.push(result);
    try {
      const { entry } = await this.#broker.results.create(countingRows(rowCount, 100), {
        owner,
        requestId,
        signal,
      });
      if (!result.isDisturbed) {
        const { submissionTimeMs, expirationTimeMs } = entry;
        Object.assign(result, { state: 'live', submissionTimeMs, expirationTimeMs });
      }
    } catch (error) {
      if (!isQuireError(error)) throw error;
    }
  }

  async #abort({ afterMs, ...written }: Written & { readonly afterMs: number }): Promise<void> {
    const stop = new AbortController();
    if (afterMs === 0) stop.abort();
    else void this.clock.sleep(afterMs).then(() => stop.abort());
    await this.#write(written, stop.signal);
  }

  async #read(index: number, offset: number, rowCount: number): Promise<void> {
    const result = this.#known[index];
    if (result === undefined) return;
    const start = Math.min(offset, result.rowCount);
    try {
      const text = await pageText(
        await this.#broker.results.open(result.requestId),
        start,
        rowCount,
      );
      assert.equal(text, countingJson(start, Math.min(result.rowCount, start + rowCount)));
    } catch (error) {
      if (!isQuireError(error)) throw error;
      if (result.isHalfRenewed !== true) assert.notEqual(error.code, 'RESULT_CORRUPT');
    }
  }

  async #renew(index: number, durationMs: number): Promise<void> {
    const result = this.#known[index];
    if (result === undefined) return;
    const wished = this.clock.nowMs() + durationMs;
    const before = result.expirationTimeMs;
    result.expirationTimeMs = Math.min(before, wished);
    // During the renewal, there are two commit records.
    this.#evictions.noteDemand(recordBytesMax, result.ownerTag);
    try {
      const { expirationTimeMs } = await this.#broker.results.renew(result.requestId, durationMs);
      if (result.state === 'live') result.expirationTimeMs = expirationTimeMs;
    } catch (error) {
      if (!isQuireError(error)) throw error;
      result.isHalfRenewed = this.#isFaulty;
      // Another concurrent renewal may have succeeded before this one replaced its record and
      // failed.
      result.expirationTimeMs = Math.min(result.expirationTimeMs, wished);
      // A daemon and a renewal that have noticed each other have both given up: see `removeResult`.
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

  /** All live results exist; opening all of them after every scene would take too long. */
  async #expectListed(): Promise<void> {
    const listed = new Set<string>();
    for await (const { requestId, entry } of listResultFolders(this.disk, '')) {
      if (entry !== undefined) listed.add(requestId);
    }
    const wrong = this.#known.filter(
      ({ requestId, state }) => state !== 'unknown' && (state === 'live') !== listed.has(requestId),
    );
    assert.deepEqual(wrong, []);
  }

  async #expectReadable(
    { requestId, rowCount, state, isHalfRenewed }: KnownResult,
    results: ResultStore,
  ): Promise<void> {
    try {
      assert.equal(
        await pageText(await results.open(requestId), 0, rowCount + 1),
        countingJson(0, rowCount),
      );
      // For a result without rows, a broker with a cached commit record needs no data, and so does
      // not notice that a daemon has deleted it.
      if (rowCount > 0) assert.notEqual(state, 'gone', requestId);
    } catch (error) {
      if (!isQuireError(error)) throw error;
      assert.notEqual(state, 'live', `${requestId}: ${error.message}`);
      if (isHalfRenewed !== true) assert.equal(error.kind, 'missing');
    }
  }
}
