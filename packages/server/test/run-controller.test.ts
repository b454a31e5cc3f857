import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { parseSettings, type Settings, settingsError } from '@quire/settings';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LiveSettings } from '../src/live-settings.ts';
import { openAuthorization } from '../src/start/open-authorization.ts';
import type { RunningService } from '../src/start/role-run.ts';
import { runController } from '../src/start/run-controller.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-controller-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

function settingsOf(settings: Readonly<Record<string, string>>): Settings {
  // Without a console, whose queries would ask the fake brokers for their health.
  const overrides = Object.entries({ 'controller.console.enabled': 'false', ...settings }).map(
    ([key, value]) => `${key}=${value}`,
  );
  const outcome = parseSettings({ environment: {}, overrides, workingDir: directory });
  if (!outcome.ok) throw settingsError(outcome.problems);
  return outcome.settings;
}

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

/** A controller by these settings, while `task` runs. */
async function whileRunning(
  settings: Readonly<Record<string, string>>,
  task: (running: RunningService, environment: { readonly clock: ManualClock }) => Promise<void>,
  brokers?: readonly string[],
  onLine: (line: string) => void = () => undefined,
): Promise<void> {
  const environment = {
    variables: { ROOT_TOKEN: 'root-token' },
    directory,
    clock: new ManualClock(),
    random: systemRandom,
  };
  const logger = pino({ level: 'warn' }, { write: onLine });
  const request = { environment: {}, overrides: [], workingDir: directory };
  await using live = await LiveSettings.open({
    request,
    settings: settingsOf(settings),
    clock: environment.clock,
    logger,
  });
  const stop = Promise.withResolvers<void>();
  let outcome = Promise.resolve();
  await runController(live, {
    environment,
    logger,
    brokers,
    stopAtOnce: new AbortController().signal,
    untilStop: stop.promise,
    onListening: async (running) => {
      outcome = task(running, environment);
      await outcome.catch(() => undefined); // reported below, once all parts have stopped
      stop.resolve();
    },
  });
  await outcome;
}

const principal = {
  'engine.auth.principal.root.role': 'admin',
  'engine.auth.principal.root.token.env': 'ROOT_TOKEN',
};
const usual = {
  ...principal,
  'controller.port': '0',
  'controller.cluster.pagination.cleaner.initialDelay': '1s',
  'engine.broker.shutdown.grace': '0s',
};

test('a controller cleans its brokers with the token of a file, and answers who has one of its own', async () => {
  const path = await file('token', 'first\n');
  const seen: (string | undefined)[] = [];
  const called = Promise.withResolvers<void>();
  const broker = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    if (seen.length === 1) {
      void writeFile(path, 'Bearer second').then(() => response.writeHead(401).end());
    } else {
      response.end('Deleted 3 expired response(s).');
      called.resolve();
    }
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const url = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;

  await whileRunning(
    { ...usual, 'controller.brokers': url, 'controller.admin.auth.url': path },
    async (running, environment) => {
      await environment.clock.advance(1000);
      await called.promise;
      const health = await fetch(`${running.address.url}/cluster/health`, {
        headers: { authorization: 'Bearer root-token' },
      });
      const stranger = await fetch(`${running.address.url}/cluster/health`, {
        headers: { authorization: 'Bearer root' },
      });

      expect(seen.slice(0, 2)).toEqual(['Bearer first', 'Bearer second']);
      expect(await health.json()).toMatchObject({ brokers: [{ url }] });
      expect(stranger.status).toBe(401);
      expect(running.usesQuickstartTokens).toBe(false);
    },
  );
  broker.closeAllConnections();
  broker.close();
});

test('without brokers in the settings, it looks after those of its own process; without any, it does not start', async () => {
  const own = 'http://127.0.0.1:9';
  await whileRunning(
    usual,
    async ({ address }) => {
      const health = await fetch(`${address.url}/cluster/health`, {
        headers: { authorization: 'Bearer root-token' },
      });
      expect(await health.json()).toMatchObject({
        status: 'degraded',
        brokers: [{ url: own, state: 'down' }],
      });
    },
    [own],
  );
  const elsewhere = { ...usual, 'engine.tables.data.dir': join(directory, 'elsewhere') };
  await expect(whileRunning(elsewhere, async () => undefined)).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    message: expect.stringContaining('with the role server in this process'),
  });
  await expect(whileRunning(usual, async () => undefined)).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    message:
      'controller.brokers or engine.tables.data.dir must be set, the latter with the role server in this process: the controller has neither brokers nor tables to manage.',
  });
});

test('with the tables of a cluster to look after, it starts without brokers', async () => {
  const settings = {
    ...usual,
    'engine.kind': 'pinot',
    'engine.pinot.controller.url': 'http://127.0.0.1:9',
    'engine.tables.data.dir': join(directory, 'tables'),
  };
  await whileRunning(settings, async ({ address }) => {
    const headers = { authorization: 'Bearer root-token' };
    const health = await fetch(`${address.url}/cluster/health`, { headers });
    expect([health.status, await health.json()]).toMatchObject([200, { brokers: [] }]);
  });
});

test('it says at its start that a table server of another process leaves it without tables', async () => {
  const lines: string[] = [];
  const settings = { ...usual, 'engine.tables.data.dir': join(directory, 'elsewhere') };
  const onLine = (line: string): void => void lines.push(line);
  await whileRunning(settings, async () => undefined, ['http://127.0.0.1:9'], onLine);
  expect(lines.filter((line) => line.includes('engine.tables.data.dir'))).toEqual([
    expect.stringContaining('quire start --roles server,controller'),
  ]);
});

test('a token that is replaced in its file counts without a restart', async () => {
  const path = await file('root', 'old');
  const settings = {
    ...usual,
    'controller.brokers': 'http://127.0.0.1:9',
    'engine.auth.principal.ann.role': 'admin',
    'engine.auth.principal.ann.token.file': path,
  };
  await whileRunning(settings, async ({ address }, environment) => {
    const status = async (token: string): Promise<number> =>
      (await fetch(`${address.url}/metrics`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect([await status('old'), await status('new')]).toEqual([200, 401]);
    await writeFile(path, 'new');
    await environment.clock.advance(10_000);
    while ((await status('new')) === 401) await new Promise((resolve) => setImmediate(resolve));
    expect(await status('old')).toBe(401);
  });
});

describe('what cannot be is told at the start, by the name of its setting:', () => {
  test.each([
    [
      { 'engine.tls.certificate.file': 'no.pem', 'engine.tls.key.file': 'no.key' },
      /^engine\.tls\.\w+\.file = .*no\.\w+: the file/,
    ],
    [
      { 'engine.tls.ca.file': 'no.pem' },
      /^engine\.tls\.ca\.file = .*no\.pem: the file cannot be read \(ENOENT\)\.$/,
    ],
    [
      { 'controller.admin.auth.url': 'no-token' },
      /^controller\.admin\.auth\.url: the file cannot be read \(ENOENT\)\.$/,
    ],
    [
      { 'controller.admin.auth.provider.class': 'UrlAuthProvider' },
      /^controller\.admin\.auth\.url must be set, because controller\.admin\.auth\.provider\.class requires it\.$/,
    ],
    [
      { 'controller.admin.auth.provider.class': 'org.example.StaticTokenAuthProvider' },
      /^controller\.admin\.auth\.token must be set, because /,
    ],
    [
      { 'controller.admin.auth.provider.class': 'org.example.Wonder' },
      /^controller\.admin\.auth\.provider\.class = org\.example\.Wonder: expected/,
    ],
    [
      { 'controller.admin.auth.provider.class': 'no.mjs' },
      /^controller\.admin\.auth\.provider\.class = .*no\.mjs: /,
    ],
  ])(
    'what cannot be is told at the start, by the name of its setting: %o',
    async (settings, message) => {
      const all = { ...usual, ...settings, 'controller.brokers': 'http://127.0.0.1:9' };
      await expect(whileRunning(all, async () => undefined)).rejects.toMatchObject({
        code: 'INVALID_SETTING',
        message: expect.stringMatching(message),
      });
    },
  );

  test('a port that is taken is told at the start, by the name of its setting', async () => {
    const holder = createServer();
    holder.listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const port = String((holder.address() as AddressInfo).port);
    const settings = {
      ...usual,
      'controller.brokers': 'http://127.0.0.1:9',
      'controller.port': port,
    };
    await expect(whileRunning(settings, async () => undefined)).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringMatching(
        /^controller\.port = \d+: another process already listens on 127\.0\.0\.1, perhaps another controller\./,
      ),
    });
    holder.close();
  });
});

describe('what gives the Authorization of calls to brokers', () => {
  const authorizationOf = async (
    settings: Readonly<Record<string, string>>,
  ): Promise<string | undefined> =>
    (await openAuthorization(settingsOf(settings), new ManualClock())).authorization();
  const classKey = 'controller.admin.auth.provider.class';

  test('what gives the Authorization of calls to brokers is what the settings name, by the end of a class name, or what they have a token for', async () => {
    const [token, url] = ['controller.admin.auth.token', 'controller.admin.auth.url'];
    const path = await file('t', ' in-file ');
    const both = { [token]: 'in-settings', [url]: path };
    const outcomes = await Promise.all(
      [
        {},
        { [token]: 'in-settings', 'controller.admin.auth.prefix': 'Basic' },
        both,
        { ...both, [classKey]: 'org.apache.common.auth.StaticTokenAuthProvider' },
        { ...both, [classKey]: 'org.apache.common.auth.UrlAuthProvider' },
        { ...both, [classKey]: 'NullAuthProvider' },
        { ...both, [classKey]: 'url' },
      ].map(authorizationOf),
    );
    expect(outcomes).toEqual([
      undefined,
      'Basic in-settings',
      'Bearer in-file',
      'Bearer in-settings',
      'Bearer in-file',
      undefined,
      'Bearer in-file',
    ]);
  });

  test('what gives the Authorization of calls to brokers may come from a module, which is given what the settings say', async () => {
    const module =
      'export const createAuthorizationProvider = ({ url, token }) => ({ authorization: async () => `Own ${url} ${token}` });';
    await file('own.mjs', module);
    await file('empty.mjs', 'export const nothing = 1;');
    const settings = {
      'controller.admin.auth.url': 'https://tokens.example.com/t',
      'controller.admin.auth.token': 'abc',
    };
    expect(await authorizationOf({ ...settings, [classKey]: 'own.mjs' })).toBe(
      'Own https://tokens.example.com/t abc',
    );
    await expect(authorizationOf({ [classKey]: 'empty.mjs' })).rejects.toMatchObject({
      message: `${classKey} = ${join(directory, 'empty.mjs')}: the module does not export a function createAuthorizationProvider.`,
    });
  });
});
