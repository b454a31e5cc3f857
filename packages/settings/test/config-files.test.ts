import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings, type Settings } from '@quire/settings';
import { describe, expect, test } from 'vitest';
import { parse } from './settings-builder.ts';

const root = join(import.meta.dirname, '../../..');

async function load(name: string): Promise<Settings> {
  const outcome = await loadSettings({ path: join(root, 'config', name), environment: {}, overrides: [], workingDir: '/' });
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join('\n'));
  return outcome.settings;
}

describe('config/quickstart.properties', () => {
  test('keeps results in files of the clone, on loopback', async () => {
    const { server, store } = await load('quickstart.properties');
    expect(server).toMatchObject({ bindHost: '127.0.0.1', brokerPort: 8099 });
    expect(store).toMatchObject({
      protocol: 'file',
      fileLocation: { scheme: 'file', path: join(root, '.quire/results') },
      tempDir: join(root, '.quire/temp'),
    });
  });

  test('has tables whose files exist', async () => {
    const { tables } = await load('quickstart.properties');
    expect(tables.map(({ name }) => name)).toEqual(['flights', 'airports', 'cars', 'movies', 'penguins', 'stocks', 'weather']);
    for (const { path } of tables) expect((await readFile(path)).length).toBeGreaterThan(1000);
  });

  test('has the principals admin and analyst', async () => {
    const { principals } = await load('quickstart.properties');
    expect(principals.map(({ name, role }) => ({ name, role }))).toEqual([
      { name: 'admin', role: 'admin' },
      { name: 'analyst', role: 'query' },
    ]);
  });
});

describe('config/production.properties', () => {
  test('is right as it stands', async () => {
    const { server, store, cleaner, principals, tables } = await load('production.properties');
    expect(server.brokerHostName).toBe('broker-1.example.com');
    expect(store.fileLocation).toEqual({ scheme: 'file', path: '/var/lib/quire/results' });
    expect(cleaner.enabled).toBe(true);
    expect(principals.map(({ name }) => name)).toEqual(['operator', 'dashboard']);
    expect(tables.map(({ name }) => name)).toEqual(['orders', 'customers', 'events']);
  });

  test('is right with all that it offers in comments', async () => {
    const text = await readFile(join(root, 'config/production.properties'), 'utf8');
    const uncommented = text.replaceAll(/^#(?=[a-z]+\.)/gm, '');
    expect(uncommented).not.toBe(text);
    expect(parse({ file: uncommented })).toMatchObject({ ok: true });
  });
});
