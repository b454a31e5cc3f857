import * as fs from 'node:fs';
import { dirname } from 'node:path';

/** Many small calls to the operating system, as one job for another thread. Paths are absolute. */
export type BulkTask =
  /** `isChecking`: only where the path leads, without symbolic links on the way. */
  | { readonly kind: 'look'; readonly paths: readonly string[]; readonly isChecking: boolean }
  | { readonly kind: 'delete'; readonly root: string; readonly path: string };

/** What is in directories: the files of all of them one after the other. */
export interface DirectoryContents {
  /** Of each directory, how many files; 0 also when it is gone; -1 when somebody must look closer: it has directories, or cannot be read. */
  readonly fileCounts: Int32Array;
  readonly names: readonly string[];
  readonly sizesBytes: Float64Array;
  readonly lastModifiedMs: Float64Array;
}

/** Runs one job to its end, without a pause: not for a thread that others wait for. @throws Node's errno errors, of a `delete` */
export function runBulkTask(task: BulkTask): DirectoryContents | undefined {
  if (task.kind === 'look') return lookInto(task);
  deleteFile(task);
  return undefined;
}

function lookInto({ paths, isChecking }: { readonly paths: readonly string[]; readonly isChecking: boolean }): DirectoryContents {
  const fileCounts = new Int32Array(paths.length);
  const names: string[] = [];
  const numbers: number[] = [];
  for (const [index, path] of paths.entries()) {
    const start = names.length;
    if ((!isChecking || isWhereItSays(path)) && lookIntoOne(path, names, numbers)) {
      fileCounts[index] = names.length - start;
    } else {
      fileCounts[index] = -1;
      names.length = start;
      numbers.length = start * 2;
    }
  }
  const sizesBytes = Float64Array.from(names, (_, index) => numbers[index * 2] ?? NaN);
  const lastModifiedMs = Float64Array.from(names, (_, index) => numbers[index * 2 + 1] ?? NaN);
  return { fileCounts, names, sizesBytes, lastModifiedMs };
}

function isWhereItSays(path: string): boolean {
  try {
    return fs.realpathSync.native(path) === path;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

function lookIntoOne(path: string, names: string[], numbers: number[]): boolean {
  try {
    for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) return false;
      if (!entry.isFile()) continue;
      const stats = fs.lstatSync(`${path}/${entry.name}`, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) continue;
      names.push(entry.name);
      numbers.push(stats.size, Math.round(stats.mtimeMs));
    }
    return true;
  } catch (error) {
    return isErrno(error, 'ENOENT');
  }
}

/** As `deleteObject` of `deleter.ts`, which says why. */
function deleteFile({ root, path }: { readonly root: string; readonly path: string }): void {
  const directory = dirname(path);
  try {
    if (fs.realpathSync.native(directory) !== directory) return;
    fs.unlinkSync(path);
  } catch (error) {
    const isDirectory = isErrno(error, 'EISDIR') || (isErrno(error, 'EPERM') && fs.lstatSync(path).isDirectory());
    if (!isDirectory && !isErrno(error, ...absenceErrnos)) throw error;
  }
  for (let empty = directory; empty !== root; empty = dirname(empty)) {
    try {
      fs.rmdirSync(empty);
    } catch (error) {
      if (!isErrno(error, ...absenceErrnos)) return;
    }
  }
}

/** As in `errors.ts`, which a thread cannot load without all of `@quire/core`. */
const absenceErrnos = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'] as const;

function isErrno(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && names.includes(String(error.code));
}
