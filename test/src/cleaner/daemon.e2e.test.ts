import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { isQuireError } from '@quire/core';
import { collect } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { expect, test } from 'vitest';
import { countingRows } from '../testkit/builders/counting-rows.ts';
import { MB, quota, usageOf, writeFileConfig } from './cleaner-config.ts';
import { CliProcess, quireHere, temporaryDirectory } from '../testkit/cli-process.ts';
import { cannotMount, mountSmallDisk } from '../testkit/small-disk.ts';

const brokerId = 'Broker_a_1';

async function resultsIn(
  directory: string,
  options: { expirationMs?: number; brokerId?: string } = {},
) {
  await mkdir(join(directory, 'results'), { recursive: true });
  const store = await FileObjectStore.open({ root: join(directory, 'results') });
  return {
    store,
    results: new ResultStore({
      store,
      brokerId,
      expirationMs: 3_600_000,
      expirationMaxMs: 3_600_000,
      ...options,
    }),
  };
}

test.skipIf(cannotMount)(
  'a full disk is freed, though nothing can be written on it (skipped unless root on Linux, who may mount a small one)',
  async () => {
    await using directory = await temporaryDirectory();
    const disk = join(directory.path, 'results');
    await mkdir(disk);
    await using _small = await mountSmallDisk(disk, 3);
    const { store, results } = await resultsIn(directory.path);
    const codes: string[] = [];
    while (codes.length === 0) {
      await results.create(countingRows(60_000), { owner: 'o' }).catch((error: unknown) => {
        codes.push(isQuireError(error) ? error.code : String(error));
      });
    }
    expect(codes).toEqual(['STORE_FULL']);
    await writeFile(join(disk, 'ballast'), Buffer.alloc(4 * MB)).catch(() => undefined);
    await expect(writeFile(join(disk, 'more'), 'x'.repeat(8192))).rejects.toMatchObject({
      code: 'ENOSPC',
    });
    const before = await usageOf(store, brokerId);
    const config = await writeFileConfig(directory.path, quota(1));
    const swept = await quireHere(['cleaner', '--config', config, '--once', '--json']);
    expect(swept).toMatchObject({ exitCode: 0 });
    expect(await usageOf(store, brokerId)).toBeLessThanOrEqual(0.6 * MB);
    expect(before).toBeGreaterThan(2 * MB);
    await results.create(countingRows(60_000), { owner: 'o' });
  },
);

test('one sweep says what it would delete and why, deletes it, and collects the results of brokers that no longer exist', async () => {
  await using directory = await temporaryDirectory();
  const { store, results } = await resultsIn(directory.path);
  const { results: retired } = await resultsIn(directory.path, {
    brokerId: 'Broker_retired_9',
    expirationMs: 1,
  });
  const gone = (await retired.create(countingRows(10), { owner: 'o' })).entry;
  const stays = (await results.create(countingRows(10), { owner: 'o' })).entry;
  await writeFile(join(directory.path, 'results', 'notes.txt'), 'mine');
  const config = await writeFileConfig(directory.path);
  const removal = {
    brokerId: 'Broker_retired_9',
    id: gone.requestId,
    reason: 'expired',
    bytes: gone.sizeBytes,
  };

  const dry = await quireHere(['cleaner', '--config', config, '--dry-run', '--json']);
  const [planned, plan] = dry.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(planned).toMatchObject({ ...removal, isDryRun: true });
  expect(plan).toMatchObject({ sweep: { isDryRun: true, isGood: true } });
  expect(await collect(retired.list())).toHaveLength(1);

  const swept = await quireHere(['cleaner', '--config', config, '--once']);
  expect(swept).toMatchObject({ exitCode: 0 });
  expect(swept.stdout).toContain(`deleted  ${gone.requestId}`);
  expect((await collect(store.list('Broker_'))).map(({ key }) => key)).toEqual([
    stays.recordKey,
    stays.dataKey,
  ]);
  expect((await readdir(join(directory.path, 'results'))).toSorted()).toEqual([
    '.staging',
    brokerId,
    'notes.txt',
  ]);
});

test('a daemon takes a changed quota at once, keeps the last good settings, and says so in health', async () => {
  await using directory = await temporaryDirectory();
  const { results } = await resultsIn(directory.path);
  for (let count = 0; count < 8; count += 1) {
    await results.create(countingRows(60_000), { owner: 'o' });
  }
  const slow = ['controller.cluster.pagination.cleaner.frequencyPeriod = 1h'];
  const config = await writeFileConfig(directory.path);
  const lines = (more: readonly string[]) => writeFileConfig(directory.path, [...more]);
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
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
    status: 'ok',
    isGood: true,
    settingsProblems: 0,
  });

  await lines(['engine.broker.pagination.file.maxStoragePerBrokerMB = none']);
  await daemon.untilLogged('the last valid settings stay in force');
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
    status: 'ok',
    settingsProblems: 1,
    settingsProblem: expect.stringContaining(
      'engine.broker.pagination.file.maxStoragePerBrokerMB',
    ) as string,
  });

  await lines(quota(1));
  await daemon.untilLogged('"trigger":"settings"');
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
    settingsProblems: 0,
    settingsProblem: null,
  });
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/quire_cleaner_objects_total\{pass="quota",outcome="freed"\} [1-9]/);
  expect(metrics).toContain(`quire_cleaner_quota_bytes{broker="${brokerId}"} ${MB}`);
  expect(metrics).toMatch(/quire_cleaner_last_good_sweep_timestamp_seconds [1-9]/);
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  daemon.signal('SIGTERM');
  expect(await daemon.ended()).toMatchObject({ exitCode: 0 });
});

test.each([['--once'], ['--dry-run'], []])(
  'a directory that does not exist is an error, and is not made (%s)',
  async (...options) => {
    await using directory = await temporaryDirectory();
    const config = await writeFileConfig(directory.path);
    const { exitCode, stdout, stderr } = await quireHere([
      'cleaner',
      '--config',
      config,
      ...options,
    ]);
    const place = join(directory.path, 'results');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(
      `error INVALID_SETTING: engine.broker.pagination.file.data.dir = ${place}: the directory does not exist.`,
    );
    expect(await readdir(directory.path)).not.toContain('results');
  },
);

test('a port of the cleaner that is taken is an error with the setting and the way out', async () => {
  await using directory = await temporaryDirectory();
  await resultsIn(directory.path);
  const config = await writeFileConfig(directory.path);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { exitCode, stderr } = await quireHere([
    'cleaner',
    '--config',
    config,
    '--set',
    `engine.cleaner.port=${port}`,
  ]);
  other.close();
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    `error INVALID_SETTING: engine.cleaner.port = ${port}: another process already listens on 127.0.0.1. ` +
      'Choose another port, or 0 for any free one: --set engine.cleaner.port=0',
  );
});
