import {
  type Cleaner,
  CleanerMetrics,
  type QuotaPolicy,
  type StorageAdmission,
} from '@quire/cleaner';
import type { SweepPlanResponse, UsageResponse } from '@quire/api';
import type { BrokerMetrics, BrokerOptions } from '@quire/broker';
import type { ObjectStore } from '@quire/core';
import { formatOwnerTag, ownerTag, type ResultStore } from '@quire/results';
import type { Logger } from 'pino';
import { ownerNamesOf } from '../cleaner/cleaner-settings.ts';
import { openCleaner } from '../cleaner/open-cleaner.ts';
import { openLeftovers } from '../cleaner/open-leftovers.ts';
import type { EngineMonitor } from '../engines/engine-monitor.ts';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from '../live-settings.ts';
import { workersHealth } from '../workers/worker-pool.ts';
import type { OpenedEngine } from '../queries/open-query-engine.ts';

interface BrokerParts {
  readonly store: ObjectStore;
  /** The store without the wrappers that protect its callers. */
  readonly backend: ObjectStore;
  readonly results: ResultStore;
  readonly admission: StorageAdmission;
  readonly metrics: BrokerMetrics;
  readonly logger: Logger;
  readonly environment: Environment;
}

/**
 * Returns the cleaner of a broker, for its own results only, which are removed through its
 * `ResultStore`, so that readers receive the reason.
 */
export function openBrokerCleaner(live: LiveSettings, parts: BrokerParts): Cleaner {
  const { store, backend, results, admission, metrics, logger, environment } = parts;
  const { clock, random } = environment;
  const { brokerId } = results;
  const leftovers = openLeftovers({
    backend,
    brokerId,
    settings: live.current.store,
    clock,
    random,
    logger,
  });
  return openCleaner(live, {
    target: { store, brokerId, remover: results, admission, leftovers },
    clock,
    random,
    log: logger.child({ part: 'cleaner' }),
    metrics: new CleanerMetrics(metrics.registry, admission, ownerNamesOf(live.current)),
  });
}

/** The number of owners in health: those who store the most. */
const ownersInHealthMax = 10;

function shareBytesOf(share: QuotaPolicy | undefined): number | null {
  return share === undefined ? null : Math.floor(share.quotaBytes);
}

/** Returns the health of a broker's engine, cleaner, workers and settings. */
export async function readHealthDetails(
  live: LiveSettings,
  {
    cleaner,
    admission,
    engine: { status },
    monitor,
  }: {
    readonly cleaner: Cleaner;
    readonly admission: StorageAdmission;
    readonly engine: Pick<OpenedEngine, 'status'>;
    readonly monitor: EngineMonitor | undefined;
  },
): ReturnType<NonNullable<BrokerOptions['healthDetails']>> {
  const { lastSweep, lastGoodSweepMs, lastError, settingsProblem } = cleaner.status;
  const [broker] = lastSweep?.brokers ?? [];
  const passes = broker === undefined ? [] : [broker.expiry, broker.quota, broker.orphans];
  return {
    ...(monitor !== undefined && { engine: await monitor.read() }),
    cleaner: {
      lastSweepMs: lastSweep?.startTimeMs ?? null,
      lastGoodSweepMs: lastGoodSweepMs ?? null,
      isGood: lastError === undefined && (lastSweep?.isGood ?? true),
      freedBytes: passes.reduce((sum, { freed }) => sum + freed.bytes, 0),
      failedCount: passes.reduce((sum, { failed }) => sum + failed.count, 0),
      usageBytes: admission.usage.totalBytes,
      quotaBytes: admission.policy?.quotaBytes ?? null,
      writesWaiting: admission.queue.waitingCount,
      writesRefused: admission.queue.refusedCount,
      writesRefusedByShare: admission.queue.refusedByShareCount,
      writesRefusedSinceMs: admission.queue.refusal?.sinceMs ?? null,
      writesRefusedBecause: admission.queue.refusal?.reason ?? null,
      owners: admission.usage.owners.largest(ownersInHealthMax).map(([tag, { count }]) => ({
        // Health is public: it must not contain names, nor tags that anyone could compute from a
        // name.
        owner:
          tag === undefined || live.current.results.ownerTagKey === undefined
            ? null
            : formatOwnerTag(tag),
        resultCount: count,
        usageBytes: admission.usage.totalBytesOf(tag),
        shareBytes: shareBytesOf(admission.policy?.shareOf(tag)),
      })),
    },
    workers: workersHealth(status),
    settingsProblems: live.problemCount + (settingsProblem === undefined ? 0 : 1),
  };
}

/** Returns the storage that a principal uses and may use, as tracked since the last listing. */
export function usageOf(
  { usage, policy }: StorageAdmission,
  principalName: string,
  tagKey: string | undefined,
): UsageResponse {
  const tag = ownerTag(principalName, tagKey);
  return {
    resultCount: usage.owners.countOf(tag),
    usageBytes: usage.totalBytesOf(tag),
    shareBytes: shareBytesOf(policy?.shareOf(tag)),
    totalUsageBytes: usage.totalBytes,
    quotaBytes: policy?.quotaBytes ?? null,
  };
}

/** The maximum number of deletions that are listed individually; others are only counted. */
const removalsListedMax = 1000;

/** Returns the deletions that a sweep would make now. Nothing is deleted or recorded. */
export async function planSweep(live: LiveSettings, cleaner: Cleaner): Promise<SweepPlanResponse> {
  const removals: SweepPlanResponse['removals'] = [];
  let removalCount = 0;
  const report = await cleaner.sweep('once', {
    isDryRun: true,
    onRemoval: ({ id, reason, bytes, ageMs, owner = null, limitedBy = null }) => {
      removalCount += 1;
      const removal = { id, reason, bytes, ageMs: Math.floor(ageMs), owner, limitedBy };
      if (removals.length < removalsListedMax) removals.push(removal);
    },
  });
  const nameOf = ownerNamesOf(live.current);
  const owners = (report?.brokers ?? []).flatMap((broker) =>
    broker.owners.map(({ ownerTag, resultCount, startBytes, endBytes, shareBytes }) => ({
      owner: ownerTag === undefined ? null : formatOwnerTag(ownerTag),
      name: nameOf(ownerTag) ?? null,
      resultCount,
      usageBytes: startBytes,
      usageAfterBytes: endBytes,
      shareBytes: shareBytes === undefined ? null : Math.floor(shareBytes),
    })),
  );
  return { removalCount, removals, owners };
}
