import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { QueryResponse } from '@quire/api';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { shell, temporaryDirectory } from '../testkit/cli-process.ts';

// Five processes start slowly on a busy machine.
const root = join(import.meta.dirname, '../../..');

interface Member {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

/** Runs `npm run cluster` as the guide shows it, on free ports. */
class ClusterCommand implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  stdout = '';
  stderr = '';

  private constructor(
    child: ChildProcess,
    directory: Awaited<ReturnType<typeof temporaryDirectory>>,
  ) {
    this.#child = child;
    this.#directory = directory;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  static async start(): Promise<ClusterCommand> {
    const directory = await temporaryDirectory();
    const { NODE_OPTIONS: _, ...env } = process.env;
    const args = ['run', '-s', 'cluster', '--', '--any-ports', '--data', directory.path];
    // In a process group of its own, as in a terminal: Ctrl-C signals the whole group.
    const command = new ClusterCommand(
      spawn('npm', args, { cwd: root, env, detached: true, stdio: 'pipe' }),
      directory,
    );
    await command.#until(() => command.stdout.includes('Ctrl-C'));
    return command;
  }

  get members(): readonly Member[] {
    const lines = this.stdout.matchAll(/^ {2}(\S+) +(http:\S+?)(?:\/health)? +process (\d+)$/gm);
    return [...lines].map(([, name = '', url = '', pid]) => ({ name, url, pid: Number(pid) }));
  }

  member(name: string): Member {
    const found = this.members.find((member) => member.name === name);
    if (found === undefined) throw new Error(`There is no ${name} in:\n${this.stdout}`);
    return found;
  }

  /** Returns the commands that it suggests, as a script. */
  get examples(): string {
    return this.stdout.slice(this.stdout.indexOf('# Run'), this.stdout.indexOf('Ctrl-C'));
  }

  async untilPrinted(text: string): Promise<void> {
    await this.#until(() => this.stderr.includes(text));
  }

  /**
   * Resolves when all processes that can write to its outputs have ended. npm itself ends by the
   * signal, as it always does.
   */
  async pressCtrlC(): Promise<void> {
    const closed = once(this.#child, 'close');
    const { pid } = this.#child;
    // The group 0 is that of the test itself.
    if (pid === undefined) throw new Error('npm did not start.');
    process.kill(-pid, 'SIGINT');
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.pressCtrlC();
    await this.#directory[Symbol.asyncDispose]();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#child.exitCode !== null) throw new Error(`It ended:\n${this.stdout}${this.stderr}`);
      await Promise.race([
        once(this.#child.stdout!, 'data'),
        once(this.#child.stderr!, 'data'),
        once(this.#child, 'exit'),
      ]);
    }
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};

const call = (
  url: string,
  as: 'admin' | 'analyst',
  options: { method?: string; body?: string } = {},
): Promise<Response> =>
  fetch(url, {
    ...options,
    headers: {
      authorization: `Bearer quickstart-${as}`,
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
  });

describe('the cluster of config/cluster', () => {
  let running: ClusterCommand | undefined;
  let cluster: ClusterCommand;
  let proxy: string;

  // The test that ends it leaves no cluster to the next one.
  beforeEach(async () => {
    running ??= await ClusterCommand.start();
    cluster = running;
    proxy = cluster.member('proxy').url;
  });
  afterAll(async () => running?.[Symbol.asyncDispose]());

  const submit = async (
    sql: string,
    as: 'admin' | 'analyst',
  ): Promise<QueryResponse & { requestId: string; brokerId: string }> => {
    const url = `${proxy}/query/sql?doPaginate=true&numRows=2`;
    const answer = await call(url, as, { method: 'POST', body: JSON.stringify({ sql }) });
    return (await answer.json()) as QueryResponse & { requestId: string; brokerId: string };
  };

  test('the cluster of config/cluster has five processes, with their results in one directory', async () => {
    expect(cluster.members.map(({ name }) => name)).toEqual([
      'broker-1',
      'broker-2',
      'proxy',
      'controller',
      'cleaner',
    ]);
    const health = await Promise.all(
      cluster.members.map(
        async ({ url }) =>
          ((await (await fetch(`${url}/health`)).json()) as { status: string }).status,
      ),
    );
    expect(health).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  });

  test('the cluster of config/cluster does not show a result to others than its owner, at whichever broker, and does not say that it is there', async () => {
    const { requestId } = await submit('SELECT range AS n FROM range(10)', 'admin');
    const never = '0190163d-8694-739b-aea5-966c26f8ad91';
    const paths = [proxy, cluster.member('broker-1').url, cluster.member('broker-2').url].flatMap(
      (url) =>
        [
          'query/ID/results?offset=0',
          'query/ID/metadata',
          'responseStore/ID',
          'responseStore/ID/results',
        ].map((each) => `${url}/${each}`),
    );
    const answers = async (id: string): Promise<readonly string[]> =>
      Promise.all(
        paths.map(async (each) => (await call(each.replace('ID', id), 'analyst')).text()),
      );
    const [others, nobodys] = [await answers(requestId), await answers(never)];
    expect(others.map((text) => text.replaceAll(requestId, 'ID'))).toEqual(
      nobodys.map((text) => text.replaceAll(never, 'ID')),
    );
    expect(others.every((text) => text.includes('"reason":"RESULT_NOT_FOUND"'))).toBe(true);
    for (const url of [proxy, cluster.member('broker-1').url, cluster.member('broker-2').url]) {
      expect(
        (await call(`${url}/query/resultStore/${requestId}`, 'analyst', { method: 'DELETE' }))
          .status,
      ).toBe(404);
      expect((await call(`${url}/query/${requestId}/results?offset=0`, 'admin')).status).toBe(200);
    }
  });

  test('the cluster of config/cluster reads on when the broker that ran the query is killed, what it prints works without that broker too, and Ctrl-C leaves no process behind', async () => {
    const { requestId, brokerId } = await submit('SELECT range AS n FROM range(100000)', 'analyst');
    const rowsAt = async (offset: number): Promise<unknown> => {
      const page = await call(
        `${proxy}/query/${requestId}/results?offset=${offset}&numRows=2`,
        'analyst',
      );
      return ((await page.json()) as QueryResponse).resultTable?.rows;
    };
    expect(await rowsAt(50_000)).toEqual([[50_000], [50_001]]);
    const [, port] = /_(\d+)$/.exec(brokerId) ?? [];
    const killed = cluster.members.find(
      ({ name, url }) => name.startsWith('broker') && url.endsWith(`:${port}`),
    )!;
    process.kill(killed.pid, 'SIGKILL');
    await cluster.untilPrinted(`${killed.name} ended (SIGKILL); the others continue.`);

    expect(await rowsAt(99_998)).toEqual([[99_998], [99_999]]);
    expect(await rowsAt(2)).toEqual([[2], [3]]);
    const again = await submit('SELECT 1 AS one', 'analyst');
    expect([again.exceptions, again.brokerId === brokerId]).toEqual([[], false]);

    // If the other broker died first, this command would kill the last one.
    const { stdout } = await shell(cluster.examples.replace(/^kill .*$/m, ''));
    const [first = '', second = '', health = ''] = stdout.trim().split('\n');
    const rows = [first, second].map(
      (text) => (JSON.parse(text) as QueryResponse).resultTable?.rows.length,
    );
    expect(rows).toEqual([3, 3]);
    expect(
      (JSON.parse(health) as { brokers: { state: string }[] }).brokers
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['down', 'up']);

    const { members } = cluster;
    running = undefined;
    const printed = cluster.stderr;
    await cluster.pressCtrlC();
    expect(cluster.stdout.endsWith('\nStopping: running calls may finish.\n')).toBe(true);
    expect(members.filter(({ pid }) => isAlive(pid))).toEqual([]);
    // No call was cut off: nothing more was logged.
    expect(cluster.stderr).toBe(printed);
    await cluster[Symbol.asyncDispose]();
  });
});

test('a member that cannot start takes the others with it, and the end of its log is shown', async () => {
  await using directory = await temporaryDirectory();
  // Results cannot be stored below a path that is a file.
  await writeFile(join(directory.path, 'results'), '');
  const { exitCode, stdout, stderr } = await shell(
    `npm run -s cluster -- --any-ports --data '${directory.path}'`,
  );
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^broker-[12] does not serve; the end of \S+\/logs\/broker-[12]\.log:\n/);
  expect(stderr).toContain(`engine.broker.pagination.file.data.dir = ${directory.path}/results`);
});

test.each([
  ['results', '--s3 is "results": expected s3://bucket/prefix, or local.\n'],
  ['local', 'There is no S3 server at /nowhere/versitygw. `npm run s3-server` installs one.\n'],
])(
  '--s3 %s, of which nothing can be made, is refused before anything starts',
  async (given, message) => {
    const { exitCode, stderr } = await shell(
      `QUIRE_S3_SERVER=/nowhere/versitygw npm run -s cluster -- --any-ports --s3 ${given}`,
    );
    expect([exitCode, stderr]).toEqual([1, message]);
  },
);

test('an S3 server that is installed already is not built again, and its path is printed', async () => {
  await using directory = await temporaryDirectory();
  // Instead of Go: builds a program with the name that the module has.
  const go = join(directory.path, 'go');
  await writeFile(go, '#!/bin/sh\necho "$@" >&2; touch "$GOBIN/versitygw"\n', { mode: 0o755 });
  const script = join(root, 'scripts/s3-server.ts');
  const run = (): ReturnType<typeof shell> =>
    shell(`PATH='${directory.path}':$PATH QUIRE_S3_FOLDER='${directory.path}' node ${script}`);
  const [first, second] = [await run(), await run()];
  expect(first).toMatchObject({ exitCode: 0, stdout: `${directory.path}/versitygw\n` });
  expect(first.stderr).toContain('install github.com/versity/versitygw/cmd/versitygw@');
  expect(second).toMatchObject({
    exitCode: 0,
    stdout: `${directory.path}/versitygw\n`,
    stderr: '',
  });
  await rm(join(directory.path, 'versitygw'));
  const without = await shell(
    `QUIRE_S3_FOLDER='${directory.path}' PATH='${dirname(process.execPath)}' node ${script}`,
  );
  expect(without.exitCode).toBe(1);
  expect(without.stderr).toContain('The S3 server is built by Go, which did not start');
});
