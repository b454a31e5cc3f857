import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type { DirectoryCache, CachedDirectory } from './directory-cache.ts';

/** Many small operating system calls as one job for another thread. Paths are absolute. */
export type BulkTask =
  | ListTask
  | { readonly kind: 'delete'; readonly path: string }
  | DeleteFolderTask
  /** Removes empty directories and their parents that become empty; the root stays. */
  | { readonly kind: 'removeEmpty'; readonly root: string; readonly paths: readonly string[] };

/** Lists directories within one. */
export interface ListTask {
  readonly kind: 'list';
  readonly directory: string;
  /**
   * The names separated by slashes: one text is transferred to another thread in a fraction of the
   * time of many.
   */
  readonly names: string;
  /** True to check that there are no symbolic links on the paths. */
  readonly isChecking: boolean;
  /** The current time of the file system's clock, taken before. */
  readonly nowMs: number;
}

/**
 * Deletes a file. If only files with certain names remain in its directory, deletes these and the
 * directory as well.
 */
export interface DeleteFolderTask {
  readonly kind: 'deleteFolder';
  readonly directory: string;
  /** The names separated by slashes. */
  readonly names: string;
}

/** The outcome of a job; for the deletion of a folder, whether all is deleted. */
export type BulkOutcome = DirectoryContents | boolean | undefined;

/** The content of directories: the files of all of them, concatenated. */
export interface DirectoryContents {
  /**
   * The number of files in each directory; 0 also if it does not exist; -1 if it needs a closer
   * check: it contains directories, or cannot be read.
   */
  readonly fileCounts: Int32Array;
  readonly names: readonly string[];
  readonly sizesBytes: Float64Array;
  readonly lastModifiedMs: Float64Array;
}

/**
 * Runs one job synchronously: only for a dedicated thread. @throws Node's errno errors, for
 * deletions
 */
export function runBulkTask(
  task: BulkTask,
  cache: DirectoryCache,
  checker = new PathChecker(),
): BulkOutcome {
  if (task.kind === 'list') return listDirectories(task, cache, checker);
  if (task.kind === 'deleteFolder') return deleteFolder(task, cache, checker);
  if (task.kind === 'delete') deleteFile(task.path, checker);
  else removeEmpty(task, cache, checker);
  return undefined;
}

function listDirectories(
  { directory, names: joined, isChecking, nowMs }: ListTask,
  cache: DirectoryCache,
  checker: PathChecker,
): DirectoryContents {
  const paths = joined === '' ? [] : joined.split('/').map((name) => `${directory}/${name}`);
  const fileCounts = new Int32Array(paths.length);
  const names: string[] = [];
  const numbers: number[] = [];
  for (const [index, path] of paths.entries()) {
    // A directory that is listed by itself is being changed: it is not worth caching.
    const seen = isChecking
      ? checker.isDirectory(path)
        ? readDirectory(path)
        : undefined
      : readChangedDirectory(path, cache, nowMs);
    fileCounts[index] = seen?.names.length ?? -1;
    if (seen === undefined) continue;
    names.push(...seen.names);
    numbers.push(...seen.numbers);
  }
  const sizesBytes = Float64Array.from(names, (_, index) => numbers[index * 2] ?? NaN);
  const lastModifiedMs = Float64Array.from(names, (_, index) => numbers[index * 2 + 1] ?? NaN);
  return { fileCounts, names, sizesBytes, lastModifiedMs };
}

/**
 * Checks that paths contain no symbolic links; parents that many jobs of one message share are
 * checked only once.
 */
export class PathChecker {
  readonly #areContained = new Map<string, boolean>();

  /** Reports whether a path is a directory without symbolic links on the path or at its end. */
  isDirectory(path: string): boolean {
    return (
      this.isContained(dirname(path)) &&
      fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    );
  }

  isContained(directory: string): boolean {
    let isContained = this.#areContained.get(directory);
    if (isContained === undefined) {
      this.#areContained.set(directory, (isContained = isWhereItSays(directory)));
    }
    return isContained;
  }
}

function isWhereItSays(path: string): boolean {
  try {
    return fs.realpathSync.native(path) === path;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/**
 * Lists a directory as `readDirectory` does; reads only what may have changed since the last time.
 */
function readChangedDirectory(
  path: string,
  cache: DirectoryCache,
  nowMs: number,
): CachedDirectory | undefined {
  try {
    const status = fs.lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return nothing;
    if (!status.isDirectory()) return undefined;
    const known = cache.find(path, status);
    if (known !== undefined) return known;
    const seen = readDirectory(path);
    if (seen !== undefined) cache.add(path, status, seen, nowMs);
    return seen;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const nothing: CachedDirectory = { names: [], numbers: [] };

/**
 * Returns the files of a directory, none if it does not exist; undefined if it needs a closer
 * check.
 */
function readDirectory(path: string): CachedDirectory | undefined {
  const names: string[] = [];
  const numbers: number[] = [];
  try {
    for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) return undefined;
      if (!entry.isFile()) continue;
      const stats = fs.lstatSync(`${path}/${entry.name}`, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) continue;
      names.push(entry.name);
      numbers.push(stats.size, Math.round(stats.mtimeMs));
    }
    return { names, numbers };
  } catch (error) {
    return isErrno(error, 'ENOENT') ? nothing : undefined;
  }
}

/**
 * Deletes a file, but not its directories, for the reasons that `deleteObject` in `deleter.ts`
 * gives.
 */
function deleteFile(path: string, checker: PathChecker): void {
  try {
    if (checker.isDirectory(dirname(path))) fs.unlinkSync(path);
  } catch (error) {
    const isDirectory =
      isErrno(error, 'EISDIR') || (isErrno(error, 'EPERM') && fs.lstatSync(path).isDirectory());
    if (!isDirectory && !isErrno(error, ...absenceErrnos)) throw error;
  }
}

/**
 * Deletes a folder and reports whether all is deleted. The commit file is first: a concurrent
 * writer that replaces it stores another one first, and then sees that this one is deleted.
 */
function deleteFolder(
  { directory, names }: DeleteFolderTask,
  cache: DirectoryCache,
  checker: PathChecker,
): boolean {
  const [first, ...others] = names.split('/');
  cache.forget(directory);
  if (!checker.isDirectory(directory)) return false;
  try {
    fs.unlinkSync(`${directory}/${first}`);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) return false;
  }
  if (!fs.readdirSync(directory).every((name) => others.includes(name))) return false;
  for (const name of others) deleteFile(`${directory}/${name}`, checker);
  isGone(directory);
  return true;
}

/**
 * Removes directories level by level, so that a shared parent is tried once. The system does not
 * accept a symbolic link at the end of a path as a directory; one earlier in the path could point
 * anywhere.
 */
function removeEmpty(
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
  cache: DirectoryCache,
  checker: PathChecker,
): void {
  for (let level = new Set(paths); level.size > 0;) {
    const above = new Set<string>();
    for (const path of level) {
      const parent = dirname(path);
      if (!path.startsWith(`${root}/`)) continue;
      if (checker.isContained(parent) && isGone(path)) above.add(parent);
      cache.forget(path);
    }
    level = above;
  }
}

/** Removes a directory if it is empty; returns true if it no longer exists. */
function isGone(path: string): boolean {
  try {
    fs.rmdirSync(path);
    return true;
  } catch (error) {
    return isErrno(error, ...absenceErrnos);
  }
}

/** As in `errors.ts`, which a thread cannot load without all of `@quire/core`. */
const absenceErrnos = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'] as const;

function isErrno(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && names.includes(String(error.code));
}
