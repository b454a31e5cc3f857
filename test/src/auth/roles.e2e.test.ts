import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { QuireClient } from '@quire/client';
import { describe, expect, test } from 'vitest';
import {
  CliProcess,
  quire,
  quireHere,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

// Real processes start slowly on a busy machine.
const anyPorts = 'proxy.port = 0\ncontroller.port = 0\n';

describe('one process with all roles', () => {
  test('one process with all roles serves through its proxy, and its controller looks after its broker without a token in the settings', async () => {
    await using directory = await temporaryDirectory();
    const config = await writeSettings(directory.path, anyPorts);
    await using server = new CliProcess(['start', '--config', config], {
      variables: testVariables,
    });
    const [, broker = '', proxy = '', controller = ''] = await server.untilPrinted(
      /broker +(http:\S+)[^]*proxy +(http:\S+)[^]*controller +(http:\S+)[^]*Ctrl-C/,
    );
    await using cursor = await new QuireClient({ baseUrl: proxy, token: 'admin-token' }).query(
      'SELECT symbol FROM stocks',
      {
        rowCount: 2,
      },
    );
    expect((await cursor.next())?.rows).toEqual([['MSFT'], ['MSFT']]);
    const headers = { authorization: 'Bearer admin-token' };
    const health = (await (await fetch(`${controller}/cluster/health`, { headers })).json()) as {
      brokers: object[];
    };
    expect(health.brokers).toEqual([expect.objectContaining({ url: broker, state: 'up' })]);
    const list = (await (await fetch(`${controller}/cluster/results`, { headers })).json()) as {
      resultMetadataList: object[];
    };
    expect(list.resultMetadataList).toEqual([
      expect.objectContaining({ requestId: cursor.requestId }),
    ]);

    server.signal('SIGTERM');
    const { exitCode, stderr } = await server.ended();
    expect(exitCode).toBe(0);
    const ends = [...stderr.matchAll(/"msg":"(\w+) is stopping: running calls may finish"/g)].map(
      ([, role]) => role,
    );
    expect(ends).toEqual(['controller', 'proxy', 'broker']);
  });

  test('one process with all roles does not start by halves: when one role cannot, none stays, and the message says why', async () => {
    await using directory = await temporaryDirectory();
    await using taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port } = taken.address() as AddressInfo;
    const config = await writeSettings(
      directory.path,
      `proxy.port = ${port}\ncontroller.port = 0\n`,
    );
    const { exitCode, stdout, stderr } = await quire(['start', '--config', config], {
      variables: testVariables,
    });
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      `proxy.port = ${port}: another process already listens on 127.0.0.1, perhaps another proxy.`,
    );
  });
});

test.each([
  ['proxy', 'proxy.brokers or proxy.brokers.dns must be set'],
  ['controller', 'controller.brokers or engine.tables.data.dir must be set'],
  ['proxy,controller', 'must be set'],
  ['cleaner', 'engine.broker.pagination.protocol = memory'],
])('the role %s alone says what it lacks', async (roles, message) => {
  await using directory = await temporaryDirectory();
  const config = await writeSettings(directory.path, anyPorts);
  const { exitCode, stderr } = await quireHere(['start', '--roles', roles, '--config', config], {
    variables: testVariables,
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
});

test.each(['server', 'controller,server'])(
  'the roles %s on Apache Pinot say that a cluster has no use for a table server',
  async (roles) => {
    await using directory = await temporaryDirectory();
    const pinot = 'engine.kind = pinot\nengine.pinot.controller.url = http://127.0.0.1:9\n';
    const config = await writeSettings(directory.path, `${anyPorts}${pinot}`);
    const { exitCode, stderr } = await quireHere(['start', '--roles', roles, '--config', config], {
      variables: testVariables,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'engine.kind = pinot: the cluster stores the tables, so the role server has nothing to do.',
    );
  },
);

test('a table server without the controller in its process says at its start that nothing can change its tables', async () => {
  await using directory = await temporaryDirectory();
  const config = await writeSettings(directory.path, 'engine.tables.data.dir = tables\n');
  await using server = new CliProcess(['start', '--roles', 'server', '--config', config], {
    variables: testVariables,
  });
  await server.untilPrinted(/table server +\S+tables[^]*Ctrl-C/);
  server.signal('SIGINT');
  const { exitCode, stderr } = await server.ended();
  expect(exitCode).toBe(0);
  expect(stderr).toContain('nothing can change them. Start both roles in one process');
});

test('a cleaner can be a role of a process', async () => {
  await using directory = await temporaryDirectory();
  const store =
    'engine.broker.pagination.protocol = file\nengine.broker.pagination.file.data.dir = results\n';
  const config = await writeSettings(directory.path, `${store}engine.cleaner.port = 0\n`);
  const { exitCode, stderr } = await quireHere(
    ['start', '--roles', 'cleaner', '--config', config],
    { variables: testVariables },
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the directory does not exist');
  await mkdir(join(directory.path, 'results')); // as a broker does when it starts
  await using server = new CliProcess(['start', '--roles', 'cleaner', '--config', config], {
    variables: testVariables,
  });
  const [, url = ''] = await server.untilPrinted(
    /cleaner +file:\S+, health at (http:\S+)[^]*Ctrl-C/,
  );
  expect(await (await fetch(url)).json()).toMatchObject({ status: 'ok' });
  server.signal('SIGINT');
  expect((await server.ended()).exitCode).toBe(0);
});
