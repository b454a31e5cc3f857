import {
  type BrokerSnapshot,
  type CleanerSettings,
  type QuotaPolicy,
  readSnapshots,
  StoreSweeper,
  storeRemover,
  type SweepReport,
} from '@quire/cleaner';
import { type Clock, isQuireError, type ObjectStore } from '@quire/core';
import { ResultStore } from '@quire/results';
import { quotaPolicyOf } from './cleaner-settings.ts';

/** Results that have something in common, counted. */
export interface UsageShare {
  readonly name: string;
  readonly resultCount: number;
  readonly sizeBytes: number;
}

/** What one broker stores. */
export interface BrokerUsage {
  readonly brokerId: string;
  readonly resultCount: number;
  readonly usageBytes: number;
  readonly orphanCount: number;
  /** Undefined when no quota is enforced. */
  readonly quota: Pick<QuotaPolicy, 'quotaBytes' | 'criticalBytes' | 'targetBytes' | 'protectionMs'> | undefined;
  /** The largest result that would find room now, were nothing else written; undefined when no quota is enforced. */
  readonly largestBytes: number | undefined;
  /** The largest share first. */
  readonly byOwner: readonly UsageShare[];
  /** The youngest first. */
  readonly byAge: readonly UsageShare[];
}

export interface StoreUsage {
  readonly brokers: readonly BrokerUsage[];
  /** What a sweep would do now. */
  readonly nextSweep: SweepReport;
}

const ages = [
  ['under 10m', 600_000],
  ['under 1h', 3_600_000],
  ['under 6h', 6 * 3_600_000],
  ['under 1d', 24 * 3_600_000],
  ['a day and more', Number.POSITIVE_INFINITY],
] as const;
/** Whose a result is stands in its commit record, so that these are opened: for at most this many results. */
const ownersMax = 10_000;
const concurrencyMax = 16;

/** Measures a store as a person wants to know it. Opens commit records, for the owners; a cleaner never does. */
export async function measureUsage(store: ObjectStore, settings: CleanerSettings, clock: Clock): Promise<StoreUsage> {
  const policy = quotaPolicyOf(settings);
  const brokers: BrokerUsage[] = [];
  for (const snapshot of (await readSnapshots(store, '')).values()) {
    brokers.push({
      brokerId: snapshot.brokerId,
      resultCount: snapshot.length,
      usageBytes: snapshot.sizeBytes,
      orphanCount: snapshot.orphanCount,
      quota: policy && quotaOf(policy),
      largestBytes:
        policy && Math.min(policy.criticalBytes, policy.quotaBytes - Math.min(snapshot.sizeBytes, policy.targetBytes)),
      byOwner: await shareByOwner(store, snapshot, clock),
      byAge: shareByAge(snapshot, clock.nowMs()),
    });
  }
  const sweeper = new StoreSweeper({ store, brokerId: undefined, remover: storeRemover(store) }, clock);
  const ignore = (): void => undefined;
  const options = {
    policy,
    graceMs: settings.graceMs,
    concurrencyMax,
    usesWallClock: true,
    onRemoval: ignore,
    onFailure: ignore,
  };
  return { brokers, nextSweep: await sweeper.sweep({ ...options, trigger: 'once', isDryRun: true }) };
}

function quotaOf({ quotaBytes, criticalBytes, targetBytes, protectionMs }: QuotaPolicy): NonNullable<BrokerUsage['quota']> {
  return { quotaBytes, criticalBytes, targetBytes, protectionMs };
}

function shareByAge(snapshot: BrokerSnapshot, nowMs: number): readonly UsageShare[] {
  const shares = ages.map(([name]) => ({ name, resultCount: 0, sizeBytes: 0 }));
  for (let index = 0; index < snapshot.length; index += 1) {
    const ageMs = nowMs - snapshot.submissionTimeMsAt(index);
    add(shares[ages.findIndex(([, limitMs]) => ageMs < limitMs)], snapshot.sizeBytesAt(index));
  }
  return shares.filter(({ resultCount }) => resultCount > 0);
}

async function shareByOwner(store: ObjectStore, snapshot: BrokerSnapshot, clock: Clock): Promise<readonly UsageShare[]> {
  const results = new ResultStore({ store, brokerId: snapshot.brokerId, expirationMs: 1, expirationMaxMs: 1, clock });
  const shares = new Map<string, { name: string; resultCount: number; sizeBytes: number }>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < snapshot.length; index = next++) {
      const name = index < ownersMax ? await ownerOf(results, snapshot.requestIdAt(index)) : '(not looked up)';
      const share = shares.get(name) ?? { name, resultCount: 0, sizeBytes: 0 };
      shares.set(name, share);
      add(share, snapshot.sizeBytesAt(index));
    }
  };
  await Promise.all(Array.from({ length: concurrencyMax }, work));
  return [...shares.values()].toSorted((one, other) => other.sizeBytes - one.sizeBytes || (one.name < other.name ? -1 : 1));
}

async function ownerOf(results: ResultStore, requestId: string): Promise<string> {
  try {
    return (await results.open(requestId)).owner;
  } catch (error) {
    if (isQuireError(error, 'RESULT_EXPIRED')) return '(expired)';
    if (isQuireError(error, 'RESULT_CORRUPT')) return '(unreadable)';
    if (isQuireError(error) && error.kind === 'missing') return '(gone meanwhile)';
    throw error;
  }
}

function add(share: { resultCount: number; sizeBytes: number } | undefined, sizeBytes: number): void {
  if (share === undefined) return;
  share.resultCount += 1;
  share.sizeBytes += sizeBytes;
}
