import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { QuireError, type StoreBackend } from '@quire/core';
import { boolean, fileOrUri, setting } from '@quire/core/settings';

const settings = {
  isShared: setting({
    key: 'engine.broker.pagination.file.shared',
    kind: boolean,
    default: 'false',
    meaning:
      'Allows several brokers to store their results in that directory, on one machine or on a network file system. Each then serves the ' +
      'results of all, as brokers on one bucket do, and its answers name no broker.',
  }),
};

/** Stores results in a directory of this machine, or of a network file system. */
export const fileBackend: StoreBackend<typeof settings> = {
  name: 'file',
  storeType: 'fs',
  title: 'Results in files',
  locations: {
    schemes: ['file'],
    areDirectories: true,
    example: 'file:///directory',
    kind: fileOrUri,
  },
  settings,
  isRemote: false,
  signsLinks: false,
  isShared: ({ isShared }) => isShared,
  async open(root, _settings, { clock, random, mustExist = false }) {
    if (mustExist) await assertExists(root);
    // The store creates its root only in an existing directory; a server also creates the parent
    // directories.
    await mkdir(dirname(root), { recursive: true });
    const { FileObjectStore } = await import('./store.ts');
    return FileObjectStore.open({ root, clock, random });
  },
};

async function assertExists(root: string): Promise<void> {
  const status = await stat(root).catch(() => undefined);
  if (status !== undefined) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    "the directory does not exist. Use the brokers' directory, which a broker creates when it starts.",
  );
}
