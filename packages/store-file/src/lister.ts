import type { ListOptions, ObjectEntry } from '@quire/core';
import { throwIfAborted } from '@quire/core';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';
import type { BulkThread } from './bulk-thread.ts';
import { type Found, OpenDirectory, OpenInBulk } from './open-directory.ts';
import { TreeWalk } from './tree-walk.ts';

/**
 * Yields the objects of a prefix in key order, depth first, and reads nothing that the prefix or
 * `after` excludes.
 *
 * Memory: the names in the directories on the path from the root to the current one, and a few
 * look-ups ahead. Entries that are not objects are skipped: names that are not keys, symbolic
 * links, and files that are deleted during the walk.
 *
 * @param assertOpen throws if the store is closed
 */
export async function* listObjects(
  fileSystem: FileSystem,
  root: RootDirectory,
  prefix: string,
  options: ListOptions,
  threads: readonly BulkThread[],
  assertOpen: () => void,
): AsyncGenerator<ObjectEntry> {
  const assertWanted = (): void => {
    assertOpen();
    throwIfAborted(options.signal);
  };
  assertWanted();
  const walk = new TreeWalk(fileSystem, root, prefix, options, threads);
  try {
    const start = await walk.openStart();
    const path: { next(): Promise<Found> | undefined }[] = start === undefined ? [] : [start];
    for (let directory = path.at(-1); directory !== undefined; directory = path.at(-1)) {
      const next = directory.next();
      if (next === undefined) {
        path.pop();
        continue;
      }
      const found = await next;
      assertWanted();
      if (found === undefined) continue;
      if (found instanceof OpenDirectory || found instanceof OpenInBulk) path.push(found);
      else if ('key' in found) yield found;
      else {
        for (const entry of found) {
          assertWanted();
          yield entry;
        }
      }
    }
    assertWanted();
  } finally {
    await walk.stop();
  }
}
