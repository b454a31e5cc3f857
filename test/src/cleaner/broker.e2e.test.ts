import { readFile } from 'node:fs/promises';
import { QuireClient } from '@quire/client';
import { expect, test } from 'vitest';
import {
  quireHere,
  startServer,
  temporaryDirectory,
  writeSettings,
} from '../testkit/cli-process.ts';
import { replaceFile } from '../testkit/replace-file.ts';

const twoMegabytes = [
  'engine.broker.pagination.file.enableStorageCleaner = true',
  'engine.broker.pagination.file.maxStoragePerBrokerMB = 2',
  // All of these results are seconds old: without protection, the oldest are evicted first.
  'engine.cleaner.protection.time = 0s',
  '',
].join('\n');

/** Rows of 8 bytes. */
function rows(count: number): string {
  return `SELECT i FROM range(${count}) AS t(i)`;
}

test('a broker takes a quota while it runs: evicts the largest, tells readers why, refuses what is too large, and shows all of it', async () => {
  await using directory = await temporaryDirectory();
  const inFiles = [
    'engine.broker.pagination.protocol = file',
    'engine.broker.pagination.file.data.dir = results',
    '',
  ].join('\n');
  const config = await writeSettings(directory.path, inFiles);
  const { server, url } = await startServer(['--config', config]);
  await using _server = server;
  const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
  const small = await client.query(rows(10_000), { rowCount: 1 });
  const large = await client.query(rows(200_000), { rowCount: 1 });
  const medium = await client.query(rows(80_000), { rowCount: 1 });
  const health = async () =>
    (await (await fetch(`${url}/health`)).json()) as { cleaner: Record<string, unknown> };
  expect(await health()).toMatchObject({ settingsProblems: 0, cleaner: { quotaBytes: null } });

  await replaceFile(config, `${await readFile(config, 'utf8')}\n${twoMegabytes}`);
  await server.untilLogged('"trigger":"settings"');
  await expect(client.page(large.requestId, { offset: 0, rowCount: 1 })).rejects.toMatchObject({
    code: 'RESULT_EVICTED',
  });
  for (const { requestId } of [small, medium]) {
    expect(await client.page(requestId, { offset: 9999, rowCount: 1 })).toMatchObject({
      rows: [[9999]],
    });
  }
  await expect(client.query(rows(1_000_000), { rowCount: 1 })).rejects.toMatchObject({
    code: 'QUERY_LIMIT_EXCEEDED',
  });
  expect((await client.list()).map(({ requestId }) => requestId)).toEqual([
    medium.requestId,
    small.requestId,
  ]);
  expect(await health()).toMatchObject({
    cleaner: { isGood: true, quotaBytes: 2 * 1024 * 1024, failedCount: 0 },
  });
  const metrics = await (
    await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer admin-token' } })
  ).text();
  expect(metrics).toMatch(/quire_cleaner_objects_total\{pass="quota",outcome="freed"\} 1/);

  const { stdout } = await quireHere(['results', 'usage', '--config', config]);
  expect(stdout).toMatch(/admin +2 +7\d\d(?:\.\d)? KiB/);
  expect(stdout).toMatch(/3\d\.\d% of 2 MiB/);
  const json = JSON.parse(
    (await quireHere(['results', 'usage', '--config', config, '--json'])).stdout,
  ) as object;
  expect(json).toMatchObject({
    brokers: [{ resultCount: 2, byOwner: [{ name: 'admin', resultCount: 2 }] }],
  });
  server.signal('SIGTERM');
  expect((await server.ended()).exitCode).toBe(0);
});
