import { readFile } from 'node:fs/promises';
import type {
  ClusterSweepResponse,
  HealthResponse,
  QueryResponse,
  SweepPlanResponse,
} from '@quire/api';
import { QuireClient } from '@quire/client';
import { ownerTagOf, type RequestId } from '@quire/core';
import { formatOwnerTag, ownerTag } from '@quire/results';
import { expect, test } from 'vitest';
import {
  quireHere,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { replaceFile } from '../testkit/replace-file.ts';

const key = 'a-key-of-32-letters-for-tests-01';
const percentKey = 'engine.broker.pagination.quota.principal.maxPercent';
const settings = [
  'engine.broker.pagination.protocol = file',
  'engine.broker.pagination.file.data.dir = results',
  'engine.broker.pagination.file.enableStorageCleaner = true',
  'engine.broker.pagination.file.maxStoragePerBrokerMB = 4',
  `engine.broker.pagination.owner.tag.key = ${key}`,
  `${percentKey} = 25`,
  'engine.auth.principal.admin.quota.maxMB = 3',
  '',
].join('\n');

/** Rows of 8 bytes. */
const rows = (count: number): string => `SELECT i FROM range(${count}) AS t(i)`;

test('a principal that floods a broker loses its own results, is told why it has no room, and is shown wherever usage is', async () => {
  await using directory = await temporaryDirectory();
  const config = await writeSettings(directory.path, settings);
  const { server, url } = await startServer(['--config', config]);
  await using _server = server;
  const admin = new QuireClient({ baseUrl: url, token: 'admin-token' });
  const ann = new QuireClient({ baseUrl: url, basic: { user: 'ann', password: 'ann-password' } });
  const kept: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    kept.push((await admin.query(rows(60_000), { rowCount: 1 })).requestId);
  }

  // Each result is a fifth of the owner's share. Above nine tenths of the share, the oldest results
  // are evicted down to six tenths, although they are young.
  for (let count = 0; count < 12; count += 1) await ann.query(rows(26_000), { rowCount: 1 });
  for (const requestId of kept) {
    expect(await admin.page(requestId, { offset: 59_999, rowCount: 1 })).toMatchObject({
      rows: [[59_999]],
    });
  }
  const lists = await admin.list();
  expect(lists.filter(({ requestId }) => !kept.includes(requestId)).length).toBeLessThanOrEqual(4);

  // A result that is too large for the owner's quota, but not for the total.
  const refused = await fetch(`${url}/query/sql?doPaginate=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa('ann:ann-password')}`,
    },
    body: JSON.stringify({ sql: rows(200_000) }),
  });
  const { exceptions } = (await refused.json()) as QueryResponse;
  expect(exceptions).toEqual([
    {
      errorCode: 245,
      message: expect.stringContaining(`of the principal's share of 1 MiB (${percentKey}), `),
    },
  ]);
  await admin.query(rows(100_000), { rowCount: 1 });

  const owner = formatOwnerTag(ownerTag('ann', key));
  const health = (await (await fetch(`${url}/health`)).json()) as HealthResponse;
  const hers = health.cleaner?.owners.find((each) => each.owner === owner);
  expect(hers).toMatchObject({ owner, shareBytes: 1024 * 1024 });
  expect(hers?.usageBytes).toBeLessThanOrEqual(1024 * 1024);
  expect(health.cleaner).toMatchObject({ writesRefusedByShare: 1, writesRefusedBecause: null });
  expect(JSON.stringify(health)).not.toContain('ann');

  const get = async (path: string, authorization = 'Bearer admin-token'): Promise<string> =>
    (await fetch(`${url}${path}`, { headers: { authorization } })).text();
  const own = await get('/query/usage', `Basic ${btoa('ann:ann-password')}`);
  expect(JSON.parse(own)).toEqual({
    resultCount: hers?.resultCount,
    usageBytes: hers?.usageBytes,
    shareBytes: 1024 * 1024,
    totalUsageBytes: expect.any(Number),
    quotaBytes: health.cleaner?.quotaBytes,
  });
  const plan = JSON.parse(await get('/sweep')) as SweepPlanResponse & Partial<ClusterSweepResponse>;
  expect(plan.owners).toEqual([
    expect.objectContaining({ name: 'admin', resultCount: 5, shareBytes: 3 * 1024 * 1024 }),
    expect.objectContaining({ name: 'ann', owner, shareBytes: 1024 * 1024 }),
  ]);
  const metrics = await get('/metrics');
  expect(metrics).toMatch(
    /quire_cleaner_principal_usage_bytes\{broker="[^"]+",principal="ann"\} \d+/,
  );
  expect(metrics).toMatch(
    /quire_cleaner_principal_share_bytes\{broker="[^"]+",principal="ann"\} 1048576/,
  );
  expect(metrics).toMatch(/quire_cleaner_writes_refused_by_share_total 1\n/);
  await server.untilLogged(`"owner":"${owner}","limitedBy":"${percentKey}"`);

  const usage = await quireHere(['results', 'usage', '--config', config], {
    variables: testVariables,
  });
  expect(usage.stdout).toMatch(/owner +results +size +share\n/);
  expect(usage.stdout).toMatch(/ann +\d +[\d.]+ KiB +\d\d\.\d% of 1 MiB\n/);
  expect(usage.stdout).toMatch(/admin +5 +[\d.]+ MiB +\d\d\.\d% of 3 MiB\n/);
  // With a smaller quota, a cleaner would evict more results of this owner, but none of other
  // owners.
  const dryRun = await quireHere(
    ['cleaner', '--config', config, '--set', `${percentKey}=10`, '--dry-run'],
    {
      variables: testVariables,
    },
  );
  expect(dryRun.stdout).toMatch(
    new RegExp(`would delete  \\S+  20[\\d.]+ KiB  evicted \\(${percentKey}\\)  `),
  );
  expect(dryRun.stdout).toMatch(/share of ann: [\d.]+ KiB → [\d.]+ KiB of [\d.]+ KiB\n/);
  expect(dryRun.stdout).not.toContain(kept[0]);

  // The running cleaner does the same, once its settings contain the smaller quota.
  await replaceFile(
    config,
    (await readFile(config, 'utf8')).replace(`${percentKey} = 25`, `${percentKey} = 10`),
  );
  await server.untilLogged('"trigger":"settings"');
  const left = (await admin.list()).filter(
    ({ requestId }) => ownerTagOf(requestId as RequestId) === ownerTag('ann', key),
  );
  expect(left.length).toBe(1);
  await admin.page(kept[0]!, { offset: 0, rowCount: 1 });
  server.signal('SIGTERM');
  expect((await server.ended()).exitCode).toBe(0);
});
