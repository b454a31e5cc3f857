import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isErrno } from '@quire/core/process';
import { absenceErrnos } from './errors.ts';
import type { FileSystem } from './file-system.ts';

/** The directory of a store's objects, each at the path given by its key. */
export class RootDirectory {
  /** The absolute path, without symbolic links. */
  readonly path: string;
  /**
   * The directory in which objects are written before they are renamed. It starts with a dot, which
   * no segment of a key does.
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

  /** Returns the path of an object; `key` must have been checked. */
  pathOf(key: string): string {
    return join(this.path, key);
  }

  /** Reports whether a directory's path is free of symbolic links, which could point anywhere. */
  async isContained(directory: string): Promise<boolean> {
    return (await this.#fileSystem.realPath(directory)) === directory;
  }

  /**
   * Removes `directory` and its parents while they are empty; the root stays. Never fails: an empty
   * directory is harmless.
   */
  async removeEmpty(directory: string): Promise<void> {
    for (let path = directory; path !== this.path; path = dirname(path)) {
      try {
        await this.#fileSystem.removeDirectory(path);
      } catch (error) {
        // Another process removed it: its parents may still be empty. Any other error, mostly
        // ENOTEMPTY, ends the loop.
        if (!isErrno(error, ...absenceErrnos)) return;
      }
    }
  }
}

/** Creates a directory unless the name exists. */
export async function makeDirectoryIfMissing(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.makeDirectory(path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}
