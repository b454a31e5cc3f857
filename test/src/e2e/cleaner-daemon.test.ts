import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cleaner, StorageAdmission } from '@quire/cleaner';
import { isQuireError, type RequestId, systemClock, systemRandom } from '@quire/core';
import { collect } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { countingJson, countingRows } from '../builders/counting-rows.ts';
import { pageText } from '../builders/page-text.ts';
import { CliProcess, quire, shell, temporaryDirectory } from './cli-process.ts';

const MB = 1024 * 1024;
/** The long run: `QUIRE_CLEANER_KILLS=100 npx vitest run test/src/e2e/cleaner-daemon`. */
const killCount = Number(process.env['QUIRE_CLEANER_KILLS'] ?? 4);
const brokerId = 'Broker_a_1';

/** A settings file for a store in `<directory>/results`. */
async function writeConfig(directory: string, lines: readonly string[] = []): Promise<string> {
  const path = join(directory, 'q.properties');
  const all = [
    'engine.broker.pagination.protocol = file',
    'engine.broker.pagination.file.data.dir = results',
    'engine.log.format = json',
    'controller.cluster.pagination.cleaner.initialDelay = 0s',
    'controller.cluster.pagination.cleaner.frequencyPeriod = 1s',
    ...lines,
  ];
  await writeFile(`${path}.new`, `${all.join('\n')}\n`);
  await rename(`${path}.new`, path);
  return path;
}

function quota(megabytes: number): string[] {
  return [
    'engine.broker.pagination.file.enableStorageCleaner = true',
    `engine.broker.pagination.file.maxStoragePerBrokerMB = ${megabytes}`,
  ];
}

async function resultsIn(
  directory: string,
  options: { expirationMs?: number; admission?: StorageAdmission; brokerId?: string } = {},
) {
  await mkdir(join(directory, 'results'), { recursive: true });
  const store = await FileObjectStore.open({ root: join(directory, 'results') });
  return {
    store,
    results: new ResultStore({ store, brokerId, expirationMs: 3_600_000, expirationMaxMs: 3_600_000, ...options }),
  };
}

async function usageOf(store: FileObjectStore): Promise<number> {
  return (await collect(store.list(`${brokerId}/`))).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

test(
  'while a daemon is killed again and again, readers see whole pages or none, and the quota holds within one result',
  { timeout: 60_000 + killCount * 20_000 },
  async () => {
    await using directory = await temporaryDirectory();
    const admission = new StorageAdmission();
    const { store, results } = await resultsIn(directory.path, { expirationMs: 4000, admission });
    const config = await writeConfig(directory.path, quota(4));
    await using cleaner = new Cleaner({
      target: { store, brokerId, remover: results, admission, leftovers: store.leftovers },
      settings: () => ({
        quota: { quotaBytes: 4 * MB, criticalPercent: 90, targetPercent: 60 },
        periodMs: 3_600_000, // what expires is left to the daemon
        initialDelayMs: 0,
        graceMs: 60_000,
        concurrencyMax: 4,
      }),
      clock: systemClock,
      random: systemRandom,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    cleaner.start();

    const rowCountMax = 60_000;
    const written = new Map<RequestId, number>();
    const wrong: unknown[] = [];
    const seen = { pages: 0, gone: 0, refused: 0, usageBytesMax: 0 };
    let isOver = false;
    const write = async (seed: number): Promise<void> => {
      for (let turn = seed; !isOver; turn += 1) {
        const rowCount = 1000 + ((turn * 7919) % (rowCountMax - 1000));
        try {
          const { entry } = await results.create(countingRows(rowCount), { owner: 'o' });
          written.set(entry.requestId, rowCount);
          if (written.size > 200) written.delete([...written.keys()][0]!);
        } catch (error) {
          if (!isQuireError(error, 'QUERY_LIMIT_EXCEEDED')) wrong.push(error);
          seen.refused += 1;
          await systemClock.sleep(5);
        }
      }
    };
    const read = async (): Promise<void> => {
      for (let turn = 0; !isOver; turn += 1) {
        const [requestId, rowCount] = [...written][(turn * 31) % Math.max(1, written.size)] ?? [undefined, 0];
        await systemClock.sleep(1);
        if (requestId === undefined) continue;
        const offset = (turn * 104_729) % rowCount;
        try {
          const text = await pageText(await results.open(requestId), offset, 500);
          seen.pages += 1;
          if (text !== countingJson(offset, Math.min(rowCount, offset + 500))) wrong.push({ requestId, offset });
        } catch (error) {
          if (!isQuireError(error) || error.kind !== 'missing') wrong.push(error);
          seen.gone += 1;
        }
      }
    };
    const watch = async (): Promise<void> => {
      while (!isOver) {
        seen.usageBytesMax = Math.max(seen.usageBytesMax, await usageOf(store));
        await systemClock.sleep(50);
      }
    };
    const traffic = [write(0), write(500), read(), read(), read(), watch()];
    for (let kill = 0; kill < killCount; kill += 1) {
      await using daemon = new CliProcess(['cleaner', '--config', config]);
      await daemon.untilLogged('"deleted"'); // leaving the block kills it, amid its deletions
    }
    {
      await using daemon = new CliProcess(['cleaner', '--config', config]);
      await daemon.untilLogged('sweep ended');
      daemon.signal('SIGTERM');
      expect(await daemon.ended()).toMatchObject({ exitCode: 0 });
    }
    isOver = true;
    await Promise.all(traffic);
    await cleaner.stop();

    expect(wrong).toEqual([]);
    expect(seen.pages).toBeGreaterThan(100);
    expect(seen.gone).toBeGreaterThan(0);
    const largestBytes = rowCountMax * 4 + 10_000;
    expect(seen.usageBytesMax).toBeLessThanOrEqual(4 * MB + largestBytes);
    expect(await quire(['cleaner', '--config', config, '--once'])).toMatchObject({ exitCode: 0 });
    expect(await usageOf(store)).toBeLessThanOrEqual(4 * MB * 0.9);
  },
);

test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'a full disk is freed, though nothing can be written on it (skipped unless root on Linux, who may mount a small one)',
  { timeout: 120_000 },
  async () => {
    await using directory = await temporaryDirectory();
    const disk = join(directory.path, 'results');
    await mkdir(disk);
    expect(await shell(`mount -t tmpfs -o size=3m tmpfs '${disk}'`)).toMatchObject({ exitCode: 0 });
    try {
      const { store, results } = await resultsIn(directory.path);
      const codes: string[] = [];
      while (codes.length === 0) {
        await results.create(countingRows(60_000), { owner: 'o' }).catch((error: unknown) => {
          codes.push(isQuireError(error) ? error.code : String(error));
        });
      }
      expect(codes).toEqual(['STORE_FULL']);
      await writeFile(join(disk, 'ballast'), Buffer.alloc(4 * MB)).catch(() => undefined);
      await expect(writeFile(join(disk, 'more'), 'x'.repeat(8192))).rejects.toMatchObject({ code: 'ENOSPC' });
      const before = await usageOf(store);
      const config = await writeConfig(directory.path, quota(1));
      const swept = await quire(['cleaner', '--config', config, '--once', '--json']);
      expect(swept).toMatchObject({ exitCode: 0 });
      expect(await usageOf(store)).toBeLessThanOrEqual(0.6 * MB);
      expect(before).toBeGreaterThan(2 * MB);
      await results.create(countingRows(60_000), { owner: 'o' });
    } finally {
      await shell(`umount -l '${disk}'`);
    }
  },
);

test('one sweep says what it would delete and why, deletes it, and collects the results of brokers that are no more', async () => {
  await using directory = await temporaryDirectory();
  const { store, results } = await resultsIn(directory.path);
  const { results: retired } = await resultsIn(directory.path, { brokerId: 'Broker_retired_9', expirationMs: -1 });
  const gone = (await retired.create(countingRows(10), { owner: 'o' })).entry;
  const stays = (await results.create(countingRows(10), { owner: 'o' })).entry;
  await writeFile(join(directory.path, 'results', 'notes.txt'), 'mine');
  const config = await writeConfig(directory.path);
  const removal = { brokerId: 'Broker_retired_9', id: gone.requestId, reason: 'expired', bytes: gone.sizeBytes };

  const dry = await quire(['cleaner', '--config', config, '--dry-run', '--json']);
  const [planned, plan] = dry.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(planned).toMatchObject({ ...removal, isDryRun: true });
  expect(plan).toMatchObject({ sweep: { isDryRun: true, isGood: true } });
  expect(await collect(retired.list())).toHaveLength(1);

  const swept = await quire(['cleaner', '--config', config, '--once']);
  expect(swept).toMatchObject({ exitCode: 0 });
  expect(swept.stdout).toContain(`deleted  ${gone.requestId}`);
  expect((await collect(store.list('Broker_'))).map(({ key }) => key)).toEqual([stays.recordKey, stays.dataKey]);
  expect((await readdir(join(directory.path, 'results'))).toSorted()).toEqual(['.staging', brokerId, 'notes.txt']);
});

test(
  'a daemon takes a changed quota at once, keeps the last good settings, and says so in health',
  { timeout: 60_000 },
  async () => {
    await using directory = await temporaryDirectory();
    const { results } = await resultsIn(directory.path);
    for (let count = 0; count < 8; count += 1) await results.create(countingRows(60_000), { owner: 'o' });
    const slow = ['controller.cluster.pagination.cleaner.frequencyPeriod = 1h'];
    const config = await writeConfig(directory.path);
    const lines = (more: readonly string[]) => writeConfig(directory.path, [...more]);
    await using daemon = new CliProcess([
      'cleaner',
      '--config',
      config,
      '--set',
      slow[0]!.replaceAll(' ', ''),
      '--set',
      'engine.cleaner.port=0',
    ]);
    await daemon.untilLogged('sweep ended');
    const url = /"url":"([^"]+)"/.exec(daemon.stderr)![1]!;
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', isGood: true, settingsProblems: 0 });

    await lines(['engine.broker.pagination.file.maxStoragePerBrokerMB = none']);
    await daemon.untilLogged('the last good settings hold');
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', settingsProblems: 1 });

    await lines(quota(1));
    await daemon.untilLogged('"trigger":"settings"');
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ settingsProblems: 0 });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/quire_cleaner_objects_total\{pass="quota",outcome="freed"\} [1-9]/);
    expect(metrics).toContain(`quire_cleaner_quota_bytes{broker="${brokerId}"} ${MB}`);
    expect(metrics).toMatch(/quire_cleaner_last_good_sweep_timestamp_seconds [1-9]/);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    daemon.signal('SIGTERM');
    expect(await daemon.ended()).toMatchObject({ exitCode: 0 });
  },
);
