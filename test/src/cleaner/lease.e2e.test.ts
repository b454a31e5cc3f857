import { kill } from 'node:process';
import { collect } from '@quire/core/testing';
import { ResultStore } from '@quire/results';
import { S3ObjectStore } from '@quire/store-s3';
import { expect, test } from 'vitest';
import { countingRows } from '../testkit/builders/counting-rows.ts';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';
import { writeS3Config } from './cleaner-config.ts';
import { CliProcess, temporaryDirectory } from '../testkit/cli-process.ts';

const brokerId = 'Broker_a_1';

function deletedIn({ stderr }: CliProcess): string[] {
  return Array.from(
    stderr.matchAll(/"id":"([^"]+)","reason":"expired"[^\n]*"msg":"deleted"/g),
    ([, id]) => id ?? '',
  );
}

describeWithTool(s3Server, 'two daemons on one bucket', (path) => {
  test('two daemons on one bucket take turns: one leaves a sweep to the other, and takes over soon after that one has died', async () => {
    await using server = await S3Server.start(path);
    await using directory = await temporaryDirectory();
    await using holdersDirectory = await temporaryDirectory();
    await using proxy = await FaultProxy.start(server.process.port);
    // The sweep of the holder ends after some deletions, and always before the other one checks.
    let deletionCount = 0;
    proxy.intercept = ({ method, url }) => {
      if (method !== 'DELETE' && !url.includes('?delete')) return undefined;
      deletionCount += 1;
      return deletionCount > 4 ? { kind: 'stall' } : undefined;
    };
    const options = server.storeOptions();
    await using store = await S3ObjectStore.open(options);
    const lines = ['engine.cleaner.concurrency = 1'];
    const config = await writeS3Config(directory.path, options, lines);
    const throughProxy = { ...options, endpoint: proxy.endpoint };
    const holdersConfig = await writeS3Config(holdersDirectory.path, throughProxy, lines);
    const results = new ResultStore({ store, brokerId, expirationMs: 1, expirationMaxMs: 1 });
    const ids = new Set<string>();
    for (let count = 0; count < 80; count += 1) {
      ids.add((await results.create(countingRows(1), { owner: 'o' })).entry.requestId);
    }

    const holder = new CliProcess(['cleaner', '--config', holdersConfig]);
    await using _holder = holder;
    await holder.untilLogged('"deleted"');
    await using other = new CliProcess(['cleaner', '--config', config]);
    await other.untilLogged('sweep skipped: another cleaner is sweeping');
    expect(deletedIn(other)).toEqual([]);
    expect((await collect(results.list())).length).toBeGreaterThan(0);
    kill(holder.pid, 'SIGKILL');
    await other.untilLogged('sweep ended');

    // If the signal arrived between a commit record and its data, the data is young, and remains
    // for the grace period.
    const left = await collect(store.list(`${brokerId}/`));
    expect(left.filter(({ key }) => !key.endsWith('/data.arrow'))).toEqual([]);
    expect(left.length).toBeLessThanOrEqual(1);
    const [byHolder, byOther] = [deletedIn(holder), deletedIn(other)];
    expect(byOther.length).toBeGreaterThan(0);
    expect([...byHolder, ...byOther].filter((id) => !ids.has(id))).toEqual([]);
    expect(byOther.filter((id) => byHolder.includes(id))).toEqual([]);
  });
});
