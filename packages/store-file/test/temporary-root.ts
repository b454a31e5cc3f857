import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate directory for one test. */
export interface TemporaryRoot extends AsyncDisposable {
  readonly path: string;
  /**
   * Returns all paths in it, sorted, directories with a slash at the end, without the staging
   * directory itself.
   */
  tree(): Promise<string[]>;
}

export async function createTemporaryRoot(): Promise<TemporaryRoot> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'quire-store-file-')));
  return {
    path,
    async tree() {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .map(
          (entry) =>
            join(entry.parentPath, entry.name).slice(path.length + 1) +
            (entry.isDirectory() ? '/' : ''),
        )
        .filter((name) => name !== '.staging/')
        .toSorted();
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
