import { join } from 'node:path';
import { startQuire, type StartQuireOptions } from '@quire/server';
import { QuireClient } from '@quire/client';
import { describe, expect, test, vi } from 'vitest';
import {
  quire,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

const plugin = join(import.meta.dirname, 'engine-plugin.process.ts');
const engineKey = 'engine.class';

/** Starts a broker in this process, with the settings of the tests. */
async function start(directory: string, options: StartQuireOptions = {}) {
  const file = await writeSettings(directory);
  return startQuire({ file, roles: ['broker'], variables: testVariables, directory, ...options });
}

function clientOf(url: string | undefined): QuireClient {
  return new QuireClient({ baseUrl: String(url), token: testVariables.TEST_ADMIN_TOKEN });
}

describe('a server in a program', () => {
  test('a server in a program answers queries, tells its log, and is gone once it is closed, as often as that is asked for', async () => {
    await using directory = await temporaryDirectory();
    const lines: string[] = [];
    await using running = await start(directory.path, { log: (line) => lines.push(line) });
    const { broker, proxy, controller } = running.addresses;
    expect([proxy, controller]).toEqual([undefined, undefined]);
    const { page } = await clientOf(broker?.url).query('SELECT count(*) FROM stocks');
    expect(page.rows).toEqual([[560]]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ msg: 'broker listens', url: broker?.url }),
    );
    await Promise.all([running.close(), running.close()]);
    await running.ended;
    await expect(fetch(`${broker?.url}/health`)).rejects.toThrow('fetch failed');
  });

  test('a server in a program ends a download that nobody reads when it must stop at once', async () => {
    await using directory = await temporaryDirectory();
    const stop = new AbortController();
    await using running = await start(directory.path, {
      stopAtOnce: stop.signal,
      set: { 'engine.broker.shutdown.grace': '1h', 'engine.broker.page.stall.timeout': '1h' },
    });
    const { url } = running.addresses.broker ?? {};
    const client = clientOf(url);
    // More than the buffers of a connection hold.
    const cursor = await client.query("SELECT repeat('x', 1000) FROM range(30000)");
    const download = await fetch(
      `${url}/query/${cursor.requestId}/results?offset=0&numRows=30000&format=csv`,
      {
        headers: {
          authorization: `Bearer ${testVariables.TEST_ADMIN_TOKEN}`,
          'accept-encoding': 'identity',
        },
      },
    );
    const closing = running.close();
    stop.abort();
    await closing;
    await expect(download.text()).rejects.toThrow('terminated');
  });

  test('a server in a program does not start with settings that are wrong, and says all that is wrong with them', async () => {
    await using directory = await temporaryDirectory();
    const set = { 'engine.broker.query.timeout': 'soon', 'engine.broker.query.queue': '-1' };
    await expect(start(directory.path, { set })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringMatching(
        /engine\.broker\.query\.timeout[^]*engine\.broker\.query\.queue/,
      ),
    });
    const roles = ['waiter'] as unknown as NonNullable<StartQuireOptions['roles']>;
    await expect(start(directory.path, { roles })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: `There is no role 'waiter'; expected one or more of server, broker, proxy, controller, cleaner.`,
    });
  });

  test('a server in a program reads no variable of the process that it was not given', async () => {
    await using directory = await temporaryDirectory();
    vi.stubEnv('ENGINE_BROKER_QUERY_TIMEOUT', 'soon');
    try {
      await using running = await start(directory.path);
      expect((await fetch(`${running.addresses.broker?.url}/health`)).status).toBe(200);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('an engine of somebody else', () => {
  test('an engine of somebody else runs the queries of a broker, in its process', async () => {
    await using directory = await temporaryDirectory();
    await using running = await start(directory.path, { set: { [engineKey]: plugin } });
    const client = clientOf(running.addresses.broker?.url);
    const { page } = await client.query('SELECT count(*) FROM stocks');
    expect(page.rows).toEqual([[560]]);
    await expect(client.query('SELECT * FROM nowhere')).rejects.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
  });

  test('an engine of somebody else is what `quire start` runs queries on', async () => {
    await using directory = await temporaryDirectory();
    const config = await writeSettings(directory.path, `${engineKey} = ${plugin}\n`);
    const { server: broker, url } = await startServer(['--config', config]);
    await using _broker = broker;
    const { page } = await clientOf(url).query('SELECT range AS n FROM range(10)', { rowCount: 1 });
    expect(page.rows).toEqual([[0]]);
    await broker.untilLogged('queries run on the engine of a plug-in');
  });

  test('an engine of somebody else stops a server from starting when its module is not there, or exports no engine', async () => {
    await using directory = await temporaryDirectory();
    const config = await writeSettings(directory.path);
    const missing = join(directory.path, 'missing.mjs');
    for (const [module, problem] of [
      [missing, 'Cannot find module'],
      [
        join(import.meta.dirname, '../broker/remote-plugin.process.ts'),
        'the module does not export a function openQueryEngine',
      ],
    ] as const) {
      const { exitCode, stderr } = await quire(
        ['start', '--roles', 'broker', '-c', config, '-s', `${engineKey}=${module}`],
        {
          variables: testVariables,
        },
      );
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(problem),
      });
      expect(stderr).toContain(`${engineKey} = ${module}`);
    }
  });
});
