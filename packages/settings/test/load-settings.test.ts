import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@quire/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const nothing = { environment: {}, overrides: [] };
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'quire-settings-'));
});
afterEach(() => rm(dir, { recursive: true }));

function faulty(message: string): unknown {
  return {
    ok: false,
    problems: [
      { key: undefined, value: undefined, allowed: undefined, source: undefined, message },
    ],
  };
}

describe('loadSettings', () => {
  test('loadSettings reads the file, by a path from the working directory', async () => {
    await writeFile(join(dir, 'a.properties'), '\uFEFFengine.table.café.path = x\r\n');
    const problems = await loadSettings({ ...nothing, path: 'a.properties', workingDir: dir });
    expect(problems.ok || problems.problems.map(({ message }) => message)).toEqual([
      'engine.table.café.path (a.properties:1): café is not allowed in this key: expected a name of letters, digits and _, not starting with a digit.',
    ]);

    await writeFile(join(dir, 'b.properties'), '\uFEFFengine.table.cars.path = cars.json\r\n');
    const outcome = await loadSettings({
      ...nothing,
      path: join(dir, 'b.properties'),
      workingDir: '/',
    });
    expect(outcome.ok && outcome.settings.tables).toEqual([
      { name: 'cars', path: join(dir, 'cars.json'), format: 'auto' },
    ]);
  });

  test('loadSettings needs no file', async () => {
    const outcome = await loadSettings({
      ...nothing,
      overrides: ['proxy.port=1'],
      workingDir: dir,
    });
    expect(outcome.ok && outcome.settings.server.proxyPort).toBe(1);
  });

  test('loadSettings reports a file that is not there, not a file or not UTF-8', async () => {
    await writeFile(join(dir, 'latin1'), Buffer.from([0x61, 0x3d, 0xe9]));
    const load = (path: string): Promise<unknown> =>
      loadSettings({ ...nothing, path, workingDir: dir });
    expect(await load('missing')).toEqual(
      faulty('The settings file missing cannot be read (ENOENT).'),
    );
    expect(await load('.')).toEqual(faulty('The settings file . cannot be read (EISDIR).'));
    expect(await load('latin1')).toEqual(faulty('The settings file latin1 is not UTF-8 text.'));
  });
});
