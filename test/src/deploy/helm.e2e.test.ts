import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { QuireClient } from '@quire/client';
import { describe, expect, test } from 'vitest';
import { CliProcess, temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, helm, manifestDecoder } from '../testkit/toolchain.ts';
import {
  chartFolder,
  type Manifest,
  manifestsOf,
  type Pod,
  renderChart,
  renderCompose,
  renderManifests,
} from '../../../deploy/helm/render.ts';
import { podsOf, renderWith, type Values } from './chart.ts';

const bucket: Values = { 'store.protocol': 's3', 'store.uri': 's3://results/quire' };
const everything: Values = {
  ...bucket,
  'store.existingSecret': 'bucket-keys',
  'broker.autoscaling.enabled': true,
  'tables.enabled': true,
  'cleaner.enabled': true,
  'monitoring.serviceMonitor': true,
  'monitoring.prometheusRule': true,
  'monitoring.dashboard': true,
  'tracing.endpoint': 'http://collector:4318',
  'tracing.ratio': 0.1,
  'networkPolicy.clients[0].podSelector.matchLabels.app': 'notebooks',
  'principals.analyst.role': 'query',
  'principals.analyst.existingSecret': 'quire-analyst',
  'image.pullSecrets[0].name': 'registry',
  'serviceAccount.annotations.example\\.com/role': 'results',
  'broker.nodeSelector.disk': 'ssd',
  'broker.tolerations[0].operator': 'Exists',
  'broker.annotations.owner': 'data',
  'broker.settings.engine\\.duckdb\\.threads': 4,
};
/** Values that lead the templates into each of their branches. */
const matrix: Readonly<Record<string, Values>> = {
  'its own values': {},
  'a bucket': bucket,
  'a bucket of Google': { 'store.protocol': 'gcs', 'store.uri': 'gs://results' },
  'a bucket of Azure': { 'store.protocol': 'azure', 'store.uri': 'az://results/quire' },
  everything,
  'tables in a claim that exists': { 'tables.enabled': true, 'tables.existingClaim': 'shared' },
  'tables in a claim of its own': { 'tables.enabled': true, 'tables.storageClass': 'nfs' },
  'one broker and nothing else': {
    'broker.replicas': 1,
    'proxy.enabled': false,
    'controller.enabled': false,
    'networkPolicy.enabled': false,
    'service.type': 'LoadBalancer',
    nameOverride: 'results',
  },
};

describeWithTool(helm, 'the Helm chart', (program) => {
  const podOf = (values: Values, role: string): Pod => {
    const pod = podsOf(manifestsOf(renderWith(program, values))).get(role);
    if (pod === undefined) throw new Error(`There is no pod of ${role}.`);
    return pod;
  };

  test('helm lint has no findings in the chart', () => {
    const args = ['lint', '--strict', chartFolder, '--kube-version', '1.33.0'];
    const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  describeWithTool(manifestDecoder, 'decoded into the types of Kubernetes', (decoder) => {
    test.each(Object.entries(matrix))('the chart renders no unknown field with %s', (_, values) => {
      const rendered = renderWith(program, values);
      const { status, stdout, stderr } = spawnSync(decoder, [], {
        input: rendered,
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout.trim().split('\n').length).toBe(manifestsOf(rendered).length);
    });

    test('a field that is unknown or of another type would be found', () => {
      const rendered = renderWith(program);
      for (const [from, to] of [
        ['readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
        ['failureThreshold: 60', 'failureThreshold: often'],
      ] as const) {
        const changed = rendered.replace(from, to);
        expect(changed).not.toBe(rendered);
        expect(spawnSync(decoder, [], { input: changed }).status).toBe(1);
      }
    });
  });

  test('the plain manifests and the Compose file of the repository are what the chart renders', async () => {
    const read = (name: string) => readFile(join(chartFolder, '../..', name), 'utf8');
    expect(await read('kubernetes.yaml')).toBe(renderManifests(program));
    expect(await read('compose.yaml')).toBe(renderCompose(program));
  });

  describeWithTool(manifestDecoder, 'the Compose file', (decoder) => {
    test('the Compose file is one that Docker Compose loads', async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, 'compose.yaml');
      const load = async (text: string) => {
        await writeFile(path, text);
        const { status, stdout } = spawnSync(decoder, [path], { encoding: 'utf8' });
        return [status, stdout];
      };
      const text = renderCompose(program);
      expect(await load(text)).toEqual([0, 'broker\ncontroller\nproxy\n']);
      expect(await load(text.replace('read_only', 'readonly'))).toEqual([1, '']);
    });
  });

  test.each([
    [{ 'store.protocol': 's3' }, 'store.uri is empty'],
    [{ 'store.uri': 's3://results' }, 'store.uri is set'],
    [{ ...bucket, 'store.uri': 'gs://results' }, 'with store.protocol s3 it starts with s3://'],
    [
      { ...bucket, 'broker.autoscaling.enabled': true, 'broker.replicas': 7 },
      'broker.autoscaling.maxReplicas is 6: expected at least broker.replicas, which is 7',
    ],
    [{ 'broker.autoscaling.enabled': true }, 'broker.autoscaling.enabled needs a bucket'],
    [{ 'cleaner.enabled': true }, 'cleaner.enabled needs a bucket'],
    [{ 'settings.proxy\\.port': 80 }, 'settings have proxy.port, which the chart sets'],
    [
      { 'broker.settings.engine\\.broker\\.shutdown\\.grace': '5m' },
      'set broker.shutdownGraceSeconds instead',
    ],
    [{ operator: 'nobody' }, 'operator is nobody'],
    [{ 'principals.admin.role': 'query' }, 'expected a principal with the role admin'],
    [{ 'broker.replicas': 0 }, 'minimum: got 0, want 1'],
    [{ 'brokers.replicas': 2 }, "additional properties 'brokers' not allowed"],
    [{ 'settings.nothing': 1 }, "'nothing'"],
  ])('the chart refuses the values %o', (values, message) => {
    expect(() => renderWith(program, values as Values)).toThrow(message);
  });

  test('the schema of the chart describes each of its values', async () => {
    const schema = JSON.parse(
      await readFile(join(chartFolder, 'values.schema.json'), 'utf8'),
    ) as Schema;
    expect(undescribed(schema, '')).toEqual([]);
  });

  test('brokers with files are a StatefulSet with volumes, and with a bucket a Deployment', () => {
    const kindOf = (values: Values): string | undefined =>
      manifestsOf(renderWith(program, values)).find(
        ({ metadata, spec }) => metadata.name === 'quire-broker' && spec?.template !== undefined,
      )?.kind;
    expect([kindOf({}), kindOf(bucket)]).toEqual(['StatefulSet', 'Deployment']);
  });

  test('each pod has longer to end than its settings give the calls under way', () => {
    for (const seconds of [0, 30, 600]) {
      const manifests = manifestsOf(
        renderWith(program, { ...everything, 'broker.shutdownGraceSeconds': seconds }),
      );
      for (const [role, pod] of podsOf(manifests)) {
        expect(settingsOf(manifests, role)).toContain(
          `engine.broker.shutdown.grace = ${seconds}s\n`,
        );
        expect([role, pod.terminationGracePeriodSeconds]).toEqual([role, seconds + 15]);
        expect(pod.containers[0].securityContext.readOnlyRootFilesystem).toBe(true);
        expect(pod.securityContext.runAsNonRoot).toBe(true);
      }
    }
  });

  test('each setting of a values file is rendered, be it 0, false, empty or above a million', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'values.yaml');
    const large = { 'engine.broker.query.page.size': 1_000_000 };
    const some = { 'engine.docs.enabled': true, 'engine.log.level': 'warn' };
    const none = { 'engine.docs.enabled': false, 'engine.log.level': '' };
    const unlimited = { 'engine.auth.limit.concurrency': 0 };
    const values = {
      settings: { ...large, ...some, 'engine.auth.limit.concurrency': 9 },
      broker: { settings: { ...none, ...unlimited } },
    };
    await writeFile(path, JSON.stringify(values));
    const manifests = manifestsOf(renderChart(program, ['--values', path]));
    const keys = [...Object.keys(large), ...Object.keys(none), ...Object.keys(unlimited)];
    const linesOf = (role: string) =>
      settingsOf(manifests, role)
        .split('\n')
        .filter((line) => keys.some((key) => line.startsWith(key)));
    expect([linesOf('broker'), linesOf('proxy')]).toEqual([
      [
        'engine.auth.limit.concurrency = 0',
        'engine.broker.query.page.size = 1000000',
        'engine.docs.enabled = false',
        'engine.log.level =',
      ],
      [
        'engine.auth.limit.concurrency = 9',
        'engine.broker.query.page.size = 1000000',
        'engine.docs.enabled = true',
        'engine.log.level = warn',
      ],
    ]);
  });

  test('Prometheus finds Quire by its job, whatever the name of the release', () => {
    const rendered = renderWith(program, {
      'monitoring.serviceMonitor': true,
      'monitoring.prometheusRule': true,
      nameOverride: 'results',
    });
    const [, pattern = ''] = /up\{job=~"([^"]+)"\}/.exec(rendered) ?? [];
    const jobs = [...rendered.matchAll(/replacement: (\S+)/g)].map(([, job = '']) => job);
    expect([pattern, jobs.map((job) => new RegExp(`^${pattern}$`).test(job))]).toEqual([
      '.*quire.*',
      [true],
    ]);
  });

  test('the pods of a role are replaced when its settings change, and no others', () => {
    const checksums = (values: Values): readonly (string | undefined)[] =>
      ['broker', 'proxy'].map((role) => {
        const rendered = renderWith(program, values).split('\n---\n');
        const workload = rendered.find((each) =>
          new RegExp(
            `^kind: (Deployment|StatefulSet)\nmetadata:\n  name: quire-${role}$`,
            'm',
          ).test(each),
        );
        return /checksum\/settings: (\w+)/.exec(workload ?? '')?.[1];
      });
    const [broker, proxy] = checksums({});
    const [changed, same] = checksums({ 'broker.settings.engine\\.duckdb\\.threads': 4 });
    expect(broker).toMatch(/^[0-9a-f]{64}$/);
    expect([changed === broker, same === proxy]).toEqual([false, true]);
  });

  describe('with the command lines and settings that it renders', () => {
    test('broker, proxy, controller with tables, and cleaner run together', async () => {
      await using directory = await temporaryDirectory();
      // One location for all results, like a bucket.
      const values = { ...everything, 'tables.enabled': true };
      const manifests = manifestsOf(renderWith(program, values)).map(withFilesForBucket);
      const start = async (role: string, over: Readonly<Record<string, string>> = {}) => {
        const pod = podsOf(manifests).get(role) ?? podOf(values, role);
        return await RenderedPod.start(directory.path, role, { pod, manifests, over });
      };
      await using broker = await start('broker');
      await using proxy = await start('proxy', {
        PROXY_BROKERS_DNS: '',
        PROXY_BROKERS: broker.url,
      });
      await using controller = await start('controller', { CONTROLLER_BROKERS: broker.url });
      await using cleaner = await start('cleaner');
      const client = new QuireClient({ baseUrl: proxy.url, token: token('analyst') });
      const cursor = await client.query('SELECT 42 AS n');
      expect(cursor.page.rows).toEqual([[42]]);
      const tables = await fetch(`${controller.url}/tables`, {
        headers: { authorization: `Bearer ${token('admin')}` },
      });
      expect([tables.status, (await fetch(`${cleaner.url}/health`)).status]).toEqual([200, 200]);
      // The requests of the probes, the scrapes and the autoscaler to each of them.
      const servers = [proxy, controller, cleaner, broker];
      const probes = servers.flatMap(({ role, url }) => {
        const [{ startupProbe, readinessProbe, livenessProbe }] = podOf(values, role).containers;
        return [startupProbe, readinessProbe, livenessProbe].map((probe) => ({ role, url, probe }));
      });
      const asked = probes.filter(({ probe }) => probe.httpGet !== undefined);
      // The health of a cleaner depends on the store, which a restart cannot repair.
      expect(probes.filter((each) => !asked.includes(each))).toMatchObject([
        { role: 'cleaner', probe: { tcpSocket: { port: 'http' } } },
      ]);
      const answers = asked.map(async ({ url, probe: { httpGet } }) => [
        httpGet?.port,
        (await fetch(`${url}${httpGet?.path}`)).status,
      ]);
      expect(await Promise.all(answers)).toEqual(asked.map(() => ['http', 200]));
      const headers = { authorization: `Bearer ${token('admin')}` };
      const scrapes = await Promise.all(
        servers.map(async ({ url }) => (await fetch(`${url}/metrics`, { headers })).text()),
      );
      expect(scrapes.every((text) => text.includes('quire_'))).toBe(true);
      expect(scrapes.at(-1)).toMatch(/^quire_queries_running /m);
      for (const each of [proxy, controller, cleaner, broker]) {
        each.process.signal('SIGTERM');
        expect([each.role, (await each.process.ended()).exitCode]).toEqual([each.role, 0]);
      }
    });

    test('a broker takes over settings that the kubelet replaces by a swap of ..data', async () => {
      await using directory = await temporaryDirectory();
      const at = (values: Values): readonly Manifest[] => manifestsOf(renderWith(program, values));
      const key = 'settings.engine\\.broker\\.query\\.page\\.size';
      const manifests = at({ [key]: 2 });
      const pod = podOf({ [key]: 2 }, 'broker');
      await using broker = await RenderedPod.start(directory.path, 'broker', {
        pod,
        manifests,
        over: {},
      });
      const client = new QuireClient({ baseUrl: broker.url, token: token('admin') });
      const rowCount = async (): Promise<number> =>
        (await client.query('SELECT * FROM range(10)')).page.rows.length;
      expect(await rowCount()).toBe(2);
      await broker.replaceSettings(settingsOf(at({ [key]: 3 }), 'broker'), '2');
      await expect.poll(rowCount).toBe(3);
      await broker.replaceSettings('engine.broker.query.page.size = many\n', '3');
      await broker.process.untilLogged('engine.broker.query.page.size = many');
      expect(await rowCount()).toBe(3);
    });
  });
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Paths of values that have no description, and no parts that have one. */
function undescribed({ properties = {} }: Schema, path: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inside = `${path}${name}`;
    if (schema.description !== undefined || name === 'global') return [];
    return schema.properties === undefined ? [inside] : undescribed(schema, `${inside}.`);
  });
}

function token(principal: string): string {
  return `the-long-random-token-of-${principal}`;
}

function settingsOf(manifests: readonly Manifest[], role: string): string {
  const found = manifests.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === `quire-${role}`,
  );
  return found?.data?.['quire.properties'] ?? '';
}

/** There is no bucket here: all processes share a directory instead. */
function withFilesForBucket(manifest: Manifest): Manifest {
  const text = manifest.data?.['quire.properties'];
  if (text === undefined) return manifest;
  const settings = text
    .replace('protocol = s3', 'protocol = file')
    .replace(
      'pagination.s3.data.dir = s3://results/quire',
      'pagination.file.data.dir = /var/lib/quire/results',
    );
  return {
    ...manifest,
    data: { 'quire.properties': `${settings}\nengine.broker.pagination.file.shared = true\n` },
  };
}

/** A process that runs the container of a rendered pod, with its files at its mount paths. */
class RenderedPod implements AsyncDisposable {
  readonly role: string;
  readonly process: CliProcess;
  readonly url: string;
  readonly #root: string;

  private constructor(role: string, root: string, running: { process: CliProcess; url: string }) {
    this.role = role;
    this.#root = root;
    this.process = running.process;
    this.url = running.url;
  }

  static async start(
    directory: string,
    role: string,
    {
      pod,
      manifests,
      over,
    }: {
      readonly pod: Pod;
      readonly manifests: readonly Manifest[];
      readonly over: Readonly<Record<string, string>>;
    },
  ): Promise<RenderedPod> {
    const root = join(directory, role);
    const [container] = pod.containers;
    for (const { mountPath, name } of container.volumeMounts) {
      // Volumes that pods share are one directory.
      const isShared = ['results', 'tables'].includes(name);
      await mkdir(join(isShared ? directory : root, mountPath), { recursive: true });
      const secret = /^token-(.*)$/.exec(name)?.[1];
      if (secret !== undefined) {
        await writeFile(join(root, mountPath, 'token'), `${token(secret)}\n`);
      }
    }
    const args = container.args.map((arg) => inRoot(root, arg, directory));
    const env = Object.fromEntries(
      container.env.flatMap(({ name, value }) =>
        value === undefined
          ? []
          : [[name, value.replace('$(POD_NAME)', `quire-${role}-0`)] as const],
      ),
    );
    // Ports and addresses of this machine; everything else is as it was rendered.
    const local = {
      ENGINE_BIND_HOST: '127.0.0.1',
      ENGINE_BROKER_CLIENT_QUERYPORT: '0',
      PROXY_PORT: '0',
      CONTROLLER_PORT: '0',
      ...(role === 'cleaner' ? { ENGINE_CLEANER_PORT: '0' } : {}),
    };
    const running = { root, directory };
    await mountSettings(running, settingsOf(manifests, role), '1');
    const process = new CliProcess(args, {
      variables: { POD_NAME: `quire-${role}-0`, ...env, ...local, ...over },
    });
    if (role === 'cleaner') await process.untilLogged('cleaner runs');
    else await process.untilPrinted(/Ctrl-C/);
    const pattern = role === 'cleaner' ? /"url":"([^"]+)"/ : new RegExp(`${role} +(http:\\S+)`);
    const [, url = ''] = pattern.exec(process.stdout + process.stderr) ?? [];
    return new RenderedPod(role, root, { process, url });
  }

  /** Replaces its settings as the kubelet does when their ConfigMap has changed. */
  async replaceSettings(settings: string, version: string): Promise<void> {
    await mountSettings({ root: this.#root, directory: dirname(this.#root) }, settings, version);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** Paths of a container, in the directory that serves as its root. */
function inRoot(root: string, text: string, shared: string): string {
  return text
    .replaceAll(/(?<![\w/])\/(?=etc\/quire|var\/tmp\/quire|run\/secrets\/quire)/g, `${root}/`)
    .replaceAll(/(?<=:\/\/)\/(?=run\/secrets\/quire)/g, `${root}/`)
    .replaceAll(/(?<![\w/])\/(?=var\/lib\/quire)/g, `${shared}/`);
}

/**
 * Writes the settings as a mounted ConfigMap: a directory by version, a link `..data` to it that is
 * replaced atomically, and a link to the file in that.
 */
async function mountSettings(
  { root, directory }: { readonly root: string; readonly directory: string },
  settings: string,
  version: string,
): Promise<void> {
  const mount = join(root, 'etc/quire');
  const folder = `..2026_11_23_${version}`;
  await mkdir(join(mount, folder));
  await writeFile(join(mount, folder, 'quire.properties'), inRoot(root, settings, directory));
  await symlink(folder, join(mount, '..data_tmp'));
  await rename(join(mount, '..data_tmp'), join(mount, '..data'));
  if (version === '1') {
    await symlink(join('..data', 'quire.properties'), join(mount, 'quire.properties'));
  } else await rm(join(mount, `..2026_11_23_${Number(version) - 1}`), { recursive: true });
}
