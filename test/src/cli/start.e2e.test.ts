import { QuireClient } from '@quire/client';
import { describe, expect, test } from 'vitest';
import {
  quire,
  quireHere,
  shell,
  startServer,
  temporaryDirectory,
  writeSettings,
} from '../testkit/cli-process.ts';
import { freePort } from '../../../scripts/free-port.ts';

// Real processes and three million rows are slow on a busy machine.
describe('the quickstart', () => {
  test('the quickstart prints its addresses, its tables and three commands, which work exactly as they are printed', async () => {
    await using directory = await temporaryDirectory();
    const sets = [
      'engine.broker.client.queryPort=0',
      'engine.broker.flight.port=0',
      'proxy.port=0',
      'controller.port=0',
      `engine.broker.pagination.file.data.dir=${directory.path}/results`,
      `engine.broker.pagination.temp.dir=${directory.path}/temp`,
      `engine.tables.data.dir=${directory.path}/tables`,
      `engine.stream.file.dir=${directory.path}/streams`,
    ];
    // The command of `npm start -- --set …`.
    const args = [
      '--roles',
      'server,broker,proxy,controller', // the default
      '--config',
      'config/quickstart.properties',
      ...sets.flatMap((set) => ['--set', set]),
    ];
    const { server, url } = await startServer(args);
    await using first = server;
    expect(first.stdout).toContain(`  broker        ${url}  (API: ${url}/docs)\n`);
    expect(first.stdout).toMatch(/\n {2}flight {8}grpc:\/\/127\.0\.0\.1:\d+\n {2}proxy {9}http:/);
    expect(first.stdout).toContain('  results       file://');
    expect(first.stdout).toContain(
      '  tables        flights, airports, cars, movies, penguins, stocks, weather\n',
    );

    const [page = '', growing = '', task = ''] = commandsOf(first.stdout);
    const paged = await shell(page);
    expect(JSON.parse(paged.stdout)).toMatchObject({
      numRowsResultSet: 3_000_000,
      offset: 1_500_000,
      numRows: 3,
      exceptions: [],
    });
    const before = await countOf(growing);
    const ask = new QuireClient({ baseUrl: url, token: 'quickstart-admin' });
    await untilMore(ask, before);
    expect(await countOf(growing)).toBeGreaterThan(before);
    await expect.poll(() => loaded(ask), { interval: 300 }).toEqual([[5_105, 5_105]]);
    await expect.poll(() => stateOf(first.stdout)).toMatch(/^state\tCOMPLETED$/m);
    expect((await shell(task)).stdout).toMatch(
      /^state\tCOMPLETED$.*: 1 file, 5,105 rows, 1 segment$/ms,
    );

    // Killed at any moment and restarted, the server continues: nothing is created or loaded twice,
    // and each message exists once.
    const seen = await countOf(growing);
    await first[Symbol.asyncDispose]();
    const again = await startServer(args);
    await using second = again.server;
    const [, , taskAgain = ''] = commandsOf(second.stdout);
    const askAgain = new QuireClient({ baseUrl: again.url, token: 'quickstart-admin' });
    await untilMore(askAgain, seen);
    expect((await shell(taskAgain)).stdout).toMatch(
      /^state\tCOMPLETED$.*^subtasks\t1 total, 1 completed$/ms,
    );
    expect(await loaded(askAgain)).toEqual([[5_105, 5_105]]);
    second.signal('SIGTERM');
    expect((await second.ended()).exitCode).toBe(0);
  });
});

function commandsOf(stdout: string): readonly string[] {
  return stdout
    .split(/^# .*\n/m)
    .slice(1)
    .map((text) => text.split('\n\n')[0] ?? '');
}

/** The first cell of the first line that a command prints. */
async function countOf(command: string): Promise<number> {
  return Number((await shell(command)).stdout.split('\t')[0]);
}

/** Runs the command about the task in this process, because it is repeated; returns its output. */
async function stateOf(stdout: string): Promise<string> {
  const [, url = ''] = /^ +controller +(\S+)/m.exec(stdout) ?? [];
  const variables = { QUIRE_CONTROLLER_URL: url, QUIRE_TOKEN: 'quickstart-admin' };
  const args = ['tasks', 'show', 'Task_SegmentGenerationAndPushTask_sp500'];
  return (await quireHere(args, { variables })).stdout;
}

/** Resolves once the table that grows has more rows. */
async function untilMore(client: QuireClient, rowCount: number): Promise<void> {
  const grown = async () =>
    (await client.query('SELECT count(*) FROM departures')).page.rows[0]?.[0];
  await expect.poll(async () => Number(await grown()), { interval: 300 }).toBeGreaterThan(rowCount);
}

/** Counts the rows that the task has loaded, and the distinct ones. */
async function loaded(client: QuireClient): Promise<readonly (readonly unknown[])[]> {
  return (await client.query('SELECT count(*), count(DISTINCT date) FROM sp500')).page.rows;
}

describe('a server', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'a server lets calls under way finish at %s, exits with 0, and prints no token that somebody chose',
    async (signal) => {
      await using directory = await temporaryDirectory();
      const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
      await using _server = server;
      const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
      // More than the buffers between server and client hold: a reader that stops keeps the call in
      // progress.
      const { requestId, totalRowCount } = await client.query(
        'SELECT a.*, b.* FROM stocks a, stocks b',
        { rowCount: 1 },
      );
      let text = '';
      for await (const bytes of client.stream(requestId, {
        offset: 0,
        rowCount: totalRowCount,
        format: 'csv',
      })) {
        if (text === '') {
          server.signal(signal);
          await server.untilLogged('running calls may finish');
        }
        text += Buffer.from(bytes).toString();
      }
      expect(text.trimEnd().split('\n').length).toBe(1 + 560 ** 2);
      const { exitCode, stdout, stderr } = await server.ended();
      expect(exitCode).toBe(0);
      expect(stdout).toContain('Authorization: Bearer $QUIRE_TOKEN');
      expect(stdout + stderr).not.toMatch(/admin-token|ann-password/);
    },
  );

  test('a server stops at once at a second signal, and exits with 1', async () => {
    await using directory = await temporaryDirectory();
    const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
    await using _server = server;
    const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
    const running = client.query(endlessQuery).catch((error: unknown) => error);
    await untilRunning(url);
    server.signal('SIGINT');
    server.signal('SIGTERM');
    const { exitCode, stderr } = await server.ended();
    expect(exitCode).toBe(1);
    expect(stderr.split('\n')).toContain('Stopped at once: running calls were aborted.');
    // The last bytes may or may not reach the client; they are not a complete answer.
    expect(await running).toBeInstanceOf(Error);
  });

  test('a server finds the results again that it has stored in files, once it is started again', async () => {
    await using directory = await temporaryDirectory();
    const config = await writeSettings(
      directory.path,
      'engine.broker.pagination.protocol = file\nengine.broker.pagination.file.data.dir = results\n',
    );
    const first = await startServer(['--config', config]);
    const { requestId } = await new QuireClient({ baseUrl: first.url, token: 'admin-token' }).query(
      'SELECT 42 AS answer',
    );
    first.server.signal('SIGTERM');
    await first.server.ended();

    const second = await startServer(['--config', config]);
    await using _second = second.server;
    const page = await new QuireClient({ baseUrl: second.url, token: 'admin-token' }).page(
      requestId,
      { offset: 0 },
    );
    expect(page.rows).toEqual([[42]]);
  });

  test('a server finds its results under its id as well when its port has changed meanwhile', async () => {
    await using directory = await temporaryDirectory();
    const store =
      'engine.broker.pagination.protocol = file\nengine.broker.pagination.file.data.dir = results\n';
    const named = [
      '--config',
      await writeSettings(directory.path, store),
      '-s',
      'engine.broker.id=reports',
    ];
    const first = await startServer(named);
    const { requestId } = await new QuireClient({ baseUrl: first.url, token: 'admin-token' }).query(
      'SELECT 42 AS answer',
    );
    first.server.signal('SIGTERM');
    await first.server.ended();

    const port = await freePort();
    const second = await startServer([...named, '-s', `engine.broker.client.queryPort=${port}`]);
    await using _second = second.server;
    const page = await new QuireClient({ baseUrl: second.url, token: 'admin-token' }).page(
      requestId,
      { offset: 0 },
    );
    expect([page.rows, page.brokerId]).toEqual([[[42]], 'reports']);
  });
});

test('Ctrl-C cancels a query on the server as well, and the command exits with 1', async () => {
  await using directory = await temporaryDirectory();
  const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
  await using _server = server;
  const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
  const cancelled = quire(['query', '--url', url, '--token', 'admin-token', endlessQuery], {
    whenStarted: async (command) => {
      await untilRunning(url);
      command.signal('SIGINT');
    },
  });
  expect(await cancelled).toEqual({ exitCode: 1, stdout: '', stderr: 'Cancelled.\n' });
  await untilRunning(url, 0);
  expect(await client.list()).toEqual([]);
});

/** A hundred billion combinations, all of which must be examined. */
const endlessQuery =
  'SELECT count(*) AS n FROM stocks a, stocks b, stocks c, stocks d WHERE a.price + b.price + c.price + d.price > 0';

/** Resolves once the server reports `count` running queries. */
async function untilRunning(url: string, count = 1): Promise<void> {
  const pattern = new RegExp(`^quire_queries_running ${count}$`, 'm');
  await expect
    .poll(async () => {
      const response = await fetch(`${url}/metrics`, {
        headers: { authorization: 'Bearer admin-token' },
      });
      return pattern.test(await response.text());
    })
    .toBe(true);
}
