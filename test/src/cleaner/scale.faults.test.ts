import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { QuotaPolicy, storeRemover, StoreSweeper } from '@quire/cleaner';
import { createRequestId, systemClock } from '@quire/core';
import { collect, RecordingStore, SeededRandom } from '@quire/core/testing';
import { dataKeyOf, recordKeyOf } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';

/** The full run: `QUIRE_SCALE_RESULTS=100000 npx vitest run test/src/cleaner/scale.faults`. */
const resultCount = Number(process.env['QUIRE_SCALE_RESULTS'] ?? 2000);

test('a sweep of a million results plans in at most 200 MB, from one listing, and opens nothing', async () => {
  const script = join(import.meta.dirname, 'cleaner-million.process.ts');
  // The young generation is as large as the command's.
  const args = [
    '--conditions=@quire/source',
    '--expose-gc',
    '--max-semi-space-size=2',
    script,
    '1000000',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const outcome = JSON.parse(stdout) as Record<
    'expiredCount' | 'evictedCount' | 'usageEndBytes' | 'targetBytes' | 'memoryMiB',
    number
  >;
  expect(outcome).toMatchObject({ expiredCount: 100_000, calls: { list: 1, others: 0 } });
  expect(outcome.evictedCount).toBeGreaterThan(100_000);
  expect(outcome.usageEndBytes).toBeLessThanOrEqual(outcome.targetBytes);
  expect(outcome.usageEndBytes).toBeGreaterThan(outcome.targetBytes - 110_000);
  expect(outcome.memoryMiB).toBeLessThanOrEqual(200);
});

test(
  'results by the thousands on a local disk: the expired and the largest go, exactly, and the others stay',
  { timeout: 600_000 },
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'quire-scale-'));
    try {
      const random = new SeededRandom(1);
      const nowMs = systemClock.nowMs();
      const kept = new Set<string>();
      let usageBytes = 0;
      let liveBytes = 0;
      for (let index = 0; index < resultCount; index += 1) {
        const requestId = createRequestId(systemClock, random);
        const kind = index % 3; // 0: has expired; 1: large; 2: small
        const name = {
          submissionTimeMs: nowMs - 120_000,
          expirationTimeMs: kind === 0 ? nowMs - 1 : nowMs + 3_600_000,
          rowCount: 1,
        };
        mkdirSync(join(root, 'Broker_a_1', requestId), { recursive: true });
        writeFileSync(join(root, recordKeyOf('Broker_a_1', requestId, name)), '{}');
        writeFileSync(
          join(root, dataKeyOf('Broker_a_1', requestId)),
          Buffer.alloc(kind === 1 ? 300 : 100),
        );
        if (kind === 2) kept.add(requestId);
        const sizeBytes = (kind === 1 ? 300 : 100) + 2;
        usageBytes += sizeBytes;
        // Expired results are deleted first, so the quota is computed without them: otherwise the
        // large ones need not be evicted.
        if (kind !== 0) liveBytes += sizeBytes;
      }
      await using files = await FileObjectStore.open({ root });
      const store = new RecordingStore(files);
      const targetBytes = kept.size * 102;
      const policy = new QuotaPolicy({
        quotaBytes: liveBytes - 1,
        criticalPercent: 100,
        targetPercent: (targetBytes * 100) / (liveBytes - 1),
      });
      const sweeper = new StoreSweeper(
        { store, brokerId: undefined, remover: storeRemover(store) },
        systemClock,
      );
      const report = await sweeper.sweep({
        trigger: 'once',
        policy,
        graceMs: 3_600_000,
        concurrencyMax: 8,
        isDryRun: false,
        usesWallClock: true,
        onRemoval: () => undefined,
        onFailure: () => undefined,
      });
      expect(report.isGood).toBe(true);
      const left = new Set((await collect(files.list(''))).map(({ key }) => key.split('/')[1]));
      expect(left).toEqual(kept);
      expect(report.brokers[0]).toMatchObject({
        usageStartBytes: usageBytes,
        usageEndBytes: targetBytes,
        resultCount: kept.size,
      });
      expect([store.count('get'), store.count('head'), store.count('put')]).toEqual([0, 0, 0]);
      if (resultCount > 50_000) {
        process.stdout.write(`${resultCount} results: ${Math.round(report.durationMs)} ms\n`);
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
);
