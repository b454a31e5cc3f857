import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type { RememberedDirectories, SeenDirectory } from './remembered-directories.ts';

/** Many small calls to the operating system, as one job for another thread. Paths are absolute. */
export type BulkTask =
  | LookTask
  | { readonly kind: 'delete'; readonly path: string }
  | DeleteFolderTask
  /**
   * Removes directories that are empty, and those above them that this leaves empty; the root
   * stays.
   */
  | { readonly kind: 'removeEmpty'; readonly root: string; readonly paths: readonly string[] };

/** To look into directories that lie in one. */
export interface LookTask {
  readonly kind: 'look';
  readonly directory: string;
  /** With a slash in between: one text goes to another thread in a fraction of the time of many. */
  readonly names: string;
  /** Only where the paths lead, without symbolic links on the way. */
  readonly isChecking: boolean;
  /** By the clock that files are dated by; taken before. */
  readonly nowMs: number;
}

/**
 * To delete a file and, if nothing else is in its directory but certain others, these and the
 * directory.
 */
export interface DeleteFolderTask {
  readonly kind: 'deleteFolder';
  readonly directory: string;
  /** With a slash in between. */
  readonly names: string;
}

/** What a job has found; of one that deletes a folder, whether it is gone. */
export type BulkOutcome = DirectoryContents | boolean | undefined;

/** What is in directories: the files of all of them one after the other. */
export interface DirectoryContents {
  /**
   * Of each directory, how many files; 0 also when it is gone; -1 when somebody must look closer:
   * it has directories, or cannot be read.
   */
  readonly fileCounts: Int32Array;
  readonly names: readonly string[];
  readonly sizesBytes: Float64Array;
  readonly lastModifiedMs: Float64Array;
}

/**
 * Runs one job to its end, without a pause: not for a thread that others wait for. @throws Node's
 * errno errors, of deletions
 */
export function runBulkTask(
  task: BulkTask,
  remembered: RememberedDirectories,
  places = new Places(),
): BulkOutcome {
  if (task.kind === 'look') return lookInto(task, remembered, places);
  if (task.kind === 'deleteFolder') return deleteFolder(task, remembered, places);
  if (task.kind === 'delete') deleteFile(task.path, places);
  else removeEmpty(task, remembered, places);
  return undefined;
}

function lookInto(
  { directory, names: joined, isChecking, nowMs }: LookTask,
  remembered: RememberedDirectories,
  places: Places,
): DirectoryContents {
  const paths = joined === '' ? [] : joined.split('/').map((name) => `${directory}/${name}`);
  const fileCounts = new Int32Array(paths.length);
  const names: string[] = [];
  const numbers: number[] = [];
  for (const [index, path] of paths.entries()) {
    // One that is asked for by itself is being changed: it is not worth remembering.
    const seen = isChecking
      ? places.isDirectory(path)
        ? lookIntoOne(path)
        : undefined
      : lookAgain(path, remembered, nowMs);
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
 * Tells whether directories are where their paths say; of those above, which many jobs of one
 * message share, only once.
 */
export class Places {
  readonly #areContained = new Map<string, boolean>();

  /** Whether there is a directory at a path, with no symbolic link on the way or at its end. */
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

/** As `lookIntoOne`; reads only what may have changed since the last time. */
function lookAgain(
  path: string,
  remembered: RememberedDirectories,
  nowMs: number,
): SeenDirectory | undefined {
  try {
    const status = fs.lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return nothing;
    if (!status.isDirectory()) return undefined;
    const known = remembered.find(path, status);
    if (known !== undefined) return known;
    const seen = lookIntoOne(path);
    if (seen !== undefined) remembered.add(path, status, seen, nowMs);
    return seen;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const nothing: SeenDirectory = { names: [], numbers: [] };

/** The files of a directory, none when it is gone; undefined when somebody must look closer. */
function lookIntoOne(path: string): SeenDirectory | undefined {
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

/** As `deleteObject` of `deleter.ts`, which says why, but for the directories. */
function deleteFile(path: string, places: Places): void {
  try {
    if (places.isDirectory(dirname(path))) fs.unlinkSync(path);
  } catch (error) {
    const isDirectory =
      isErrno(error, 'EISDIR') || (isErrno(error, 'EPERM') && fs.lstatSync(path).isDirectory());
    if (!isDirectory && !isErrno(error, ...absenceErrnos)) throw error;
  }
}

/**
 * Whether all is gone. The one file first: who replaces it at the same time puts another one there
 * before, and then sees that this one is gone.
 */
function deleteFolder(
  { directory, names }: DeleteFolderTask,
  remembered: RememberedDirectories,
  places: Places,
): boolean {
  const [first, ...others] = names.split('/');
  remembered.forget(directory);
  if (!places.isDirectory(directory)) return false;
  try {
    fs.unlinkSync(`${directory}/${first}`);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) return false;
  }
  if (!fs.readdirSync(directory).every((name) => others.includes(name))) return false;
  for (const name of others) deleteFile(`${directory}/${name}`, places);
  isGone(directory);
  return true;
}

/**
 * One level after the other, so that a directory above many is tried once. The system does not take
 * a symbolic link at the end of a path for a directory; one on the way could lead anywhere.
 */
function removeEmpty(
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
  remembered: RememberedDirectories,
  places: Places,
): void {
  for (let level = new Set(paths); level.size > 0;) {
    const above = new Set<string>();
    for (const path of level) {
      const parent = dirname(path);
      if (!path.startsWith(`${root}/`)) continue;
      if (places.isContained(parent) && isGone(path)) above.add(parent);
      remembered.forget(path);
    }
    level = above;
  }
}

/** Removes a directory if it is empty; tells whether there is none now. */
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
