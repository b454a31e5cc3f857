import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileProducer } from '@quire/streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { earlierReleases, type Release } from '../../../scripts/releases.ts';
import { CliProcess, propertiesOf, temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool } from '../testkit/toolchain.ts';
import { eventSchema, Events, eventTable, fileStream } from '../tables/live-tables.ts';
import { installedRelease } from './installed-release.ts';
import type { PublishedPackages } from './published-packages.ts';
import { ResultUsers } from './result-users.ts';

const adminToken = 'the-token-of-the-admin-of-upgrades';
const authorization = `Bearer ${adminToken}`;

/** The servers of a small deployment: name, roles, setting of the port, and its printed address. */
const servers = {
  'broker-0': ['broker', 'engine.broker.client.queryPort', /broker +(http:\S+)[^]*Ctrl-C/],
  'broker-1': ['broker', 'engine.broker.client.queryPort', /broker +(http:\S+)[^]*Ctrl-C/],
  'controller-0': ['controller,server', 'controller.port', /controller +(http:\S+)[^]*Ctrl-C/],
  'proxy-0': ['proxy', 'proxy.port', /proxy +(http:\S+)[^]*Ctrl-C/],
  'proxy-1': ['proxy', 'proxy.port', /proxy +(http:\S+)[^]*Ctrl-C/],
} as const;

type ServerName = keyof typeof servers;

/** Servers of one or two releases over the same directories of results, tables and streams. */
class Deployment implements AsyncDisposable {
  readonly #home: Awaited<ReturnType<typeof temporaryDirectory>>;
  readonly #running = new Map<ServerName, { readonly process: CliProcess; readonly url: string }>();

  constructor(home: Awaited<ReturnType<typeof temporaryDirectory>>) {
    this.#home = home;
  }

  urlOf(name: ServerName): string {
    return this.#running.get(name)?.url ?? '';
  }

  get streams(): string {
    return join(this.#home.path, 'streams');
  }

  /** Starts a server of the packages that are installed in a project. */
  async start(name: ServerName, project: string): Promise<void> {
    const [roles, portSetting, address] = servers[name];
    const path = (part: string): string => join(this.#home.path, part);
    const folder = path(name);
    for (const each of [folder, path('tables')]) await mkdir(each, { recursive: true });
    const before = this.urlOf(name);
    const brokers = `${this.urlOf('broker-0')},${this.urlOf('broker-1')}`;
    const settings = {
      // Not one of the system, which may go to another process while its server is replaced.
      [portSetting]: before === '' ? String(await freePort()) : new URL(before).port,
      // Proxies of 0.1.0 accept only names of this form for brokers.
      'engine.broker.id': `Broker_${name}`,
      'engine.broker.pagination.protocol': 'file',
      'engine.broker.pagination.file.data.dir': path('results'),
      'engine.broker.pagination.file.shared': 'true',
      'engine.broker.pagination.temp.dir': join(folder, 'temp'),
      'engine.tables.data.dir': path('tables'),
      'engine.stream.file.dir': this.streams,
      'engine.auth.principal.admin.role': 'admin',
      'engine.auth.principal.admin.token.env': 'ADMIN_TOKEN',
      ...(name === 'controller-0' && {
        'controller.brokers': brokers,
        'controller.admin.auth.token': adminToken,
      }),
      ...(roles === 'proxy' && {
        'proxy.brokers': brokers,
        'proxy.store.shared': 'true',
        'proxy.health.interval': '200ms',
        'proxy.health.timeout': '5s',
      }),
    };
    const config = join(folder, 'quire.properties');
    await writeFile(config, propertiesOf(settings));
    const process = new CliProcess(['start', '--roles', roles, '--config', config], {
      project,
      variables: { ADMIN_TOKEN: adminToken },
    });
    const [, url = ''] = await process.untilPrinted(address);
    this.#running.set(name, { process, url });
  }

  /**
   * Replaces a server as OPERATE.md describes: SIGTERM, its exit, then the other release on the
   * same directories.
   */
  async replace(name: ServerName, project: string): Promise<void> {
    const process = this.#running.get(name)?.process;
    process?.signal('SIGTERM');
    const ended = await process?.ended();
    if (ended?.exitCode !== 0) throw new Error(`${name} did not end in order: ${ended?.stderr}`);
    await this.start(name, project);
  }

  async call(name: ServerName, path: string, body?: object | FormData): Promise<unknown> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.urlOf(name)}${path}`, {
      headers: {
        authorization,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async ask(name: ServerName, sql: string): Promise<unknown> {
    const answer = (await this.call(name, '/query/sql', { sql })) as {
      readonly resultTable?: { readonly rows: unknown };
      readonly exceptions: unknown;
    };
    return answer.resultTable?.rows ?? answer.exceptions;
  }

  async load(rows: readonly object[]): Promise<void> {
    const form = new FormData();
    form.append('file', new Blob(rows.map((row) => `${JSON.stringify(row)}\n`)), 'rows.json');
    const format = encodeURIComponent(JSON.stringify({ inputFormat: 'json' }));
    const query = `tableNameWithType=orders_OFFLINE&batchConfigMapStr=${format}`;
    await this.call('controller-0', `/ingestFromFile?${query}`, form);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#running.values()) await process[Symbol.asyncDispose]();
    await this.#home[Symbol.asyncDispose]();
  }
}

/**
 * Whole servers of the last release are replaced by those of this one, one at a time, while users
 * run queries and read pages.
 */
export function describeServerUpgrade(publishedOf: () => PublishedPackages): void {
  const release = earlierReleases().findLast(({ version }) => version !== undefined) as Release;
  describeWithTool(installedRelease(release), `replace the servers of ${release.what}`, (older) => {
    let deployment: Deployment;
    let users: ResultUsers;
    let producer: FileProducer;
    const events = new Events();
    const orders: { id: number; amount: number }[] = [];

    beforeAll(async () => {
      deployment = new Deployment(await temporaryDirectory());
      producer = await FileProducer.open({ directory: deployment.streams, topic: 'events' });
      for (const name of Object.keys(servers)) await deployment.start(name as ServerName, older);
      const schema = {
        schemaName: 'orders',
        dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
        metricFieldSpecs: [{ name: 'amount', dataType: 'DOUBLE' }],
      };
      for (const [path, body] of [
        ['/schemas', schema],
        ['/tables', { tableName: 'orders', tableType: 'OFFLINE' }],
        ['/schemas', eventSchema],
        ['/tables', eventTable(fileStream)],
      ] as const) {
        await deployment.call('controller-0', path, body);
      }
      users = ResultUsers.start(authorization, [
        deployment.urlOf('proxy-0'),
        deployment.urlOf('proxy-1'),
      ]);
    });

    afterAll(async () => {
      await users.stop();
      await deployment[Symbol.asyncDispose]();
    });

    /** Replaces a server while users continue, and waits until they have used the new one. */
    async function replace(name: ServerName, project: string): Promise<void> {
      const url = deployment.urlOf(name);
      // A proxy that is about to be stopped gets no new calls, as behind any load balancer.
      if (name.startsWith('proxy')) await users.leave(url);
      await deployment.replace(name, project);
      if (name.startsWith('proxy')) users.join(url);
      await users.progress();
      expect(users.failures).toEqual([]);
      for (const broker of ['broker-0', 'broker-1'] as const) {
        expect(await users.misreadOf(deployment.urlOf(broker))).toEqual([]);
      }
    }

    /** Adds rows to both tables, and waits until a query finds each of them once. */
    async function addRows(): Promise<void> {
      const rows = [orders.length, orders.length + 1].map((id) => ({ id, amount: id / 4 }));
      orders.push(...rows);
      await deployment.load(rows);
      await events.write(producer, 50);
      await rowsAreThere();
    }

    async function rowsAreThere(): Promise<void> {
      const ids = (count: number): unknown => [[count, count, (count * (count - 1)) / 2]];
      const sql = 'SELECT count(*), count(DISTINCT id), sum(id) FROM';
      for (const proxy of ['proxy-0', 'proxy-1'] as const) {
        expect(await deployment.ask(proxy, `${sql} orders`)).toEqual(ids(orders.length));
        await expect.poll(() => deployment.ask(proxy, `${sql} events`)).toEqual(ids(events.count));
      }
    }

    test('servers are replaced by those of this release one at a time, and users lose no result, no page and no row', async () => {
      const { folder } = publishedOf();
      await users.progress();
      await addRows();
      await replace('proxy-0', folder);
      await replace('proxy-1', folder);
      await addRows();
      await replace('broker-0', folder);
      await rowsAreThere();
      // The broker is rolled back, as after an abandoned rollout, and upgraded again.
      await replace('broker-0', older);
      await rowsAreThere();
      await replace('broker-0', folder);
      await replace('broker-1', folder);
      await addRows();
      await replace('controller-0', folder);
      await rowsAreThere();
      await addRows();

      // The previous release reads results of both releases.
      await replace('broker-1', older);
      await users.stop();
      expect(users.failures).toEqual([]);
      for (const name of ['proxy-0', 'broker-0', 'broker-1'] as const) {
        expect([name, await users.lostAt(deployment.urlOf(name))]).toEqual([name, []]);
      }
      expect(users.counts.results).toBeGreaterThan(10);
      expect(users.counts.pages).toBeGreaterThan(100);
    });
  });
}
