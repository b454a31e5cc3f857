import { join } from 'node:path';
import { type CallOptions, type Leftover, type StoreLeftovers, throwIfAborted } from '@quire/core';
import { isErrno, pidOfTag, stateOfOwner, type OwnerState } from '@quire/core/process';
import { absenceErrnos, type FailedCall, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/**
 * The names of staged files, with the tag of the process that writes them; other files in the
 * staging directory are never touched.
 */
const stagedNamePattern = /^[0-9a-f]{24}(?:\.([0-9a-f-]+))?$/;

/** Returns the state of the process that writes the staged file of that name. */
export function ownerOfStaged(name: string): OwnerState {
  const tag = stagedNamePattern.exec(name)?.[1];
  return tag === undefined ? 'unknown' : stateOfOwner(tag);
}

/** The staged files of a root: of unfinished writes in any process, and of dead writers. */
export class StagedLeftovers implements StoreLeftovers {
  readonly #fileSystem: FileSystem;
  readonly #root: RootDirectory;

  constructor(fileSystem: FileSystem, root: RootDirectory) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  /**
   * Yields every staged file by its name. One whose size or time changes between two listings has a
   * live writer on some machine: a write with a slow source touches its file every ten seconds.
   */
  async *list(options?: CallOptions): AsyncGenerator<Leftover> {
    const call: FailedCall = { op: 'list', key: '.staging/', location: this.#root.location };
    const names = await translated(call, () =>
      this.#unlessAbsent(() => this.#fileSystem.readDirectory(this.#root.stagingPath)),
    );
    for (const name of names?.toSorted() ?? []) {
      throwIfAborted(options?.signal);
      if (!stagedNamePattern.test(name)) continue;
      const status = await translated(call, () =>
        this.#unlessAbsent(() => this.#fileSystem.status(this.#pathOf(name))),
      );
      if (status?.kind !== 'file') continue;
      const { sizeBytes, lastModifiedMs } = status;
      yield { key: name, sizeBytes, lastModifiedMs, owner: ownerOfStaged(name) };
    }
  }

  /**
   * Removes immediately the leftovers of ended processes, or of the one with a process id, for a
   * caller that has just seen it die. Resolves to the number of bytes removed.
   */
  async removeDead({ pid, signal }: CallOptions & { readonly pid?: number } = {}): Promise<number> {
    let freedBytes = 0;
    for await (const { key, sizeBytes, owner } of this.list({ signal })) {
      const tag = stagedNamePattern.exec(key)?.[1];
      if (owner !== 'dead' || (pid !== undefined && (tag === undefined || pidOfTag(tag) !== pid))) {
        continue;
      }
      await this.remove(key, { signal });
      freedBytes += sizeBytes;
    }
    return freedBytes;
  }

  /** Removes the staged files of a process that has just died, whatever it wrote. */
  async removeOfDeadWriter(
    { pid }: { readonly pid: number },
    options?: CallOptions,
  ): Promise<void> {
    await this.removeDead({ ...options, pid });
  }

  /**
   * Removes a staged file; if its writer is alive, it fails with STORE_UNAVAILABLE. Resolves even
   * if the file does not exist.
   */
  async remove(name: string, options?: CallOptions): Promise<void> {
    if (!stagedNamePattern.test(name)) return;
    throwIfAborted(options?.signal);
    const call: FailedCall = {
      op: 'delete',
      key: `.staging/${name}`,
      location: this.#root.location,
    };
    await translated(call, () =>
      this.#unlessAbsent(() => this.#fileSystem.unlink(this.#pathOf(name))),
    );
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
