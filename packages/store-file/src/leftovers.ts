import { join } from 'node:path';
import { type CallOptions, type ObjectEntry, throwIfAborted } from '@quire/core';
import { absenceErrnos, type FailedCall, isErrno, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/** The names that staged files have; whatever else lies in the staging directory is not ours to touch. */
const stagedNamePattern = /^[0-9a-f]{24}$/;

/** The staged files of a root: of writes under way, in any process, and of writers that died. */
export class StagedLeftovers {
  readonly #fileSystem: FileSystem;
  readonly #root: RootDirectory;

  constructor(fileSystem: FileSystem, root: RootDirectory) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  /** Every staged file by its name. One whose size or time changes between two looks has a writer that lives. */
  async *list(options?: CallOptions): AsyncGenerator<ObjectEntry> {
    const call: FailedCall = { op: 'list', key: '.staging/', location: this.#root.location };
    const names = await translated(call, () => this.#unlessAbsent(() => this.#fileSystem.readDirectory(this.#root.stagingPath)));
    for (const name of names?.toSorted() ?? []) {
      throwIfAborted(options?.signal);
      if (!stagedNamePattern.test(name)) continue;
      const status = await translated(call, () => this.#unlessAbsent(() => this.#fileSystem.status(this.#pathOf(name))));
      if (status?.kind !== 'file') continue;
      yield { key: name, sizeBytes: status.sizeBytes, lastModifiedMs: status.lastModifiedMs };
    }
  }

  /** Removes a staged file; its writer, if it lived, would fail with STORE_UNAVAILABLE. Resolves just as well when it is gone. */
  async remove(name: string, options?: CallOptions): Promise<void> {
    if (!stagedNamePattern.test(name)) return;
    throwIfAborted(options?.signal);
    const call: FailedCall = { op: 'delete', key: `.staging/${name}`, location: this.#root.location };
    await translated(call, () => this.#unlessAbsent(() => this.#fileSystem.unlink(this.#pathOf(name))));
  }

  #pathOf(name: string): string {
    return join(this.#root.stagingPath, name);
  }

  async #unlessAbsent<T>(look: () => Promise<T>): Promise<T | undefined> {
    try {
      return await look();
    } catch (error) {
      if (isErrno(error, ...absenceErrnos)) return undefined;
      throw error;
    }
  }
}
