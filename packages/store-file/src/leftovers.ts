import { join } from 'node:path';
import { type CallOptions, type Leftover, type StoreLeftovers, throwIfAborted } from '@quire/core';
import { isErrno, pidOfTag, stateOfOwner, type OwnerState } from '@quire/core/process';
import { absenceErrnos, type FailedCall, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/**
 * The names that staged files have, with the tag of the process that writes them; whatever else
 * lies in the staging directory is not ours to touch.
 */
const stagedNamePattern = /^[0-9a-f]{24}(?:\.([0-9a-f-]+))?$/;

/** The state of the process that writes the staged file of that name. */
export function ownerOfStaged(name: string): OwnerState {
  const tag = stagedNamePattern.exec(name)?.[1];
  return tag === undefined ? 'unknown' : stateOfOwner(tag);
}

/** The staged files of a root: of writes under way, in any process, and of writers that died. */
export class StagedLeftovers implements StoreLeftovers {
  readonly #fileSystem: FileSystem;
  readonly #root: RootDirectory;

  constructor(fileSystem: FileSystem, root: RootDirectory) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  /**
   * Every staged file by its name. One whose size or time changes between two looks has a writer
   * that lives, on whatever machine: a write whose source is slow touches its file every ten
   * seconds.
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
   * Removes what ended processes have left, at once; with a process id, of that one only. For a
   * caller that has just seen one die. Resolves to the bytes that went.
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
   * Removes a staged file; its writer, if it lived, would fail with STORE_UNAVAILABLE. Resolves
   * just as well when it is gone.
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
