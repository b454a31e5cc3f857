import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CursorResponse, expirationHeader, type ProxyHealthResponse } from '@quire/api';
import { expect, test } from 'vitest';
import { CliProcess, propertiesOf, temporaryDirectory } from '../testkit/cli-process.ts';
import { filesBelow } from '../testkit/files-below.ts';
import { replaceFile } from '../testkit/replace-file.ts';
import { S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';

/** Steps of runbooks and of OPERATE.md, on real processes, as an operator runs them. */

const token = 'the-token-of-the-operator-of-runbooks';
type Settings = Readonly<Record<string, string>>;

/** A server of `quire start` whose settings an operator changes. */
class OperatedServer implements AsyncDisposable {
  readonly #config: string;
  readonly #roles: string;
  #settings: Settings;
  #process: CliProcess | undefined;
  url = '';

  private constructor(folder: string, roles: string, settings: Settings) {
    this.#config = join(folder, `${roles}-${settings['engine.broker.id'] ?? 'server'}.properties`);
    this.#roles = roles;
    this.#settings = {
      'engine.broker.client.queryPort': '0',
      'proxy.port': '0',
      'controller.port': '0',
      'engine.broker.pagination.temp.dir': join(folder, 'temp'),
      'engine.broker.pagination.protocol': 'file',
      'engine.broker.pagination.file.data.dir': join(folder, 'results'),
      'engine.auth.principal.admin.role': 'admin',
      'engine.auth.principal.admin.token.env': 'ADMIN_TOKEN',
      ...settings,
    };
  }

  static async start(folder: string, roles: string, settings: Settings): Promise<OperatedServer> {
    const server = new OperatedServer(folder, roles, settings);
    await server.start();
    return server;
  }

  async start(settings: Settings = {}): Promise<void> {
    await this.change(settings);
    this.#process = new CliProcess(['start', '--roles', this.#roles, '--config', this.#config], {
      variables: { ADMIN_TOKEN: token },
    });
    const address = new RegExp(`${this.#roles} +(http:\\S+)[^]*Ctrl-C`);
    [, this.url = ''] = await this.#process.untilPrinted(address);
  }

  /** Writes other settings over the file; live ones count without a restart. */
  async change(settings: Settings): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    await replaceFile(this.#config, propertiesOf(this.#settings));
  }

  async stop(): Promise<number | null | undefined> {
    this.#process?.signal('SIGTERM');
    return (await this.#process?.ended())?.exitCode;
  }

  async call(path: string, method = 'GET', body?: object): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Stores the result of a query; its answer has exceptions where it fails. */
  async store(sql: string, parameters = ''): Promise<CursorResponse> {
    const path = `/query/sql?doPaginate=true&numRows=1${parameters}`;
    return (await (await this.call(path, 'POST', { sql })).json()) as CursorResponse;
  }

  async pageStatus(requestId: string, offset = 0): Promise<number> {
    const page = await this.call(`/query/${requestId}/results?offset=${offset}&numRows=10`);
    await page.text();
    return page.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
  }
}

const codesOf = ({ exceptions }: CursorResponse): readonly number[] =>
  exceptions.map(({ errorCode }) => errorCode);

test('settings that runbooks change count while a broker runs: the quota, the expiration and limits of callers', async () => {
  await using folder = await temporaryDirectory();
  await using broker = await OperatedServer.start(folder.path, 'broker', {
    'engine.broker.pagination.file.enableStorageCleaner': 'true',
    'engine.broker.pagination.file.maxStoragePerBrokerMB': '1',
    'engine.broker.pagination.expiration': '1h',
  });
  const large = 'SELECT random() AS r FROM range(300000)';
  expect(codesOf(await broker.store(large))).toEqual([245]);
  await broker.change({ 'engine.broker.pagination.file.maxStoragePerBrokerMB': '100' });
  await expect.poll(async () => codesOf(await broker.store(large))).toEqual([]);

  const lifetimeMs = async (): Promise<number> => {
    const { requestId } = await broker.store('SELECT 1');
    const page = await broker.call(`/query/${requestId}/results?offset=0`);
    await page.text();
    return Number(page.headers.get(expirationHeader)) - Date.now();
  };
  expect(await lifetimeMs()).toBeGreaterThan(1_800_000);
  await broker.change({ 'engine.broker.pagination.expiration': '10m' });
  await expect.poll(lifetimeMs).toBeLessThan(1_800_000);

  // Makes thirty calls at once and returns the waiting times of the refused ones.
  const waits = async (): Promise<readonly (string | null)[]> => {
    const calls = Array.from({ length: 30 }, () => broker.call('/queries'));
    const refused = (await Promise.all(calls)).filter(({ status }) => status === 429);
    return [...new Set(refused.map(({ headers }) => headers.get('retry-after')))];
  };
  await broker.change({ 'engine.auth.limit.requestsPerSecond': '5' });
  await expect.poll(waits).toContainEqual(expect.stringMatching(/^[1-9]/));
  await broker.change({ 'engine.auth.limit.requestsPerSecond': '0' });
  await expect.poll(waits).toEqual([]);
});

test('a broker that starts with other limits reads what it stored before: slots, threads, memory, cache, spilled bytes and their place', async () => {
  await using folder = await temporaryDirectory();
  await using broker = await OperatedServer.start(folder.path, 'broker', {
    'engine.broker.id': 'lasting',
  });
  const { requestId } = await broker.store('SELECT * FROM range(1000)');
  expect(await broker.stop()).toBe(0);
  await broker.start({
    'engine.broker.query.concurrency': '8',
    'engine.broker.query.queue': '100',
    'engine.duckdb.threads': '2',
    'engine.duckdb.memory.maxMB': '1024',
    'engine.duckdb.spill.maxMB': '4096',
    'engine.broker.pagination.cache.maxMB': '16',
    'engine.broker.pagination.temp.dir': join(folder.path, 'other-disk'),
  });
  expect(await broker.pageStatus(requestId)).toBe(200);
  expect(codesOf(await broker.store('SELECT 42'))).toEqual([]);
});

test('a damaged result is refused, deleted by an admin, and stored again by its query', async () => {
  await using folder = await temporaryDirectory();
  await using broker = await OperatedServer.start(folder.path, 'broker', {
    'engine.broker.pagination.cache.maxMB': '0',
  });
  const sql = 'SELECT range AS n, random() AS r FROM range(50000)';
  const { requestId } = await broker.store(sql);
  expect(await broker.pageStatus(requestId, 20_000)).toBe(200);
  await damageLargest(join(folder.path, 'results'));
  const damaged = await broker.call(`/query/${requestId}/results?offset=20000&numRows=10000`);
  expect([damaged.status, await damaged.json()]).toMatchObject([500, { reason: 'RESULT_CORRUPT' }]);
  expect((await broker.call(`/query/resultStore/${requestId}`, 'DELETE')).status).toBe(200);
  const again = await broker.store(sql);
  expect(await broker.pageStatus(again.requestId, 20_000)).toBe(200);
});

test('a query that is stuck is cancelled by an admin, and frees its slot; results are deleted by their expiration', async () => {
  await using folder = await temporaryDirectory();
  await using broker = await OperatedServer.start(folder.path, 'broker', {
    'engine.broker.query.concurrency': '1',
  });
  const endless = 'SELECT count(*) FROM range(100000000000) AS a WHERE hash(a.range) = 1';
  const { requestId } = await broker.store(endless, '&async=true');
  const waiting = broker.store('SELECT 42 AS n');
  expect((await broker.call(`/query/${requestId}`, 'DELETE')).status).toBe(200);
  const { requestId: stored } = await waiting;
  expect(await broker.pageStatus(stored)).toBe(200);
  const later = Date.now() + 7 * 86_400_000;
  const path = `/query/resultStore?expiredBefore=${later}`;
  expect((await broker.call(path, 'DELETE')).status).toBe(200);
  expect(await broker.pageStatus(stored)).not.toBe(200);
});

test('a broker that is lost for good is taken out of the lists of proxy and controller while they run', async () => {
  await using folder = await temporaryDirectory();
  const shared = { 'engine.broker.pagination.file.shared': 'true' };
  const start = (name: string) =>
    OperatedServer.start(folder.path, 'broker', { ...shared, 'engine.broker.id': name });
  await using lost = await start('lost');
  await using kept = await start('kept');
  const both = `${lost.url},${kept.url}`;
  await using proxy = await OperatedServer.start(folder.path, 'proxy', {
    'proxy.brokers': both,
    'proxy.health.interval': '100ms',
  });
  await using controller = await OperatedServer.start(folder.path, 'controller', {
    'controller.brokers': both,
    'controller.admin.auth.token': token,
  });
  const health = async (server: OperatedServer): Promise<string> =>
    ((await (await server.call('/health')).json()) as ProxyHealthResponse).status;
  const { requestId } = await lost.store('SELECT * FROM range(1000)');
  await expect.poll(() => health(proxy)).toBe('ok');
  await lost[Symbol.asyncDispose]();
  // The other broker of the store has the result that the lost one stored.
  expect(await proxy.pageStatus(requestId)).toBe(200);
  await expect.poll(() => health(proxy)).toBe('degraded');
  await proxy.change({ 'proxy.brokers': kept.url });
  await controller.change({ 'controller.brokers': kept.url });
  await expect.poll(() => health(proxy)).toBe('ok');
  const listed = async (): Promise<string> =>
    (await controller.call('/cluster/settings?broker=')).text();
  await expect.poll(listed).not.toContain(new URL(lost.url).port);
  expect(await proxy.pageStatus(requestId)).toBe(200);
});

describeWithTool(s3Server, 'a bucket that is lost', (path) => {
  test('brokers go on with another bucket: results of the lost one are not found, and new ones are stored', async () => {
    await using folder = await temporaryDirectory();
    await using s3 = await S3Server.start(path);
    const [first, second] = [s3SettingsOf(s3.storeOptions()), s3SettingsOf(s3.storeOptions())];
    await using broker = await OperatedServer.start(folder.path, 'broker', {
      ...first,
      'engine.broker.id': 'moved',
    });
    const { requestId } = await broker.store('SELECT * FROM range(1000)');
    expect(await broker.pageStatus(requestId)).toBe(200);
    expect(await broker.stop()).toBe(0);
    await broker.start(second);
    expect(await broker.pageStatus(requestId)).toBe(404);
    const again = await broker.store('SELECT * FROM range(1000)');
    expect(await broker.pageStatus(again.requestId)).toBe(200);
  });
});

/** Changes bytes in the middle of the largest file below a folder. */
async function damageLargest(folder: string): Promise<void> {
  const sizes = await Promise.all(
    (await filesBelow(folder)).map(async (file) => ({ file, size: (await stat(file)).size })),
  );
  const [largest] = sizes.toSorted((one, other) => other.size - one.size);
  if (largest === undefined) throw new Error(`There is no file in ${folder}.`);
  await using file = await open(largest.file, 'r+');
  await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, Math.floor(largest.size / 2));
}
