import { type CallOptions, type ObjectStore, QuireError } from '@quire/core';
import { traced } from '@quire/core/trace';
import { readResultFolder, removeEach, type RemovalOutcome, resultPrefix } from '@quire/results';
import type { BrokerSnapshot, OrphanObject } from './broker-snapshot.ts';
import { planExpiry } from './plan-expiry.ts';
import { ownersOverShare } from './plan-shares.ts';
import { planQuota, type QuotaUsage } from './plan-quota.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { ownerMember, reportOwners } from './report-owners.ts';
import { type BrokerReport, PassTally, type Removal } from './sweep-report.ts';
import type { SweepTarget } from './sweep-target.ts';

/** The inputs of the passes over one broker. */
export interface BrokerSweep {
  readonly target: SweepTarget;
  readonly snapshot: BrokerSnapshot;
  /** The total bytes at the start, including writes in progress. */
  readonly usageStartBytes: number;
  /** The stored part of them: eviction reduces it to the target. */
  readonly storedStartBytes: number;
  readonly policy: QuotaPolicy | undefined;
  readonly dueOrphans: readonly OrphanObject[];
  readonly nowMs: number;
  readonly isDryRun: boolean;
  readonly concurrencyMax: number;
  readonly signal: AbortSignal | undefined;
  readonly onRemoval: (removal: Removal) => void;
  readonly onFailure: (removal: Removal, error: unknown) => void;
}

/**
 * Runs the passes over one broker: expiry, quota, orphans. Decides with plans, deletes with
 * `removeEach`, reports both.
 */
export async function sweepBroker(sweep: BrokerSweep): Promise<BrokerReport> {
  const { snapshot, policy, usageStartBytes, nowMs } = sweep;
  const passes = new BrokerPasses(sweep);
  const inSpan = (name: string, pass: () => Promise<void>): Promise<void> =>
    traced(name, pass, { attributes: { 'quire.broker_id': snapshot.brokerId } });
  await inSpan('sweep.expire', () => passes.expire(planExpiry(snapshot, nowMs)));
  if (policy !== undefined) await inSpan('sweep.evict', () => passes.evict(policy));
  await inSpan('sweep.orphans', () => passes.removeOrphans());
  return {
    brokerId: snapshot.brokerId,
    ...passes.survivors(),
    usageStartBytes,
    usageEndBytes: usageStartBytes - passes.freedBytes,
    quotaBytes: policy?.quotaBytes,
    sparedBytes: passes.sparedBytes,
    expiry: passes.expiry.report(),
    quota: passes.quota.report(),
    orphans: passes.orphans.report(),
    owners: reportOwners(snapshot.owners, passes.freedBytesOf, policy),
  };
}

const present = 0;
const gone = 1;
const notRemoved = 2;

/** The results that are reduced to a target: all of a broker, or those of one owner. */
interface EvictionScope {
  readonly policy: QuotaPolicy;
  readonly indexes: () => Iterable<number>;
  readonly usageOf: () => QuotaUsage;
  /** The tag of the owner; absent for all results. */
  readonly ownerTag?: number;
}

function* countTo(length: number): Generator<number> {
  for (let index = 0; index < length; index += 1) yield index;
}

class BrokerPasses {
  readonly expiry = new PassTally();
  readonly quota = new PassTally();
  readonly orphans = new PassTally();
  sparedBytes = 0;
  readonly #sweep: BrokerSweep;
  /** The outcome for each result of the snapshot. */
  readonly #states: Uint8Array;
  readonly freedBytesOf = new Map<number | undefined, number>();

  constructor(sweep: BrokerSweep) {
    this.#sweep = sweep;
    this.#states = new Uint8Array(sweep.snapshot.length);
  }

  get freedBytes(): number {
    return this.expiry.freedBytes + this.quota.freedBytes + this.orphans.freedBytes;
  }

  async expire(plan: readonly number[]): Promise<void> {
    for (const index of plan) this.expiry.add('wanted', this.#sweep.snapshot.sizeBytesAt(index));
    await this.#removeResults(plan, 'expired', this.expiry);
  }

  /**
   * Evicts within shares first, so that an owner who exceeds its share loses its own results before
   * any other owner does.
   */
  async evict(policy: QuotaPolicy): Promise<void> {
    const { snapshot } = this.#sweep;
    const byOwner = this.#indexesByOwner(policy);
    for (const [ownerTag, { bytes }] of policy.hasShares ? snapshot.owners : []) {
      const share = policy.shareOf(ownerTag);
      if (share === undefined || ownerTag === undefined) continue;
      const indexes = byOwner.get(ownerTag);
      if (indexes === undefined) {
        if (bytes > share.targetBytes) this.#noteSpared(ownerTag);
        continue;
      }
      const usageOf = (): QuotaUsage => this.#shareUsage(ownerTag, indexes);
      if (await this.#evictFrom({ policy: share, indexes: () => indexes, usageOf, ownerTag })) {
        return;
      }
    }
    const indexes = (): Iterable<number> => countTo(snapshot.length);
    await this.#evictFrom({ policy, indexes, usageOf: () => this.#quotaUsage() });
  }

  /**
   * Returns the results of the owners whose usage exceeds the critical threshold of their share, or
   * may exceed it when writes are counted.
   */
  #indexesByOwner(policy: QuotaPolicy): Map<number, number[]> {
    const { snapshot, target, isDryRun } = this.#sweep;
    const usage = isDryRun ? undefined : target.admission?.usage;
    const byOwner = new Map<number, number[]>();
    for (const ownerTag of ownersOverShare(snapshot, policy, usage)) byOwner.set(ownerTag, []);
    if (byOwner.size === 0) return byOwner;
    for (let index = 0; index < snapshot.length; index += 1) {
      byOwner.get(snapshot.ownerTagAt(index) ?? -1)?.push(index);
    }
    return byOwner;
  }

  /**
   * Evicts until the target is reached or no candidate is left: the next result in order replaces
   * one that cannot be deleted. Resolves to true if it gave up early.
   */
  async #evictFrom({ policy, indexes, usageOf, ownerTag }: EvictionScope): Promise<boolean> {
    const { snapshot, signal, nowMs } = this.#sweep;
    let hasWanted = false;
    for (;;) {
      // A result larger than the whole quota that cannot be deleted is not replaced: all the others
      // together would not suffice.
      const stuckBytes = this.#undeletableGiantBytes(policy, indexes());
      const { pressureBytes, storedBytes, ...rest } = usageOf();
      const usage = {
        ...rest,
        pressureBytes: pressureBytes - stuckBytes,
        storedBytes: storedBytes - stuckBytes,
      };
      const candidates: number[] = [];
      for (const index of indexes()) if (this.#states[index] === present) candidates.push(index);
      // Usage has become critical since a listing that skipped folders: the next sweep lists them
      // all, and starts immediately.
      const isCarriedOver = snapshot.carriedOverCount > 0;
      const plan = isCarriedOver ? [] : planQuota(snapshot, candidates, usage, policy, nowMs);
      const surplusBytes = usage.storedBytes - policy.targetBytes;
      if (
        !hasWanted &&
        !isCarriedOver &&
        usage.pressureBytes > policy.criticalBytes &&
        surplusBytes > 0
      ) {
        this.quota.add('wanted', surplusBytes, 0);
        hasWanted = true;
      }
      if (plan.length === 0) {
        // Results whose deletion failed are not replaced by others.
        if (stuckBytes > 0) return false;
        const presentBytes = candidates.reduce(
          (sum, index) => sum + snapshot.sizeBytesAt(index),
          0,
        );
        const sparedBytes = Math.max(0, Math.min(surplusBytes, presentBytes));
        // Results that were not selected in a share were not spared in the quota.
        if (ownerTag === undefined || hasWanted) this.sparedBytes += sparedBytes;
        if (sparedBytes > 0) this.#noteSpared(ownerTag);
        return false;
      }
      if (signal?.aborted === true) return true;
      this.quota.add('wanted', 0, plan.length);
      if (await this.#removeResults(plan, 'evicted', this.quota, policy.shareKey)) return true;
    }
  }

  #noteSpared(ownerTag: number | undefined): void {
    const { target, isDryRun } = this.#sweep;
    if (!isDryRun) target.admission?.queue.changes.noteSpared(ownerTag);
  }

  /** Returns the usage on which eviction is based. */
  #quotaUsage(): QuotaUsage {
    const { target, storedStartBytes, isDryRun } = this.#sweep;
    // Writes start and end while this sweep deletes. The stored bytes are those of the listing;
    // otherwise later commits would cost more than one sweep.
    const storedBytes = storedStartBytes - this.freedBytes;
    const pressureBytes =
      isDryRun || target.admission === undefined
        ? storedBytes
        : target.admission.usage.pressureBytes;
    return {
      pressureBytes,
      storedBytes,
      ...(target.admission !== undefined && { unseen: target.admission.usage.unseen }),
    };
  }

  /** Returns the usage of one owner. */
  #shareUsage(ownerTag: number, indexes: readonly number[]): QuotaUsage {
    const { target, snapshot, isDryRun } = this.#sweep;
    let storedBytes = 0;
    for (const index of indexes) {
      if (this.#states[index] !== gone) storedBytes += snapshot.sizeBytesAt(index);
    }
    const pressureBytes =
      isDryRun || target.admission === undefined
        ? storedBytes
        : target.admission.usage.pressureBytesOf(ownerTag);
    return { pressureBytes, storedBytes };
  }

  #undeletableGiantBytes({ quotaBytes }: QuotaPolicy, indexes: Iterable<number>): number {
    const { snapshot } = this.#sweep;
    let bytes = 0;
    for (const index of indexes) {
      const sizeBytes = snapshot.sizeBytesAt(index);
      if (sizeBytes > quotaBytes && this.#states[index] === notRemoved) bytes += sizeBytes;
    }
    return bytes;
  }

  async removeOrphans(): Promise<void> {
    const { target, dueOrphans, snapshot, nowMs } = this.#sweep;
    for (const { sizeBytes } of dueOrphans) this.orphans.add('wanted', sizeBytes);
    const remove = async (orphan: OrphanObject): Promise<'removed' | 'kept'> => {
      if (target.admission?.usage.isWriting(orphan.requestId) === true) return 'kept';
      const isRemoved = await removeOrphan(target.store, snapshot.brokerId, orphan, {
        signal: undefined,
      });
      if (isRemoved) target.admission?.removedOrphan(orphan.sizeBytes);
      return isRemoved ? 'removed' : 'kept';
    };
    await this.#remove(dueOrphans, remove, this.orphans, (orphan) => ({
      brokerId: snapshot.brokerId,
      id: orphan.requestId,
      reason: 'orphan',
      bytes: orphan.sizeBytes,
      ageMs: nowMs - orphan.lastModifiedMs,
    }));
  }

  survivors(): Pick<BrokerReport, 'resultCount' | 'oldestLiveMs'> {
    const { snapshot } = this.#sweep;
    let resultCount = 0;
    let oldestLiveMs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < snapshot.length; index += 1) {
      if (this.#states[index] === gone) continue;
      resultCount += 1;
      oldestLiveMs = Math.min(oldestLiveMs, snapshot.submissionTimeMsAt(index));
    }
    return { resultCount, oldestLiveMs: resultCount === 0 ? undefined : oldestLiveMs };
  }

  /** Removes results; resolves to true if it gave up early. */
  async #removeResults(
    plan: readonly number[],
    reason: 'expired' | 'evicted',
    tally: PassTally,
    limitedBy?: string,
  ): Promise<boolean> {
    const { target, snapshot, nowMs } = this.#sweep;
    let hasGivenUp = false;
    await this.#remove(
      plan,
      (index) => {
        snapshot.unsettle(index);
        return target.remover.remove(snapshot.entryAt(index), reason);
      },
      tally,
      (index) => ({
        brokerId: snapshot.brokerId,
        id: snapshot.requestIdAt(index),
        reason,
        bytes: snapshot.sizeBytesAt(index),
        ageMs: nowMs - snapshot.submissionTimeMsAt(index),
        ...ownerMember(snapshot.ownerTagAt(index)),
        ...(limitedBy !== undefined && { limitedBy }),
      }),
      (index, outcome) => {
        this.#states[index] = outcome === 'removed' ? gone : notRemoved;
        if (outcome === 'removed') {
          const ownerTag = snapshot.ownerTagAt(index);
          const freedBytes = this.freedBytesOf.get(ownerTag) ?? 0;
          this.freedBytesOf.set(ownerTag, freedBytes + snapshot.sizeBytesAt(index));
        }
        hasGivenUp ||= outcome === 'skipped';
      },
    );
    return hasGivenUp;
  }

  async #remove<T>(
    things: readonly T[],
    remove: (thing: T) => Promise<'removed' | 'kept'>,
    tally: PassTally,
    describe: (thing: T) => Removal,
    note: (thing: T, outcome: RemovalOutcome) => void = () => undefined,
  ): Promise<void> {
    const { isDryRun, concurrencyMax, signal, onRemoval, onFailure } = this.#sweep;
    const onOutcome = (thing: T, outcome: RemovalOutcome, error?: unknown): void => {
      const removal = describe(thing);
      tally.add(
        outcome === 'removed' ? 'freed' : outcome === 'failed' ? 'failed' : 'skipped',
        removal.bytes,
      );
      note(thing, outcome);
      if (outcome === 'removed') onRemoval(removal);
      else if (outcome === 'failed') onFailure(removal, error);
    };
    await removeEach(things, isDryRun ? async () => 'removed' : remove, onOutcome, {
      concurrencyMax,
      signal,
    });
  }
}

/**
 * Deletes an orphan after checking that it still is one: a commit record may have been stored, or
 * listings may have missed one that was being renewed.
 */
async function removeOrphan(
  store: ObjectStore,
  brokerId: string,
  orphan: OrphanObject,
  options: CallOptions,
): Promise<boolean> {
  const prefix = resultPrefix(brokerId, orphan.requestId);
  const folder = await readResultFolder(store, prefix, options);
  if (folder !== undefined && folder.requestId !== orphan.requestId) {
    throw new QuireError('INTERNAL', `The listing of ${prefix} returned a key outside its prefix.`);
  }
  if (folder?.orphans.some(({ key }) => key === orphan.key) !== true) return false;
  await store.delete(orphan.key, options);
  return true;
}
