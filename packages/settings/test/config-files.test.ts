import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings, type Settings } from '@quire/settings';
import { describe, expect, test } from 'vitest';
import { parse } from './settings-builder.ts';

const root = join(import.meta.dirname, '../../..');

async function load(name: string): Promise<Settings> {
  const outcome = await loadSettings({
    path: join(root, 'config', name),
    environment: {},
    overrides: [],
    workingDir: '/',
  });
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join('\n'));
  return outcome.settings;
}

describe('config/quickstart.properties', () => {
  test('config/quickstart.properties keeps results in files of the clone, on loopback', async () => {
    const { server, store, backends } = await load('quickstart.properties');
    expect(server).toMatchObject({ bindHost: '127.0.0.1', brokerPort: 8099 });
    expect(store).toMatchObject({ protocol: 'file', tempDir: join(root, '.quire/temp') });
    expect(backends['file']?.location).toEqual({
      scheme: 'file',
      text: join(root, '.quire/results'),
    });
  });

  test('config/quickstart.properties has tables whose files exist', async () => {
    const { tables } = await load('quickstart.properties');
    expect(tables.map(({ name }) => name)).toEqual([
      'flights',
      'airports',
      'cars',
      'movies',
      'penguins',
      'stocks',
      'weather',
    ]);
    for (const { path } of tables) expect((await readFile(path)).length).toBeGreaterThan(1000);
  });

  test('config/quickstart.properties has the principals admin and analyst', async () => {
    const { principals } = await load('quickstart.properties');
    expect(principals.map(({ name, role }) => ({ name, role }))).toEqual([
      { name: 'admin', role: 'admin' },
      { name: 'analyst', role: 'query' },
    ]);
  });
});

test('settings files that have a quota enforce it', async () => {
  const names = ['production.properties', '../deploy/image/quickstart.properties'];
  for (const name of names) {
    const { enabled, quotaBytes } = (await load(name)).cleaner;
    expect([name, enabled, quotaBytes > 1024 ** 3]).toEqual([name, true, true]);
  }
});

describe('config/production.properties', () => {
  test('config/production.properties is right as it stands', async () => {
    const { server, backends, cleaner, principals, tables } = await load('production.properties');
    expect(server.brokerHostName).toBe('broker-1.example.com');
    expect(backends['file']?.location).toEqual({
      scheme: 'file',
      text: '/var/lib/quire/results',
    });
    expect(cleaner.enabled).toBe(true);
    expect(principals.map(({ name }) => name)).toEqual(['operator', 'dashboard']);
    expect(tables.map(({ name }) => name)).toEqual(['orders', 'customers', 'events']);
  });

  test('config/production.properties is right with all that it offers in comments', async () => {
    const text = await readFile(join(root, 'config/production.properties'), 'utf8');
    const uncommented = text.replaceAll(/^#(?=[a-z]+\.)/gm, '');
    expect(uncommented).not.toBe(text);
    expect(parse({ file: uncommented })).toMatchObject({ ok: true });
  });
});

describe('config/cluster', () => {
  test('config/cluster has two brokers on one directory, with the same callers and tables, at addresses of their own', async () => {
    const [one, two] = [
      await load('cluster/broker-1.properties'),
      await load('cluster/broker-2.properties'),
    ];
    const { server, store, ...others } = one;
    expect({ server, store: { ...store, tempDir: '' }, ...others }).toEqual({
      ...two,
      server: { ...two.server, brokerPort: 8099 },
      store: { ...two.store, tempDir: '' },
    });
    expect([two.server.brokerPort, store.protocol, store.tempDir === two.store.tempDir]).toEqual([
      8098,
      'file',
      false,
    ]);
  });

  test('config/cluster has a proxy and a controller for both, and a cleaner for their directory', async () => {
    const [proxy, controller, cleaner] = [
      await load('cluster/proxy.properties'),
      await load('cluster/controller.properties'),
      await load('cluster/cleaner.properties'),
    ];
    const brokers = ['http://127.0.0.1:8099', 'http://127.0.0.1:8098'];
    const { store, backends } = await load('cluster/broker-1.properties');
    expect([proxy.proxy.brokers, controller.controller.brokers]).toEqual([brokers, brokers]);
    expect({ ...cleaner.store, tempDir: store.tempDir }).toEqual(store);
    expect({ ...cleaner.backends['file'], isShared: true }).toEqual(backends['file']);
  });
});
