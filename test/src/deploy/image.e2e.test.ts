import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { QuireClient } from '@quire/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readBundledPackages } from '../../../scripts/bundle-command.ts';
import {
  builtPackages,
  describeWithTool,
  imageBase,
  systemdAnalyze,
} from '../testkit/toolchain.ts';
import { BuiltImage, Container } from './container.ts';
import { syscallsOf } from './unit-syscalls.ts';

vi.setConfig({ hookTimeout: 300_000 });

const config = join(import.meta.dirname, '../../../config');
const token = 'a-long-random-token-of-a-test';
/** A port of the machine's own, as the network of the container is that of the machine. */
const anyPorts = {
  ENGINE_BIND_HOST: '127.0.0.1',
  ENGINE_BROKER_CLIENT_QUERYPORT: '0',
  PROXY_PORT: '0',
  CONTROLLER_PORT: '0',
};
const variables = { ...anyPorts, QUIRE_TOKEN: token };
const listensAsController = /"url":"([^"]+)"[^}]*"msg":"controller listens"/;
const listens = /"url":"([^"]+)","brokerId":[^}]*"msg":"broker listens"/;

describeWithTool(builtPackages, 'the image of the built packages', () => {
  describeWithTool(imageBase, 'built by buildah and run by crun', (baseFolder) => {
    let image: BuiltImage;

    beforeAll(async () => {
      image = await BuiltImage.build(baseFolder);
    });

    afterAll(() => {
      image[Symbol.dispose]();
    });

    test('the image is at most 350 MB, as large as the guide says, and has no shell, compiler, package manager or sources', () => {
      expect(image.sizeBytes).toBeLessThanOrEqual(350_000_000);
      const guide = readFileSync(join(config, '../deploy/OPERATE.md'), 'utf8');
      const [, megabytes = ''] = /The image has (\d+) MB of files/.exec(guide) ?? [];
      const deviation = image.sizeBytes / 1e6 / Number(megabytes) - 1;
      expect(Math.abs(deviation), `the image has ${image.sizeBytes} bytes`).toBeLessThan(0.05);
      const has = (path: string): boolean =>
        statSync(join(image.rootFolder, path), { throwIfNoEntry: false }) !== undefined;
      const paths = ['bin/sh', 'usr/bin/apt-get', 'usr/bin/dpkg', 'usr/local/bin/npm'];
      expect(paths.filter(has)).toEqual([]);
      const modules = join(image.rootFolder, 'opt/quire/node_modules');
      const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
      expect(files.filter((path) => /\.(ts|map)$/.test(path))).toEqual([]);
    });

    test('the bill of materials lists every package of the image with its version', () => {
      const app = join(image.rootFolder, 'opt/quire');
      const { components } = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as {
        readonly components: readonly {
          readonly name: string;
          readonly group?: string;
          readonly version: string;
        }[];
      };
      const listed = components.map(({ group, name, version }) =>
        group === undefined || name.startsWith('@')
          ? `${name}@${version}`
          : `${group}/${name}@${version}`,
      );
      const modules = join(app, 'node_modules');
      const bundled = readBundledPackages(join(modules, '@quire/cli'));
      expect(bundled.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['apache-arrow', 'fastify', 'undici']),
      );
      expect(new Set(listed)).toEqual(
        new Set([
          ...installedIn(modules),
          ...bundled.map(({ name, version }) => `${name}@${version}`),
        ]),
      );
    });

    test('the image has what every module of the bundle imports', async () => {
      await using container = new Container(image, { variables });
      await container.untilPrinted(listens);
      // Modules of processes and threads have no hash in their names, and expect a parent.
      const script = `
        import { readdirSync } from 'node:fs';
        const folder = '/opt/quire/node_modules/@quire/cli/bundle/';
        const names = readdirSync(folder).filter((name) => /-[\\w-]{8}\\.js$/.test(name));
        if (names.length < 50) throw new Error(names.join());
        for (const name of names) await import(folder + name);`;
      const run = ['node', '--input-type=module', '--eval', script];
      expect(await container.run(run, {})).toBe(0);
    });

    test('the image names its user by number, its volumes and its first process', () => {
      const { User, Volumes, Entrypoint, Cmd, Env } = image.config;
      expect(Env).toContain('MALLOC_ARENA_MAX=2');
      expect({ User, Volumes: Object.keys(Volumes).toSorted(), Entrypoint, Cmd }).toEqual({
        User: '65532:65532',
        Volumes: ['/var/lib/quire', '/var/tmp/quire'],
        Entrypoint: [
          'tini',
          '--',
          'node',
          '--max-semi-space-size=2',
          '/opt/quire/node_modules/@quire/cli/bin/quire.cjs',
        ],
        Cmd: ['start', '--config', '/etc/quire/quire.properties'],
      });
    });

    test('a container stores and pages the result of a query on a read-only root file system, and ends in order at SIGTERM', async () => {
      await using container = new Container(image, { variables });
      const [, url = ''] = await container.untilPrinted(listens);
      const client = new QuireClient({ baseUrl: url, token });
      const sql = "SELECT count(*) AS n FROM stocks WHERE symbol = 'AAPL'";
      const cursor = await client.query(sql);
      expect(cursor.page.rows).toEqual([[123]]);
      const again = await fetch(`${url}/query/${cursor.requestId}/results?offset=0&numRows=1`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(again.status).toBe(200);
      container.signal('SIGTERM');
      expect([await container.ended(), container.output]).toEqual([
        0,
        expect.stringContaining('broker is stopping: running calls may finish'),
      ]);
    });

    test('a container with tables loads rows that are uploaded on a read-only root file system', async () => {
      const tables = '/var/lib/quire/tables';
      await using container = new Container(image, {
        variables: { ...variables, ENGINE_TABLES_DATA_DIR: tables },
      });
      const [, url = ''] = await container.untilPrinted(listensAsController);
      const post = async (path: string, body: string): Promise<unknown> => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body });
        return answer.json();
      };
      const schema = {
        schemaName: 'sums',
        metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
      };
      const offline = { tableName: 'sums', tableType: 'OFFLINE', segmentsConfig: {} };
      await post('/tableConfigs', JSON.stringify({ tableName: 'sums', schema, offline }));
      const batchConfig = encodeURIComponent('{"inputFormat":"json"}');
      const query = `tableNameWithType=sums_OFFLINE&batchConfigMapStr=${batchConfig}`;
      expect(await post(`/ingestFromFile?${query}`, '{"n":1}\n{"n":2}\n')).toMatchObject({
        rowCount: 2,
      });
    });

    describeWithTool(systemdAnalyze, 'with the system calls of a unit', (program) => {
      test('a container runs queries with the system calls alone that the units of systemd allow', async () => {
        const unit = readFileSync(join(config, 'quire-broker.service'), 'utf8');
        const syscalls = syscallsOf(program, unit);
        expect(syscalls).toContain('setpriority');
        expect(syscalls).not.toContain('chroot');
        await using container = new Container(image, { variables, syscalls });
        const [, url = ''] = await container.untilPrinted(listens);
        const cursor = await new QuireClient({ baseUrl: url, token }).query('SELECT 42 AS n');
        expect(cursor.page.rows).toEqual([[42]]);
        container.signal('SIGTERM');
        expect(await container.ended()).toBe(0);
      });

      test('a container without the call that its threads need does not start', async () => {
        const unit = readFileSync(join(config, 'quire-broker.service'), 'utf8');
        const syscalls = syscallsOf(program, unit).filter((call) => !call.startsWith('clone'));
        await using container = new Container(image, { variables, syscalls });
        expect(await container.ended()).not.toBe(0);
      });
    });

    test('the health check of the image fails where no broker answers', async () => {
      await using container = new Container(image, { variables });
      const [, url = ''] = await container.untilPrinted(listens);
      const [kind, ...program] = image.config.Healthcheck.Test;
      const checked = async (healthUrl: string): Promise<number | null> =>
        container.run(program, { QUIRE_HEALTH_URL: healthUrl });
      expect(kind).toBe('CMD');
      expect([await checked(`${url}/health`), await checked(`${url}/nothing`)]).toEqual([0, 1]);
    });

    test('a container ends at a SIGTERM that arrives while it starts', async () => {
      await using container = new Container(image, { variables });
      await container.untilStarted();
      container.signal('SIGTERM');
      // 143 is the exit code of a process that a signal has ended; 0 if it had started already.
      expect([0, 143]).toContain(await container.ended());
    });

    test('a container without a token does not start, and says which setting names it', async () => {
      await using container = new Container(image, { variables: anyPorts });
      expect([await container.ended(), container.output]).toEqual([
        1,
        expect.stringContaining('engine.auth.principal.admin.token.env is not set'),
      ]);
    });

    test('a container runs other commands of quire', async () => {
      await using container = new Container(image, { command: ['--version'] });
      expect(await container.ended()).toBe(0);
      expect(container.output.trim()).toMatch(/^\d+\.\d+\.\d+$/);
    });
  });
});

/** Names and versions of the packages in a folder of modules, nested ones included. */
function installedIn(modules: string): string[] {
  return execFileSync('find', [modules, '-name', 'package.json', '-path', '*/node_modules/*'], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
    .split('\n')
    .filter((path) => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as { name: string; version: string })
    .map(({ name, version }) => `${name}@${version}`);
}
