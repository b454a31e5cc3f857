import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { WorkerServer } from '../testkit/worker-server.ts';

/** Results that each of four writers stores; 300 take about a minute. */
const roundCount = Number(process.env['QUIRE_QUOTA_ROUNDS'] ?? 12);
const MiB = 1024 * 1024;
const quotaBytes = 8 * MiB;

test(
  'four writers at full speed against a small quota are never refused what fits',
  { timeout: 240_000 + roundCount * 1000 },
  async () => {
    await using server = await WorkerServer.start(`
engine.broker.pagination.file.enableStorageCleaner = true
engine.broker.pagination.file.maxStoragePerBrokerMB = 8
engine.broker.pagination.file.criticalStorageThresholdPercent = 90
engine.broker.pagination.file.targetStorageThresholdPercent = 60
engine.broker.query.concurrency = 4
engine.broker.pagination.compression = none`);
    let isWriting = true;
    let usageMaxBytes = 0;
    const watching = (async () => {
      while (isWriting) {
        usageMaxBytes = Math.max(usageMaxBytes, await bytesOf(await server.resultFiles()));
      }
    })();
    // From a few kilobytes to nearly the 2.4 MiB between critical and target.
    const write = async (writer: number): Promise<unknown[]> => {
      const failures: unknown[] = [];
      for (let round = 0; round < roundCount; round += 1) {
        const rowCount = 1000 * (1 + ((writer * 7 + round * 13) % 140));
        const { exceptions, numRowsResultSet } = await server.query(
          `SELECT range AS a, range * 3 AS b FROM range(${rowCount})`,
        );
        failures.push(...exceptions);
        if (exceptions.length === 0 && numRowsResultSet !== rowCount) {
          failures.push(numRowsResultSet);
        }
      }
      return failures;
    };
    const failures = await Promise.all([0, 1, 2, 3].map(write)).finally(() => (isWriting = false));
    await watching;
    expect(failures.flat()).toEqual([]);
    expect(usageMaxBytes).toBeLessThanOrEqual(quotaBytes);
    expect(usageMaxBytes).toBeGreaterThan(quotaBytes / 2);
    expect(await server.health()).toMatchObject({
      cleaner: { writesWaiting: 0, writesRefused: 0 },
    });
  },
);

async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = files.map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0, // already deleted
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
