import { basename, dirname } from 'node:path';
import { type CallOptions, throwIfAborted } from '@quire/core';
import { type BulkThread, threadNumberOf } from './bulk-thread.ts';
import { type FailedCall, translated } from './errors.ts';
import type { RootDirectory } from './root-directory.ts';

/** The number of directories checked in one pass while deletions continue. */
const passCount = 128;

/**
 * Deletes objects by the thousand, in threads. Directories that may become empty are removed in
 * separate passes: otherwise each object would try without success to remove a directory that
 * contains another object, and the shared parent directory.
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

  /** True if there are threads that have not failed. */
  get isUsable(): boolean {
    return this.#threads.length > 0 && this.#threads.every(({ isBroken }) => !isBroken);
  }

  /** Deletes an object as `deleteObject` does, without its directories. */
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

  /** Deletes a folder as the port's `deleteFolder` does. */
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
   * Removes empty directories, after the last of many objects was deleted. Never fails: an empty
   * directory is harmless.
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
