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
import { formatOwnerTag, ResultStore } from '@quire/results';
import { quotaPolicyOf } from './cleaner-settings.ts';

/** A count of results with a common property. */
export interface UsagePart {
  readonly name: string;
  readonly resultCount: number;
  readonly sizeBytes: number;
}

/** The results of one owner. */
export interface OwnerUsagePart extends UsagePart {
  /** Its share of the quota; undefined if it may use all of it. */
  readonly shareBytes?: number | undefined;
}

/** The usage of one broker. */
export interface BrokerUsage {
  readonly brokerId: string;
  readonly resultCount: number;
  readonly usageBytes: number;
  readonly orphanCount: number;
  /** The quota; undefined if none is enforced. */
  readonly quota:
    | Pick<QuotaPolicy, 'quotaBytes' | 'criticalBytes' | 'targetBytes' | 'protectionMs'>
    | undefined;
  /**
   * The largest result that would fit now, without other writes; undefined if no quota is enforced.
   */
  readonly largestBytes: number | undefined;
  /** The usage by owner, in descending order of size. */
  readonly byOwner: readonly OwnerUsagePart[];
  /** The usage by age, the youngest first. */
  readonly byAge: readonly UsagePart[];
}

/** The usage of all brokers of a store, and the deletions of the next sweep. */
export interface StoreUsage {
  readonly brokers: readonly BrokerUsage[];
  /** The report of a sweep that would run now. */
  readonly nextSweep: SweepReport;
}

const ages = [
  ['under 10m', 600_000],
  ['under 1h', 3_600_000],
  ['under 6h', 6 * 3_600_000],
  ['under 1d', 24 * 3_600_000],
  ['a day and more', Number.POSITIVE_INFINITY],
] as const;
/**
 * The maximum number of commit records to read for the names of owners that the settings do not
 * list: one record for each tag, and every record of a result without a tag.
 */
const recordsMax = 10_000;
const concurrencyMax = 16;

/**
 * Measures a store for display. Opens commit records to find owners, which a cleaner never does.
 */
export async function measureUsage(
  store: ObjectStore,
  settings: CleanerSettings,
  {
    clock,
    nameOf,
  }: {
    readonly clock: Clock;
    readonly nameOf: (ownerTag: number | undefined) => string | undefined;
  },
): Promise<StoreUsage> {
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
        policy &&
        Math.min(
          policy.criticalBytes,
          policy.quotaBytes - Math.min(snapshot.sizeBytes, policy.targetBytes),
        ),
      byOwner: await measureByOwner(store, snapshot, { clock, nameOf, policy }),
      byAge: measureByAge(snapshot, clock.nowMs()),
    });
  }
  const sweeper = new StoreSweeper(
    { store, brokerId: undefined, remover: storeRemover(store) },
    clock,
  );
  const ignore = (): void => undefined;
  const options = {
    policy,
    graceMs: settings.graceMs,
    concurrencyMax,
    usesWallClock: true,
    onRemoval: ignore,
    onFailure: ignore,
  };
  return {
    brokers,
    nextSweep: await sweeper.sweep({ ...options, trigger: 'once', isDryRun: true }),
  };
}

function quotaOf({
  quotaBytes,
  criticalBytes,
  targetBytes,
  protectionMs,
}: QuotaPolicy): NonNullable<BrokerUsage['quota']> {
  return { quotaBytes, criticalBytes, targetBytes, protectionMs };
}

function measureByAge(snapshot: BrokerSnapshot, nowMs: number): readonly UsagePart[] {
  const shares = ages.map(([name]) => ({ name, resultCount: 0, sizeBytes: 0 }));
  for (let index = 0; index < snapshot.length; index += 1) {
    const ageMs = nowMs - snapshot.submissionTimeMsAt(index);
    add(shares[ages.findIndex(([, limitMs]) => ageMs < limitMs)], snapshot.sizeBytesAt(index));
  }
  return shares.filter(({ resultCount }) => resultCount > 0);
}

async function measureByOwner(
  store: ObjectStore,
  snapshot: BrokerSnapshot,
  parts: {
    readonly clock: Clock;
    readonly nameOf: (ownerTag: number | undefined) => string | undefined;
    readonly policy: QuotaPolicy | undefined;
  },
): Promise<readonly OwnerUsagePart[]> {
  const { clock, nameOf, policy } = parts;
  const results = new ResultStore({
    store,
    brokerId: snapshot.brokerId,
    expirationMs: 1,
    expirationMaxMs: 1,
    clock,
  });
  const named = new Map<
    string,
    { name: string; resultCount: number; sizeBytes: number; shareBytes?: number | undefined }
  >();
  const partOf = (name: string, shareBytes?: number) => {
    const part = named.get(name) ?? {
      name,
      resultCount: 0,
      sizeBytes: 0,
      ...(shareBytes !== undefined && { shareBytes }),
    };
    named.set(name, part);
    return part;
  };
  const tagged = new Map<number, number>();
  const untagged: number[] = [];
  for (let index = 0; index < snapshot.length; index += 1) {
    const tag = snapshot.ownerTagAt(index);
    if (tag === undefined) untagged.push(index);
    else if (!tagged.has(tag)) tagged.set(tag, index);
  }
  const amounts = new Map(snapshot.owners);
  const lookUps: (() => Promise<void>)[] = Array.from(tagged, ([tag, index]) => async () => {
    const shareBytes = policy?.shareOf(tag)?.quotaBytes;
    const known = nameOf(tag);
    const name =
      known ??
      (await ownerOf(results, snapshot.requestIdAt(index))) ??
      `owner ${formatOwnerTag(tag)}`;
    const part = partOf(name, shareBytes);
    part.resultCount += amounts.get(tag)?.count ?? 0;
    part.sizeBytes += amounts.get(tag)?.bytes ?? 0;
  });
  for (const [place, index] of untagged.entries()) {
    lookUps.push(async () => {
      const name =
        place < recordsMax
          ? await ownerOf(results, snapshot.requestIdAt(index))
          : '(not looked up)';
      add(partOf(name ?? '(expired or damaged)'), snapshot.sizeBytesAt(index));
    });
  }
  let next = 0;
  const work = async (): Promise<void> => {
    for (let lookUp = lookUps[next++]; lookUp !== undefined; lookUp = lookUps[next++]) {
      await lookUp();
    }
  };
  await Promise.all(Array.from({ length: concurrencyMax }, work));
  return [...named.values()].toSorted(
    (one, other) => other.sizeBytes - one.sizeBytes || (one.name < other.name ? -1 : 1),
  );
}

/**
 * Returns the owner of a result; undefined if it has expired, was deleted, or its commit record
 * cannot be read.
 */
async function ownerOf(results: ResultStore, requestId: string): Promise<string | undefined> {
  try {
    return (await results.open(requestId)).owner;
  } catch (error) {
    const isUnknown =
      isQuireError(error) && (error.kind === 'missing' || error.code === 'RESULT_CORRUPT');
    if (isUnknown || isQuireError(error, 'RESULT_EXPIRED')) return undefined;
    throw error;
  }
}

function add(
  share: { resultCount: number; sizeBytes: number } | undefined,
  sizeBytes: number,
): void {
  if (share === undefined) return;
  share.resultCount += 1;
  share.sizeBytes += sizeBytes;
}
