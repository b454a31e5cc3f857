import {
  type BrokerSnapshot,
  planExpiry,
  planQuota,
  QuotaPolicy,
  readSnapshots,
  StorageAdmission,
} from '@quire/cleaner';
import type { Broker } from '../../../packages/proxy/src/brokers/broker.ts';
import { RouteCache } from '../../../packages/proxy/src/brokers/route-cache.ts';
import { serveParent } from '../process/serve-parent.ts';
import { brokerId, idOf, momentOf, storeOf } from './many-results.ts';

export type ScaleTask = 'listing' | 'expiry' | 'quota' | 'recount' | 'routes' | 'admission';

export interface ScaleRequest {
  readonly task: ScaleTask;
  /**
   * The number of results; for routes that of remembered ones, for admission that of concurrent
   * writes.
   */
  readonly count: number;
}

export interface ScaleAnswer {
  /**
   * The processor time of all its threads: the duration would depend on other users of the machine.
   */
  readonly processorMs: number;
  /** The growth of the memory of the process since its start, without garbage. */
  readonly grownBytes: number;
}

const callCount = 200_000;
let snapshot: BrokerSnapshot | undefined;
let startBytes: number | undefined;

/**
 * The parts of Quire that keep state for each result, or for each write, with as many of them as a
 * large cluster has.
 */
const tasks: Readonly<Record<ScaleTask, (count: number) => Promise<number>>> = {
  async listing(count) {
    snapshot = undefined;
    const start = process.cpuUsage();
    snapshot = (await readSnapshots(storeOf(count), '')).get(brokerId);
    return processorMsSince(start);
  },
  async expiry(count) {
    const listed = await snapshotOf(count);
    return timed(() => planExpiry(listed, momentOf(count, 1 / 24)).length);
  },
  async quota(count) {
    const listed = await snapshotOf(count);
    const candidates = Array.from({ length: count }, (_, index) => index);
    const bytes = listed.resultBytes;
    const policy = new QuotaPolicy({ quotaBytes: bytes, criticalPercent: 95, targetPercent: 90 });
    return timed(
      () =>
        planQuota(
          listed,
          candidates,
          { pressureBytes: bytes, storedBytes: bytes },
          policy,
          momentOf(count, 1),
        ).length,
    );
  },
  async recount(count) {
    const listed = await snapshotOf(count);
    const admission = new StorageAdmission();
    for (let index = 0; index < 1_000; index += 1) {
      await admission.reserve(idOf(count + index)).extend(1_000);
    }
    const setRight = admission.beginListing();
    return timed(() => setRight(listed));
  },
  async routes(count) {
    const routes = new RouteCache(() => count);
    // Only one property of a broker matters here: it is one of a thousand.
    const brokers = Array.from({ length: 1_000 }, (): Broker => Object.create(null) as Broker);
    for (let index = 0; index < count; index += 1) {
      routes.set(idOf(index), brokers[index % brokers.length] as Broker);
    }
    const asked = Array.from({ length: callCount }, (_, index) => idOf((index * 7_919) % count));
    return timed(() => {
      for (const requestId of asked) routes.get(requestId);
    });
  },
  async admission(count) {
    const admission = new StorageAdmission();
    admission.policy = new QuotaPolicy({
      quotaBytes: 1e15,
      criticalPercent: 95,
      targetPercent: 90,
    });
    for (let index = 0; index < count; index += 1) {
      await admission.reserve(idOf(index)).extend(1_000);
    }
    const start = process.cpuUsage();
    for (let index = 0; index < callCount / 100; index += 1) {
      const write = admission.reserve(idOf(count + index));
      await write.extend(1_000_000);
      write.commit();
    }
    return processorMsSince(start);
  },
};

async function snapshotOf(count: number): Promise<BrokerSnapshot> {
  if (snapshot?.length !== count) await tasks.listing(count);
  if (snapshot?.length !== count) {
    throw new Error(`The listing has ${snapshot?.length} results, not ${count}.`);
  }
  return snapshot;
}

function timed(task: () => unknown): number {
  const start = process.cpuUsage();
  task();
  return processorMsSince(start);
}

function processorMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

serveParent(
  async (request): Promise<ScaleAnswer> => {
    const { task, count } = request as ScaleRequest;
    startBytes ??= usedBytes();
    const processorMs = await tasks[task](count);
    return { processorMs, grownBytes: usedBytes() - startBytes };
  },
  async () => undefined,
);
