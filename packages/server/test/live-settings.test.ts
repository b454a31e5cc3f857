import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { loadSettings } from '@quire/settings';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { LiveSettings } from '../src/live-settings.ts';

const quotaOf = (megabytes: number | string): string =>
  `engine.broker.pagination.file.maxStoragePerBrokerMB = ${megabytes}\n`;

test('the log says that changes are in force when there are some, and not when a file is saved again', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quire-live-'));
  const path = join(directory, 'quire.properties');
  await writeFile(path, quotaOf(10));
  const request = { path, environment: {}, overrides: [], workingDir: directory };
  const outcome = await loadSettings(request);
  if (!outcome.ok) throw new Error('The first settings must be right.');
  const lines: string[] = [];
  let heard = Promise.withResolvers<void>();
  const logger = pino(
    { base: null, timestamp: false },
    {
      write: (line: string) => {
        lines.push((JSON.parse(line) as { msg: string }).msg);
        heard.resolve();
      },
    },
  );
  await using live = await LiveSettings.open({
    request,
    settings: outcome.settings,
    clock: systemClock,
    logger,
  });
  live.onApplied(() => heard.resolve());
  const save = async (text: string): Promise<readonly string[]> => {
    heard = Promise.withResolvers<void>();
    // A file that is written in place is empty for a moment, in which it may be read.
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
    await heard.promise;
    return lines.splice(0);
  };

  const changed = 'settings file read: the changes are in force';
  const invalid = 'the settings file is not valid: the last valid settings stay in force';
  expect(await save(quotaOf(20))).toEqual([changed]);
  expect(await save(`# The same, with a comment.\n${quotaOf(20)}`)).toEqual([]);
  expect(await save(quotaOf('none'))).toEqual([invalid]);
  expect(live.problems).toHaveLength(1);
  expect(await save(quotaOf(20))).toEqual([
    'the settings file is valid again; the settings in force stay',
  ]);
  expect(await save(quotaOf('none'))).toEqual([invalid]);
  expect(await save(quotaOf(30))).toEqual([changed]);
  await rm(directory, { recursive: true });
});
