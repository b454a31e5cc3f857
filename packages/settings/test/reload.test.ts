import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { loadSettings, type ReloadEvent, SettingsReloader } from '@quire/settings';
import { expect, test } from 'vitest';

const MB = 1024 * 1024;
const quotaKey = 'engine.broker.pagination.file.maxStoragePerBrokerMB';
const portKey = 'engine.broker.client.queryPort';

/** A settings file in a watched directory of its own; events arrive one by one. */
class Watched implements AsyncDisposable {
  readonly directory: string;
  readonly path: string;
  readonly reloader: SettingsReloader;
  readonly #events: ReloadEvent[];
  readonly #waiting: ((event: ReloadEvent) => void)[];

  private constructor(
    directory: string,
    path: string,
    reloader: SettingsReloader,
    events: ReloadEvent[],
    waiting: ((event: ReloadEvent) => void)[],
  ) {
    this.directory = directory;
    this.path = path;
    this.reloader = reloader;
    this.#events = events;
    this.#waiting = waiting;
  }

  static async open(prepare: (directory: string) => Promise<string>): Promise<Watched> {
    const directory = await mkdtemp(join(tmpdir(), 'quire-reload-'));
    const path = await prepare(directory);
    const request = { path, environment: {}, overrides: [], workingDir: directory };
    const outcome = await loadSettings(request);
    if (!outcome.ok) throw new Error('The first settings must be right.');
    const events: ReloadEvent[] = [];
    const waiting: ((event: ReloadEvent) => void)[] = [];
    const onEvent = (event: ReloadEvent): void => {
      const next = waiting.shift();
      if (next === undefined) events.push(event);
      else next(event);
    };
    const { settings } = outcome;
    const reloader = await SettingsReloader.open({
      request,
      settings,
      clock: systemClock,
      onEvent,
      settleMs: 50,
    });
    return new Watched(directory, path, reloader, events, waiting);
  }

  next(): Promise<ReloadEvent> {
    const event = this.#events.shift();
    return event === undefined
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve(event);
  }

  /**
   * Replaces the file that is watched by another one: one that is written in place is empty
   * for a moment, in which it may be read.
   */
  async replace(text: string): Promise<void> {
    await writeFile(`${this.path}.swp`, text);
    await rename(`${this.path}.swp`, this.path);
  }

  get unheardCount(): number {
    return this.#events.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reloader[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function plainFile(directory: string): Promise<string> {
  await writeFile(join(directory, 'q.properties'), `${quotaKey} = 10\n`);
  return join(directory, 'q.properties');
}

const applied = { kind: 'applied', changed: [quotaKey], awaitingRestart: [] };

test('an editor that saves in place is followed', async () => {
  await using watched = await Watched.open(plainFile);
  await writeFile(watched.path, `${quotaKey} = 20\n`);
  let event = await watched.next();
  // On a busy machine it may be read where it is still empty.
  if (event.kind === 'refused') event = await watched.next();
  expect(event).toMatchObject(applied);
  expect(watched.reloader.settings.cleaner.quotaBytes).toBe(20 * MB);
});

test('a file that is renamed over the old one is followed, again and again', async () => {
  await using watched = await Watched.open(plainFile);
  for (const megabytes of [20, 30, 40]) {
    await watched.replace(`${quotaKey} = ${megabytes}\n`);
    expect(await watched.next()).toMatchObject(applied);
    expect(watched.reloader.settings.cleaner.quotaBytes).toBe(megabytes * MB);
  }
});

test('a symbolic link that is swapped, as Kubernetes does, is followed, again and again', async () => {
  const write = async (directory: string, version: string, megabytes: number): Promise<void> => {
    await mkdir(join(directory, version));
    await writeFile(join(directory, version, 'q.properties'), `${quotaKey} = ${megabytes}\n`);
    await symlink(version, join(directory, '..data_tmp'));
    await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  };
  await using watched = await Watched.open(async (directory) => {
    await write(directory, '..v1', 10);
    await symlink(join('..data', 'q.properties'), join(directory, 'q.properties'));
    return join(directory, 'q.properties');
  });
  for (const version of [2, 3, 4]) {
    await write(watched.directory, `..v${version}`, version * 10);
    expect(await watched.next()).toMatchObject(applied);
    expect(watched.reloader.settings.cleaner.quotaBytes).toBe(version * 10 * MB);
    await rm(join(watched.directory, `..v${version - 1}`), { recursive: true });
  }
});

test('a half-written file is refused with every problem in it, said once, and the rest of it is applied', async () => {
  await using watched = await Watched.open(plainFile);
  const before = watched.reloader.settings;
  await watched.replace(`${quotaKey} = 2x\nengine.broker.pagination.file.targetStor`);
  const refused = await watched.next();
  expect(refused).toMatchObject({
    kind: 'refused',
    problems: [expect.anything(), expect.anything()],
  });
  expect(watched.reloader.settings).toBe(before);
  expect(watched.reloader.problems).toHaveLength(2);
  await watched.replace(`${quotaKey} = 20\n`);
  expect(await watched.next()).toMatchObject(applied);
  expect(watched.reloader.problems).toEqual([]);
});

test('a file that is deleted leaves the last good settings, and its return is noticed even when it says the same', async () => {
  await using watched = await Watched.open(plainFile);
  await rm(watched.path);
  expect(await watched.next()).toMatchObject({
    kind: 'refused',
    problems: [{ message: `The settings file ${watched.path} cannot be read (ENOENT).` }],
  });
  expect(watched.reloader.settings.cleaner.quotaBytes).toBe(10 * MB);
  await watched.replace(`${quotaKey} = 10\n`);
  expect(await watched.next()).toMatchObject({ kind: 'applied', changed: [], awaitingRestart: [] });
  expect(watched.reloader.problems).toEqual([]);
});

test('a path that was a directory for a moment is followed again, and again after that', async () => {
  await using watched = await Watched.open(plainFile);
  await mkdir(join(watched.directory, 'folder'));
  await rm(watched.path);
  await rename(join(watched.directory, 'folder'), watched.path);
  expect(await watched.next()).toMatchObject({ kind: 'refused' });
  await rm(watched.path, { recursive: true });
  for (const megabytes of [20, 30]) {
    await watched.replace(`${quotaKey} = ${megabytes}\n`);
    let event = await watched.next();
    while (event.kind === 'refused') event = await watched.next();
    expect(event).toMatchObject(applied);
    expect(watched.reloader.settings.cleaner.quotaBytes).toBe(megabytes * MB);
  }
});

test('a file that is emptied leaves the last good settings, and is a problem', async () => {
  await using watched = await Watched.open(plainFile);
  await watched.replace('\n');
  expect(await watched.next()).toMatchObject({
    kind: 'refused',
    problems: [{ message: `The settings file ${watched.path} is empty.` }],
  });
  expect(watched.reloader.settings.cleaner.quotaBytes).toBe(10 * MB);
});

test('a setting that needs a restart is named and keeps its value, while live ones beside it change', async () => {
  await using watched = await Watched.open(plainFile);
  await watched.replace(`${quotaKey} = 20\n${portKey} = 1234\nengine.table.t.path = /t.csv\n`);
  expect(await watched.next()).toMatchObject({
    kind: 'applied',
    changed: [quotaKey],
    awaitingRestart: [portKey, 'tables'],
  });
  const { settings } = watched.reloader;
  expect(settings.cleaner.quotaBytes).toBe(20 * MB);
  expect(settings.server.brokerPort).toBe(8099);
  expect(settings.tables).toEqual([]);
  expect([settings, settings.cleaner, settings.server].every((each) => Object.isFrozen(each))).toBe(
    true,
  );
});

test('a touch, other files, and the same bad file again are not news', async () => {
  await using watched = await Watched.open(plainFile);
  await watched.replace(`${quotaKey} = 10\n`);
  await writeFile(join(watched.directory, 'other.properties'), 'nonsense');
  await watched.replace('nonsense');
  expect(await watched.next()).toMatchObject({ kind: 'refused' });
  await writeFile(join(watched.directory, 'other.properties'), 'more nonsense');
  await watched.replace('nonsense');
  await watched.replace(`${quotaKey} = 30\n`);
  expect(await watched.next()).toMatchObject(applied);
  expect(watched.unheardCount).toBe(0);
});

test('thresholds that do not go together are refused as a whole', async () => {
  await using watched = await Watched.open(plainFile);
  await watched.replace(
    `${quotaKey} = 20\nengine.broker.pagination.file.criticalStorageThresholdPercent = 50\n`,
  );
  expect(await watched.next()).toMatchObject({ kind: 'refused' });
  expect(watched.reloader.settings.cleaner).toMatchObject({
    quotaBytes: 10 * MB,
    criticalPercent: 90,
  });
});
