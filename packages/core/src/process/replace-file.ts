import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Random } from '../random.ts';
import { isErrno, isMissingFile } from './system-error.ts';

/** The name prefix of files that are being written and will be renamed. */
export const stagedPrefix = '.staged-';

/** The absolute paths of the staged files that this process is writing. */
const stagedHere = new Set<string>();

/**
 * Reports whether this process is writing a staged file and will rename it, however long its disk
 * takes. Any other staged file was left by a process that died.
 */
export function isBeingStaged(path: string): boolean {
  return stagedHere.has(resolve(path));
}

/**
 * Replaces or creates a small file atomically and durably: readers see the old text or the new one,
 * and so does a restart after a crash.
 */
export async function replaceFile(path: string, text: string, random: Random): Promise<void> {
  await whileStaged(path, random, async (staged) => {
    await stage(staged, text);
    try {
      await rename(staged, path);
    } catch (error) {
      await discard(staged);
      throw error;
    }
  });
  await syncDirectory(dirname(path));
}

/**
 * Creates a small file atomically and durably. Resolves to false, and changes nothing, if the file
 * exists.
 */
export async function createFile(path: string, text: string, random: Random): Promise<boolean> {
  const isCreated = await whileStaged(path, random, async (staged) => {
    await stage(staged, text);
    try {
      await link(staged, path);
      return true;
    } catch (error) {
      if (isErrno(error, 'EEXIST')) return false;
      throw error;
    } finally {
      await discard(staged);
    }
  });
  if (isCreated) await syncDirectory(dirname(path));
  return isCreated;
}

/** Removes a file durably. Resolves to false if it does not exist. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
  await syncDirectory(dirname(path));
  return true;
}

/**
 * Moves a file or a directory within the file system durably and without copying. Resolves to false
 * if it does not exist.
 */
export async function movePath(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
  // The new name is synced first: a crash before the second sync leaves two names rather than none.
  for (const path of new Set([dirname(to), dirname(from)])) await syncDirectory(path);
  return true;
}

/**
 * Creates a directory and its missing parents durably. An existing directory is synced as well,
 * because the process that created it may have crashed before its sync.
 */
export async function makeDirectory(path: string): Promise<void> {
  const created = await makeMissing(path);
  const first = dirname(created ?? path);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    try {
      await syncDirectory(parent);
    } catch (error) {
      // A directory that this user cannot read must already be durable.
      if (!isErrno(error, 'EACCES', 'EPERM')) throw error;
    }
    if (parent === first || parent === dirname(parent)) return;
  }
}

/** Returns the first directory that was created, if any. */
async function makeMissing(path: string): Promise<string | undefined> {
  const mode = 0o750;
  try {
    return await mkdir(path, { recursive: true, mode });
  } catch (error) {
    // With `recursive`, Node gives this reason also for others, such as EROFS and EDQUOT.
    if (!isErrno(error, 'ENOENT')) throw error;
    await mkdir(path, { mode });
    return path;
  }
}

/** Syncs the names in a directory. Windows cannot: see `assertDurableFiles`. */
async function syncDirectory(path: string): Promise<void> {
  if (platform() === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Runs a write of a file by way of a new name beside it, which counts as being staged until the
 * end.
 */
async function whileStaged<T>(
  path: string,
  random: Random,
  write: (staged: string) => Promise<T>,
): Promise<T> {
  const name = `${stagedPrefix}${Buffer.from(random.bytes(8)).toString('hex')}`;
  const staged = resolve(dirname(path), name);
  stagedHere.add(staged);
  try {
    return await write(staged);
  } finally {
    stagedHere.delete(staged);
  }
}

/**
 * Writes a file that will be renamed. A partly written file is deleted; on a full disk, each
 * attempt would leave one.
 */
async function stage(staged: string, text: string): Promise<void> {
  const file = await open(staged, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await discard(staged);
    throw error;
  } finally {
    await file.close();
  }
}

/** Removes a staged file. If that fails, the outcome of its write is still the one to report. */
async function discard(staged: string): Promise<void> {
  await unlink(staged).catch(() => undefined);
}
