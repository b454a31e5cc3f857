import { join } from 'node:path';
import { QuireClient } from '@quire/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  propertiesOf,
  quire,
  quireHere,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { filesBelow } from '../testkit/files-below.ts';
import { GcsServer } from '../testkit/servers/gcs-server.ts';
import { S3Server, s3SettingsOf } from '../testkit/servers/s3-server.ts';
import { describeWithTool, gcsServer, s3Server } from '../testkit/toolchain.ts';

const prefix = 'engine.broker.pagination';

function settingsFor(
  options: ReturnType<S3Server['storeOptions']>,
  changes: Readonly<Record<string, string>> = {},
): string {
  return propertiesOf({ ...s3SettingsOf(options), ...changes });
}

async function rowsOf(url: string, requestId: string): Promise<string> {
  const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
  let text = '';
  for await (const bytes of client.stream(requestId, {
    offset: 0,
    rowCount: 3,
    format: 'ndjson',
  })) {
    text += Buffer.from(bytes).toString();
  }
  return text;
}

describeWithTool(s3Server, 'brokers on S3', (path) => {
  let server: S3Server;
  let location: string;
  let directories: AsyncDisposableStack;
  /** Signs links, and receives the name of its bucket in the location `file`. */
  let one: Awaited<ReturnType<typeof startServer>>;
  let two: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    server = await S3Server.start(path);
    directories = new AsyncDisposableStack();
    const options = server.storeOptions();
    ({ location } = options);
    const start = async (
      name: string,
      changes?: Readonly<Record<string, string>>,
    ): ReturnType<typeof startServer> => {
      const directory = directories.use(await temporaryDirectory());
      const config = await writeSettings(directory.path, settingsFor(options, changes));
      return startServer(['--config', config, '--set', `engine.broker.host.name=${name}`]);
    };
    [one, two] = await Promise.all([
      start('one.test', {
        [`${prefix}.protocol`]: 'file',
        [`${prefix}.file.data.dir`]: location,
        'engine.broker.links.enabled': 'true',
        'engine.broker.links.lifetime': '1h',
      }),
      start('two.test'),
    ]);
  });
  afterAll(async () => {
    await one.server[Symbol.asyncDispose]();
    await two.server[Symbol.asyncDispose]();
    await directories[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test("two brokers on one bucket serve each other's results, and no response names one of them", async () => {
    const client = new QuireClient({ baseUrl: one.url, token: 'admin-token' });
    const { requestId } = await client.query('SELECT range AS n FROM range(1000)', { rowCount: 1 });
    expect(await rowsOf(two.url, requestId)).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
    const response = await fetch(`${two.url}/query/${requestId}/results?offset=0`, {
      headers: { Authorization: 'Bearer admin-token' },
    });
    const body = (await response.json()) as object;
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['requestId', 'brokerId']));
    expect(
      Object.keys(body).filter((member) => ['brokerHost', 'brokerPort'].includes(member)),
    ).toEqual([]);
  });

  test('the protocol file takes the URI of a bucket', async () => {
    expect(one.server.stdout).toContain(`results  ${location}`);
    const client = new QuireClient({ baseUrl: one.url, token: 'admin-token' });
    const { requestId } = await client.query('SELECT range AS n FROM range(10)', { rowCount: 1 });
    expect(await rowsOf(one.url, requestId)).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
  });

  test('a link gives the data file to anyone who has it, until it ends, and stands in no log', async () => {
    const { server: broker, url } = one;
    const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
    const { requestId } = await client.query('SELECT range AS n FROM range(1000)', { rowCount: 1 });
    const call = (query: string, token: string): Promise<Response> =>
      fetch(`${url}/query/${requestId}/link${query}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
    const link = (await (await call('?format=arrow', 'admin-token')).json()) as {
      url: string;
      expirationTimeMs: number;
    };
    const file = await fetch(link.url);
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.subarray(0, 6).toString()).toBe('ARROW1');
    // In a bucket it is compressed unless the settings say otherwise: 1000 numbers of 8 bytes are
    // more than this.
    expect(bytes.byteLength).toBeLessThan(8000);
    const tampered = await fetch(link.url.replace('data.arrow', 'other.arrow'));
    expect([file.status, tampered.status]).toEqual([200, 403]);
    expect([
      (await call('?format=csv', 'admin-token')).status,
      (await call('', 'nobody')).status,
    ]).toEqual([400, 401]);
    const [, signature = ''] = /X-Amz-Signature=([0-9a-f]+)/.exec(link.url) ?? [];
    expect(signature.length).toBe(64);
    expect(broker.stdout + broker.stderr).not.toContain(signature);
  });

  test('brokers on S3 give no links unless they are asked for, and none of a store that cannot sign', async () => {
    const { url } = two;
    const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
    const { requestId } = await client.query('SELECT 1 AS n', { rowCount: 1 });
    const response = await fetch(`${url}/query/${requestId}/link`, {
      headers: { Authorization: 'Bearer admin-token' },
    });
    expect(response.status).toBe(404);
    await using directory = await temporaryDirectory();
    const config = await writeSettings(directory.path, settingsFor(server.storeOptions()));
    const sets = [
      '--set',
      `${prefix}.protocol=memory`,
      '--set',
      'engine.broker.links.enabled=true',
    ];
    const { exitCode, stderr } = await quireHere(['start', '--config', config, ...sets], {
      variables: testVariables,
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/engine\.broker\.links\.enabled = true/) as string,
    });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'bucket',
      { [`${prefix}.s3.data.dir`]: 's3://nobodys/x' },
      /s3\.data\.dir = s3:\/\/nobodys\/x: .*NoSuchBucket.*Check the name of the bucket/,
    ],
    [
      'secret',
      { [`${prefix}.s3.secret.key`]: 'wrong' },
      /SignatureDoesNotMatch.*Check the credentials.*\.secret\.key/,
    ],
    [
      'access key',
      { [`${prefix}.s3.access.key`]: 'nobody' },
      /XAdminUserNotFound.*Check the credentials.*\.access\.key/,
    ],
    [
      'region',
      { 'engine.broker.storage.factory.s3.region': 'us-east-2' },
      /See also engine\.broker\.storage\.factory\.s3\.region/,
    ],
  ])(
    'a wrong %s is found at the start, in a message that names the setting',
    async (_, changes, message) => {
      await using directory = await temporaryDirectory();
      const config = await writeSettings(
        directory.path,
        settingsFor(server.storeOptions(), changes),
      );
      const { exitCode, stderr } = await quireHere(['start', '--config', config], {
        variables: testVariables,
      });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(message) as string,
      });
      expect(stderr).toMatch(
        /^error INVALID_SETTING: engine\.broker\.pagination\.s3\.data\.dir = s3:\/\/.*\n$/,
      );
      expect(stderr).not.toContain('quire-test-secret');
    },
  );
});

describeWithTool(gcsServer, 'a broker on GCS', (path) => {
  test('a broker on GCS stores results there and serves them', async () => {
    await using gcs = await GcsServer.start(path);
    await using directory = await temporaryDirectory();
    const { location, endpoint } = gcs.storeOptions();
    const settings = `${prefix}.protocol = gcs\n${prefix}.gcs.data.dir = ${location}\n${prefix}.gcs.endpoint = ${endpoint}\n`;
    const config = await writeSettings(directory.path, settings);
    const { server: broker, url } = await startServer(['--config', config]);
    await using _broker = broker;
    const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
    const { requestId } = await client.query('SELECT range AS n FROM range(10)', { rowCount: 1 });
    expect(await rowsOf(url, requestId)).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
    const { exitCode, stderr } = await quireHere(
      ['start', '--config', config, '--set', `${prefix}.gcs.data.dir=gs://nobodys/x`],
      {
        variables: testVariables,
      },
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/gcs\.data\.dir = gs:\/\/nobodys\/x/) as string,
    });
  });
});

describe('a store of somebody else', () => {
  test('a store of somebody else is opened by the module that the settings name for its scheme', async () => {
    await using directory = await temporaryDirectory();
    const place = join(directory.path, 'plugged');
    const settings = [
      `${prefix}.protocol = file`,
      `${prefix}.file.data.dir = here://${place}`,
      `engine.broker.storage.factory.class.here = ${join(import.meta.dirname, 'remote-plugin.process.ts')}`,
      '',
    ];
    const { server: broker, url } = await startServer([
      '--config',
      await writeSettings(directory.path, settings.join('\n')),
    ]);
    await using _broker = broker;
    const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
    const { requestId } = await client.query('SELECT range AS n FROM range(10)', { rowCount: 1 });
    expect(await rowsOf(url, requestId)).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
    // The module declares that other machines cannot reach its store, so this broker serves the
    // pages.
    const page = await fetch(`${url}/query/${requestId}/results?offset=0`, {
      headers: { authorization: 'Bearer admin-token' },
    });
    expect(await page.json()).toMatchObject({
      brokerHost: '127.0.0.1',
      brokerPort: Number(new URL(url).port),
    });
    const data = (await filesBelow(place)).filter((path) => path.endsWith('data.arrow'));
    expect(data).toHaveLength(1);
  });
});

describe('a broker on local files', () => {
  test('a broker on local files loads no SDK of a remote store', async () => {
    await using directory = await temporaryDirectory();
    const spy = `data:text/javascript,${encodeURIComponent(
      "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { process.stderr.write('LOAD ' + url + '\\n'); return next(url, context); } });",
    )}`;
    const settings = `${prefix}.protocol = file\n${prefix}.file.data.dir = results\n`;
    const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --import "${spy}"`;
    const config = await writeSettings(directory.path, settings);
    const ports = ['--set', 'controller.port=0', '--set', 'proxy.port=0'];
    const { stderr } = await quire(['start', '--config', config, ...ports], {
      variables: { ...testVariables, NODE_OPTIONS },
      whenStarted: async (command) => {
        await command.untilPrinted(/Ctrl-C/);
        command.signal('SIGTERM');
      },
    });
    const loaded = stderr.split('\n').filter((line) => line.startsWith('LOAD '));
    expect(loaded.some((line) => line.includes('/packages/store-file/'))).toBe(true);
    expect(
      loaded.filter((line) =>
        /store-(?!file)\w+\/src\/(?!backend\.ts)|@aws-sdk|@smithy|@google-cloud|google-auth|gaxios|@azure/.test(
          line,
        ),
      ),
    ).toEqual([]);
  });
});
