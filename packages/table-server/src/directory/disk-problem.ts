import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isQuireError, QuireError } from '@quire/core';
import { isErrno, isMissingFile } from '@quire/core/process';

/** The message for callers and operators when the disk of the tables is full. */
export const fullDiskText =
  'The disk of the tables (engine.tables.data.dir) is full: nothing can be loaded, created or consumed. ' +
  'Delete segments or tables, or give it more space. Deletions need no space, and free space within minutes.';

/** The message for callers and operators when the disk of the tables is read-only. */
const readOnlyDiskText =
  'The disk of the tables (engine.tables.data.dir) is read-only: nothing can be loaded, created, deleted or consumed. ' +
  'Queries continue. A system makes a disk read-only when it fails: see the log of its kernel.';

/** The message for callers and operators when the directory of the tables is missing. */
const missingDirectoryText =
  'The directory of the tables (engine.tables.data.dir) is missing: nothing can be loaded, created, deleted or consumed, ' +
  'and queries of its tables fail. Check whether its disk is mounted.';

/**
 * Returns the message if an error says that the disk of the tables takes no writes, including
 * errors from other processes.
 */
export function diskProblemOf(error: unknown): string | undefined {
  if (isErrno(error, 'ENOSPC', 'EDQUOT')) return fullDiskText;
  if (isErrno(error, 'EROFS')) return readOnlyDiskText;
  if (!isQuireError(error, 'STORE_FULL', 'STORE_UNAVAILABLE')) return undefined;
  const texts = [fullDiskText, readOnlyDiskText, missingDirectoryText];
  return texts.find((text) => text === error.message);
}

/**
 * Checks that the directory of a table server is there: where its disk is not mounted, there is
 * often an empty directory.
 *
 * @throws STORE_UNAVAILABLE when it is missing
 */
export async function assertDirectory(root: string): Promise<void> {
  try {
    await stat(join(root, 'tables'));
  } catch (cause) {
    if (!isMissingFile(cause)) throw cause;
    throw new QuireError('STORE_UNAVAILABLE', missingDirectoryText, { cause, isForCallers: true });
  }
}

/** Returns the error of `assertDirectory` if there is one, because it explains any other. */
export async function causeOf(error: unknown, root: string): Promise<unknown> {
  try {
    await assertDirectory(root);
    return error;
  } catch (missing) {
    return missing;
  }
}

/** Reports whether an error says that the disk of the tables is full, as `diskProblemOf`. */
export function isFull(error: unknown): boolean {
  return diskProblemOf(error) === fullDiskText;
}

/**
 * Runs a write to files of tables.
 *
 * @throws STORE_FULL when their disk is full, STORE_UNAVAILABLE when it is read-only, and the
 *   errors of `write`
 */
export async function writeOfTables<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const problem = isQuireError(error) ? undefined : diskProblemOf(error);
    if (problem === undefined) throw error;
    const code = problem === fullDiskText ? 'STORE_FULL' : 'STORE_UNAVAILABLE';
    throw new QuireError(code, problem, { cause: error, isForCallers: true });
  }
}
