import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { FakeEnvironment } from './fake-environment.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-cli-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const principal = {
  'engine.auth.principal.ann.role': 'query',
  'engine.auth.principal.ann.token.env': 'ANN_TOKEN',
  'engine.broker.client.queryPort': '0',
};

/** Tries to start a server with these settings; it must fail before it listens. */
async function start(settings: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const environment = new FakeEnvironment({ variables: { ANN_TOKEN: 'ann-token' } });
  const temp = { 'engine.broker.pagination.temp.dir': join(directory, 'temp') };
  const sets = Object.entries({ ...temp, ...settings }).flatMap(([key, value]) => [
    '--set',
    `${key}=${value}`,
  ]);
  const exitCode = await runCommand(['start', ...args, ...sets], environment);
  return {
    exitCode,
    stdout: environment.stdout.text,
    stderr: environment.stderr.text,
    isListenedTo: environment.isListenedTo,
  };
}

describe('a server that cannot start exits with 1, leaves nothing running and says what is wrong:', () => {
  it('a server that cannot start names every bad setting at once', async () => {
    const { exitCode, stdout, stderr } = await start({
      ...principal,
      'engine.broker.query.page.sise': '5',
      'engine.broker.query.timeout': 'soon',
      'engine.broker.pagination.protocol': 'file',
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    const [head, ...problems] = stderr.trimEnd().split('\n');
    expect(head).toBe('error INVALID_SETTING:');
    expect(problems).toEqual([
      expect.stringMatching(
        /^ {2}engine\.broker\.query\.page\.sise .*engine\.broker\.query\.page\.size/,
      ),
      expect.stringMatching(/^ {2}engine\.broker\.query\.timeout = soon \(--set\): expected/),
      expect.stringMatching(/^ {2}engine\.broker\.pagination\.file\.data\.dir .*must be set/),
    ]);
  });

  it('a settings file that is not there', async () => {
    expect(await start({}, ['--config', '/no/such/file'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error INVALID_SETTING: The settings file /no/such/file cannot be read (ENOENT).\n',
      isListenedTo: false,
    });
  });

  it('a server that nobody could call does not start', async () => {
    const { exitCode, stderr } = await start({});
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error INVALID_SETTING: No principal is configured/);
  });

  it('a token that everybody knows, on an address that everybody reaches', async () => {
    const environment = {
      'engine.auth.principal.ann.role': 'admin',
      'engine.auth.principal.ann.token.sha256': quickstartAdminSha256,
    };
    const { exitCode, stderr } = await start({
      ...environment,
      'engine.bind.host': '0.0.0.0',
      'engine.broker.host.name': 'quire.test',
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error INVALID_SETTING: engine\.bind\.host = 0\.0\.0\.0: expected a loopback address/,
    );
  });

  it('an address that everybody reaches, without the certificate that is required', async () => {
    const { exitCode, stderr, isListenedTo } = await start({
      ...principal,
      'engine.bind.host': '0.0.0.0',
      'engine.broker.host.name': 'quire.test',
      'engine.broker.flight.port': '0',
      'engine.tls.required': 'true',
    });
    expect({ exitCode, isListenedTo }).toEqual({ exitCode: 1, isListenedTo: false });
    expect(stderr).toMatch(
      /^error INVALID_SETTING: engine\.bind\.host = 0\.0\.0\.0: .* Set engine\.tls\.certificate\.file/,
    );
  });

  it.each([
    // Port 9 is the discard port, on which no process listens.
    [
      {
        'engine.broker.pagination.protocol': 's3',
        'engine.broker.pagination.s3.data.dir': 's3://bucket/x',
        'engine.broker.pagination.s3.endpoint': 'http://127.0.0.1:9',
        'engine.broker.pagination.s3.access.key': 'A',
        'engine.broker.pagination.s3.secret.key': 'S',
      },
      /s3\.data\.dir = s3:\/\/bucket\/x: open of bucket .* failed: .*ECONNREFUSED.* See also .*s3\.endpoint/,
    ],
    [
      {
        'engine.broker.pagination.protocol': 'gcs',
        'engine.broker.pagination.gcs.data.dir': 'gs://bucket/x',
        'engine.broker.pagination.gcs.endpoint': 'http://127.0.0.1:2',
      },
      /gcs\.data\.dir = gs:\/\/bucket\/x: open of bucket .* failed: .*ECONNREFUSED.* See also .*gcs\.endpoint/,
    ],
    [
      {
        'engine.broker.pagination.protocol': 'file',
        'engine.broker.pagination.file.data.dir': 'ftp://host/x',
        'engine.broker.storage.factory.class.ftp': '/no/such/module.mjs',
      },
      /factory\.class\.ftp = \/no\/such\/module\.mjs: Cannot find module/,
    ],
    [{ 'engine.table.nothing.path': '/no/such/file.csv' }, /nothing.*\/no\/such\/file\.csv/],
    [
      { 'engine.bind.host': '192.0.2.1' },
      /engine\.bind\.host = 192\.0\.2\.1: this machine has no such address\./,
    ],
  ])(
    'a server that cannot start exits with 1, leaves nothing running and says what is wrong: %j',
    async (settings, message) => {
      const { exitCode, stdout, stderr, isListenedTo } = await start({ ...principal, ...settings });
      expect({ exitCode, stdout, isListenedTo }).toEqual({
        exitCode: 1,
        stdout: '',
        isListenedTo: false,
      });
      expect(stderr).toMatch(/^error INVALID_SETTING: .*\n$/);
      expect(stderr).toMatch(message);
    },
  );

  it('a data directory below a file', async () => {
    const path = join(directory, 'occupied');
    await writeFile(path, '');
    const { exitCode, stderr } = await start({
      ...principal,
      'engine.broker.pagination.protocol': 'file',
      'engine.broker.pagination.file.data.dir': join(path, 'results'),
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error INVALID_SETTING: engine\.broker\.pagination\.file\.data\.dir = .*occupied\/results: .*\n$/,
    );
  });

  it('a port that is taken, with the way out', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { exitCode, stderr } = await start({
      ...principal,
      'engine.broker.client.queryPort': String(port),
    });
    other.close();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `error INVALID_SETTING: engine.broker.client.queryPort = ${port}: another process already listens on 127.0.0.1`,
    );
    expect(stderr).toContain('--set engine.broker.client.queryPort=0');
  });
});

const quickstartAdminSha256 = 'a2cd52efc39c534198023f401b2bd3f24404d58964ec81aedfb001810a4b8893';
