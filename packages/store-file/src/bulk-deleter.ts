import { basename, dirname } from 'node:path';
import { type CallOptions, throwIfAborted } from '@quire/core';
import { type BulkThread, threadNumberOf } from './bulk-thread.ts';
import { type FailedCall, translated } from './errors.ts';
import type { RootDirectory } from './root-directory.ts';

/** Directories that are looked at in one pass, while deletions go on. */
const passCount = 128;

/**
 * Deletes objects by the thousand, in threads. The directories that this may leave empty are left
 * to passes of their own: an object whose directory has another one would try to remove it without
 * success, and the directory above, of all results, would be tried for each of them.
 */
export class BulkDeleter {
  readonly #root: RootDirectory;
  readonly #threads: readonly BulkThread[];
  readonly #left = new Map<BulkThread, Set<string>>();
  readonly #passes = new Set<Promise<void>>();

  constructor(root: RootDirectory, threads: readonly BulkThread[]) {
    this.#root = root;
    this.#threads = threads;
  }

  /** Whether there are threads; those that have ended by themselves are better not asked again. */
  get isUsable(): boolean {
    return this.#threads.length > 0 && this.#threads.every(({ isBroken }) => !isBroken);
  }

  /** As `deleteObject`, but for the directories. */
  async delete(key: string, options: CallOptions | undefined): Promise<void> {
    const call: FailedCall = { op: 'delete', key, location: this.#root.location };
    const path = this.#root.pathOf(key);
    const directory = dirname(path);
    const thread = this.#threads[threadNumberOf(directory, this.#threads.length)];
    await translated(call, async () =>
      thread?.delete(path, () => options?.signal?.aborted !== true),
    );
    if (thread !== undefined) this.#leave(thread, directory);
    throwIfAborted(options?.signal);
  }

  /** As the port's `deleteFolder`. */
  async deleteFolder(
    keys: readonly [string, ...string[]],
    options: CallOptions | undefined,
  ): Promise<boolean> {
    const call: FailedCall = { op: 'delete', key: keys[0], location: this.#root.location };
    const directory = dirname(this.#root.pathOf(keys[0]));
    const names = keys.map((key) => basename(key));
    const isOneFolder = keys.every((key) => dirname(this.#root.pathOf(key)) === directory);
    const thread = this.#threads[threadNumberOf(directory, this.#threads.length)];
    if (thread === undefined || !isOneFolder || directory === this.#root.path) return false;
    const isWanted = (): boolean => options?.signal?.aborted !== true;
    const isDone = await translated(call, () => thread.deleteFolder(directory, names, isWanted));
    if (isDone) this.#leave(thread, dirname(directory));
    else throwIfAborted(options?.signal);
    return isDone;
  }

  /**
   * Removes what was left, for the call that deletes the last object of many. Never fails: an empty
   * directory harms nobody.
   */
  async removeEmpty(): Promise<void> {
    for (const thread of this.#left.keys()) this.#begin(thread);
    while (this.#passes.size > 0) await Promise.all(this.#passes);
  }

  #leave(thread: BulkThread, directory: string): void {
    const left = this.#left.get(thread) ?? new Set();
    this.#left.set(thread, left.add(directory));
    if (left.size >= passCount) this.#begin(thread);
  }

  #begin(thread: BulkThread): void {
    const left = this.#left.get(thread);
    this.#left.delete(thread);
    if (left === undefined || thread.isBroken) return;
    const end = (): void => void this.#passes.delete(pass);
    const pass: Promise<void> = thread.removeEmpty(this.#root.path, [...left]).then(end, end);
    this.#passes.add(pass);
  }
}
