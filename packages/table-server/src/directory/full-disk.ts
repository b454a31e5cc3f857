import { isQuireError, QuireError } from '@quire/core';
import { isErrno } from '@quire/core/process';

/** The message for callers and operators when the disk of the tables is full. */
export const fullDiskText =
  'The disk of the tables (engine.tables.data.dir) is full: nothing can be loaded, created or consumed. ' +
  'Delete segments or tables, or give it more space. Deletions need no space, and free space within minutes.';

/**
 * Reports whether an error says that the disk of the tables is full, including errors from other
 * processes.
 */
export function isFull(error: unknown): boolean {
  return (
    isErrno(error, 'ENOSPC', 'EDQUOT') ||
    (isQuireError(error, 'STORE_FULL') && error.message === fullDiskText)
  );
}

/**
 * Returns STORE_FULL for an error of the operating system that says that the disk of the tables is
 * full, and any other error unchanged.
 */
function tableWriteError(error: unknown): unknown {
  return isErrno(error, 'ENOSPC', 'EDQUOT')
    ? new QuireError('STORE_FULL', fullDiskText, { cause: error, isForCallers: true })
    : error;
}

/**
 * Runs a write to files of tables. @throws STORE_FULL when their disk is full, and the errors of
 * `write`
 */
export async function writeOfTables<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw tableWriteError(error);
  }
}
