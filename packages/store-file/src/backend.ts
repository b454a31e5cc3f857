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
      'Whether several brokers keep their results in that directory, on one machine or on a network file system. Each then serves the ' +
      'results of all, as brokers on one bucket do, and its answers name no broker.',
  }),
};

/** Results in a directory of this machine, or of a network file system. */
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
    // The store creates its root only in a directory that exists; a server creates what it is told
    // to use.
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
    'there is no such directory. Give the directory of the brokers; a broker creates it when it starts.',
  );
}
