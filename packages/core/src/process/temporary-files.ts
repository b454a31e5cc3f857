import { type FileHandle, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { QuireError, throwIfAborted } from '../errors.ts';
import { processTag, stateOfOwner } from './process-tag.ts';
import { errnoOf, isErrno } from './system-error.ts';

/** The name of such a directory: `<use>-<tag of its process>.<random>`. */
const namePattern = /^(?:duckdb|preview)-([0-9a-f-]+)\.\w+$/;

/**
 * Creates a directory for temporary files of this process in `parent`, for queries that spill or
 * for an upload to preview, and deletes there those of processes that have certainly ended.
 *
 * @throws the errors of the system
 */
export async function createTemporaryDirectory(
  parent: string,
  use: 'duckdb' | 'preview',
): Promise<string> {
  await mkdir(parent, { recursive: true });
  await removeDead(parent);
  return mkdtemp(join(parent, `${use}-${processTag()}.`));
}

/**
 * Never fails: directories that cannot be deleted now are deleted later. Links are not followed.
 */
async function removeDead(parent: string): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const tag = namePattern.exec(entry.name)?.[1];
    if (tag === undefined || !entry.isDirectory() || stateOfOwner(tag) !== 'dead') continue;
    await rm(join(parent, entry.name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Writes an upload to a temporary file in `directory`, and returns its number of bytes.
 *
 * @throws STORE_FULL, STORE_UNAVAILABLE when the file cannot be written; the errors of `body`;
 *   ABORTED
 */
export async function writeUpload(
  handle: FileHandle,
  body: AsyncIterable<Uint8Array>,
  { directory, signal }: { readonly directory: string; readonly signal: AbortSignal },
): Promise<number> {
  let sizeBytes = 0;
  for await (const chunk of body) {
    throwIfAborted(signal);
    await orUploadError(directory, handle.writeFile(chunk));
    sizeBytes += chunk.byteLength;
  }
  return sizeBytes;
}

/**
 * Awaits a step of storing an upload in a directory for temporary files.
 *
 * @throws STORE_FULL, STORE_UNAVAILABLE in place of errors of the system
 */
export async function orUploadError<Value>(
  directory: string,
  step: Promise<Value>,
): Promise<Value> {
  try {
    return await step;
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === undefined) throw cause;
    const isFull = isErrno(cause, 'ENOSPC', 'EDQUOT');
    const problem = isFull ? 'is full' : `cannot be written (${errno})`;
    const message = `The upload cannot be stored: the directory for temporary files ${problem}.`;
    const code = isFull ? 'STORE_FULL' : 'STORE_UNAVAILABLE';
    throw new QuireError(code, message, {
      cause,
      adminHint: `It is ${directory}.`,
      isForCallers: true,
    });
  }
}
