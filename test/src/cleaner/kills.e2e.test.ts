import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { leaseKey } from '@quire/cleaner';
import type { ObjectStore } from '@quire/core';
import { FileObjectStore } from '@quire/store-file';
import { S3ObjectStore } from '@quire/store-s3';
import { expect, test } from 'vitest';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';
import { MB, quota, usageOf, writeFileConfig, writeS3Config } from './cleaner-config.ts';
import { CleanerTraffic, quotaBytes, resultBytesMax } from './cleaner-traffic.ts';
import { CliProcess, quireHere, temporaryDirectory } from '../testkit/cli-process.ts';
import { until } from '../testkit/until.ts';

/** The long run: `QUIRE_CLEANER_KILLS=100 npx vitest run test/src/cleaner/kills.e2e`. */
const isLong = process.env['QUIRE_CLEANER_KILLS'] !== undefined;
const killCount = Number(process.env['QUIRE_CLEANER_KILLS'] ?? 2);
const timeout = 240_000 + killCount * 20_000;
const pagesMin = 100;
const brokerId = 'Broker_a_1';

/**
 * Kills daemons during their deletions while other processes read and write, then lets one finish.
 */
async function expectNoHarm(
  config: string,
  store: ObjectStore,
  traffic: CleanerTraffic,
): Promise<void> {
  for (let kill = 0; kill < killCount; kill += 1) {
    await using daemon = new CliProcess(['cleaner', '--config', config]);
    await daemon.untilLogged('"deleted"');
    // Leaving the block kills it. Its lease, if it has one, would expire after some seconds, too
    // long to wait for at every kill.
    await store.delete(leaseKey);
  }
  await store.delete(leaseKey);
  {
    await using daemon = new CliProcess(['cleaner', '--config', config]);
    await daemon.untilLogged('sweep ended');
    // On a loaded machine, the clients have not got far by then.
    await until(
      () => traffic.seen.pageCount > pagesMin && traffic.seen.goneCount > 0,
      'pages and deleted results have been read',
    );
    daemon.signal('SIGTERM');
    expect(await daemon.ended()).toMatchObject({ exitCode: 0 });
  }
  const seen = await traffic.end();
  if (isLong) {
    process.stdout.write(`${store.location}, ${killCount} kills: ${JSON.stringify(seen)}\n`);
  }
  expect(seen.wrong).toEqual([]);
  expect(seen.pageCount).toBeGreaterThan(pagesMin);
  expect(seen.goneCount).toBeGreaterThan(0);
  expect(seen.usageBytesMax).toBeLessThanOrEqual(quotaBytes + resultBytesMax);
  await store.delete(leaseKey);
  expect(await quireHere(['cleaner', '--config', config, '--once'])).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(await usageOf(store, brokerId)).toBeLessThanOrEqual(4 * MB * 0.9);
}

test(
  'while a daemon over local files is killed again and again, readers see whole pages or none, and the quota holds',
  { timeout },
  async () => {
    await using directory = await temporaryDirectory();
    await mkdir(join(directory.path, 'results'));
    await using store = await FileObjectStore.open({ root: join(directory.path, 'results') });
    const config = await writeFileConfig(directory.path, quota(4));
    await expectNoHarm(
      config,
      store,
      new CleanerTraffic({ store, brokerId, leftovers: store.leftovers }),
    );
  },
);

describeWithTool(s3Server, 'over S3', (path) => {
  test(
    'over S3, while a daemon is killed again and again, readers see whole pages or none, and the quota holds',
    { timeout },
    async () => {
      await using server = await S3Server.start(path);
      await using directory = await temporaryDirectory();
      const options = server.storeOptions();
      await using store = await S3ObjectStore.open(options);
      const config = await writeS3Config(directory.path, options, quota(4));
      await expectNoHarm(config, store, new CleanerTraffic({ store, brokerId }));
    },
  );
});
