import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isErrno } from '@quire/core/process';
import { absenceErrnos } from './errors.ts';
import type { FileSystem } from './file-system.ts';

/** The directory that holds a store's objects, each at the path that its key spells. */
export class RootDirectory {
  /** Absolute, and free of symbolic links. */
  readonly path: string;
  /**
   * Where objects are written before they move to their place. Keys have no segment that starts
   * with a dot: none leads here.
   */
  readonly stagingPath: string;
  readonly location: string;
  readonly #fileSystem: FileSystem;

  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.path = path;
    this.stagingPath = join(path, '.staging');
    this.location = pathToFileURL(path).href;
  }

  /** Where the object of a key is; `key` was checked. */
  pathOf(key: string): string {
    return join(this.path, key);
  }

  /**
   * Tells whether a directory is where its path says: a symbolic link on the way could lead
   * anywhere.
   */
  async isContained(directory: string): Promise<boolean> {
    return (await this.#fileSystem.realPath(directory)) === directory;
  }

  /**
   * Removes `directory` and those above it while they are empty; the root stays. Never fails: an
   * empty directory harms nobody.
   */
  async removeEmpty(directory: string): Promise<void> {
    for (let path = directory; path !== this.path; path = dirname(path)) {
      try {
        await this.#fileSystem.removeDirectory(path);
      } catch (error) {
        // Somebody else removed it: those above may still be ours to remove. Anything else,
        // ENOTEMPTY mostly, ends it.
        if (!isErrno(error, ...absenceErrnos)) return;
      }
    }
  }
}

/** Makes a directory; whatever already has that name stays. */
export async function makeDirectoryUnlessThere(
  fileSystem: FileSystem,
  path: string,
): Promise<void> {
  try {
    await fileSystem.makeDirectory(path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}
