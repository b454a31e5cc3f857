import { EventEmitter } from 'node:events';
import { ManualClock } from '@quire/core/testing';
import { expect, test, vi } from 'vitest';
import type { FileReading } from '../src/load-settings.ts';
import { loadSettings, type ReloadEvent, SettingsReloader } from '../src/index.ts';

let watcher: EventEmitter;
/** The readings of the file, in the order in which they start. */
let readings: (() => Promise<FileReading>)[] = [];

vi.mock(import('chokidar'), async (original) => ({
  ...(await original()),
  watch: (() => {
    watcher = Object.assign(new EventEmitter(), { close: async () => undefined });
    queueMicrotask(() => watcher.emit('ready'));
    return watcher;
  }) as never,
}));

vi.mock(import('../src/load-settings.ts'), async (original) => ({
  ...(await original()),
  readSettingsFile: async () => (await readings.shift()?.()) ?? { text: '' },
}));

const key = 'engine.broker.query.timeout';
const request = { path: 'a.properties', environment: {}, overrides: [], workingDir: '/' };

test('a settings file that changes while its first reading is slow stays as it was changed', async () => {
  const isReading = Promise.withResolvers<void>();
  const first = Promise.withResolvers<FileReading>();
  readings = [
    () => {
      isReading.resolve();
      return first.promise;
    },
    async () => ({ text: `${key}=2s\n` }),
  ];
  const outcome = await loadSettings({ ...request, path: undefined });
  if (!outcome.ok) throw new Error('The first settings must be valid.');
  const clock = new ManualClock();
  const changed = Promise.withResolvers<void>();
  const onEvent = (event: ReloadEvent): void => {
    if (event.kind === 'applied' && event.settings.query.timeoutMs === 2000) changed.resolve();
  };
  const opening = SettingsReloader.open({ request, settings: outcome.settings, clock, onEvent });
  await isReading.promise;
  watcher.emit('all');
  await clock.advance(200);
  first.resolve({ text: `${key}=1s\n` });
  await using reloader = await opening;
  await changed.promise;
  expect(reloader.settings.query.timeoutMs).toBe(2000);
});
