import { isQuireError, QuireError } from '@quire/core';
import { isErrno } from '@quire/core/process';

/** The message for callers and operators when the disk of the tables is full. */
export const fullDiskText =
  'The disk of the tables (engine.tables.data.dir) is full: nothing can be loaded, created or consumed. ' +
  'Delete segments or tables, or give it more space. Deletions need no space, and free space within minutes.';

/** The message for callers and operators when the disk of the tables is read-only. */
const readOnlyDiskText =
  'The disk of the tables (engine.tables.data.dir) is read-only: nothing can be loaded, created, deleted or consumed. ' +
  'Queries continue. A system makes a disk read-only when it fails: see the log of its kernel.';

/**
 * Returns the message if an error says that the disk of the tables takes no writes, including
 * errors from other processes.
 */
export function diskProblemOf(error: unknown): string | undefined {
  if (isErrno(error, 'ENOSPC', 'EDQUOT')) return fullDiskText;
  if (isErrno(error, 'EROFS')) return readOnlyDiskText;
  if (!isQuireError(error, 'STORE_FULL', 'STORE_UNAVAILABLE')) return undefined;
  return [fullDiskText, readOnlyDiskText].find((text) => text === error.message);
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
