import { systemClock, type ObjectEntry, type ObjectStore } from '@quire/core';
import { QuotaPolicy, StoreSweeper } from '@quire/cleaner';

/**
 * Sweeps a simulated listing of the given number of results, and prints what it planned, opened and
 * used of memory.
 */
const resultCount = Number(process.argv[2]);
const nowMs = Date.now();
const calls = { list: 0, others: 0 };
let rssMax = 0;

function idOf(index: number): string {
  const text = index.toString(16).padStart(12, '0');
  return `${text.slice(0, 8)}-${text.slice(8)}-7000-8000-${text}`;
}

async function* list(): AsyncGenerator<ObjectEntry> {
  calls.list += 1;
  for (let index = 0; index < resultCount; index += 1) {
    const folder = `Broker_a_1/${idOf(index)}`;
    const expirationTimeMs = index % 10 === 0 ? nowMs - 1 : nowMs + 3_600_000 + index;
    yield {
      key: `${folder}/${nowMs - 1000}-${expirationTimeMs}-5.json`,
      sizeBytes: 700,
      lastModifiedMs: nowMs,
    };
    yield {
      key: `${folder}/data.arrow`,
      sizeBytes: 1000 + ((index * 7919) % 100_000),
      lastModifiedMs: nowMs,
    };
    if (index % 10_000 === 0) rssMax = Math.max(rssMax, process.memoryUsage.rss());
  }
}

const refuse = (): never => {
  calls.others += 1;
  throw new Error('A sweep that plans must not do that.');
};
const store = {
  location: 'test:',
  list,
  head: refuse,
  get: refuse,
  put: refuse,
  delete: refuse,
} as unknown as ObjectStore;

globalThis.gc?.();
const before = process.memoryUsage.rss();
const sweeper = new StoreSweeper(
  { store, brokerId: undefined, remover: { remove: refuse } },
  systemClock,
);
const report = await sweeper.sweep({
  trigger: 'once',
  policy: new QuotaPolicy({
    quotaBytes: resultCount * 40_000,
    criticalPercent: 90,
    targetPercent: 60,
  }),
  graceMs: 1,
  concurrencyMax: 8,
  isDryRun: true,
  usesWallClock: true,
  onRemoval: () => undefined,
  onFailure: refuse,
});
rssMax = Math.max(rssMax, process.memoryUsage.rss());
const [broker] = report.brokers;
const outcome = {
  expiredCount: broker?.expiry.freed.count,
  evictedCount: broker?.quota.freed.count,
  usageEndBytes: broker?.usageEndBytes,
  targetBytes: resultCount * 40_000 * 0.6,
  durationMs: Math.round(report.durationMs),
  memoryMiB: Math.round((rssMax - before) / 1024 / 1024),
  calls,
};
process.stdout.write(`${JSON.stringify(outcome)}\n`);
