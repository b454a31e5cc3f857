import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import type {
  Download,
  DownloadFormat,
  DownloadPosition,
  DownloadProgress,
  ResultCursor,
} from '@quire/client';
import { formatBytes, QuireError } from '@quire/core';
import { errnoOf, isMissingFile, replaceFile } from '@quire/core/process';
import { unlessAborted } from '@quire/core/wait';
import type { Environment } from '../environment.ts';
import { grouped } from '../phrases.ts';
import { showProgress } from '../progress.ts';

/** The result to download, and the format. */
export interface DownloadRequest {
  readonly cursor: ResultCursor;
  readonly format: DownloadFormat;
  readonly formulas?: 'escape' | undefined;
  readonly pageSize?: number | undefined;
  readonly signal: AbortSignal;
}

/** The record of an incomplete file, stored next to it. */
interface PartRecord extends DownloadPosition {
  readonly requestId: string;
  readonly format: DownloadFormat;
  readonly formulas?: 'escape' | undefined;
}

/** Writes a whole result to standard output. */
export async function downloadToOutput(
  environment: Environment,
  request: DownloadRequest,
): Promise<void> {
  const { cursor, ...options } = request;
  await using progress = environment.stdout.isTerminal
    ? undefined
    : showProgress(environment, 'downloading');
  const onProgress = (made: DownloadProgress): void => progress?.say(describeProgress(made));
  for await (const bytes of cursor.download({ ...options, onProgress })) {
    await unlessAborted(environment.stdout.write(bytes), options.signal);
  }
}

/**
 * Writes a whole result to a file, which exists only once it is complete. Before, rows are in
 * `<file>.part` and their count in `<file>.part.json`, written after them: after any interruption,
 * `resume` continues after the last recorded row.
 *
 * @throws INVALID_PARAMETER when the part to resume is of another result or format, or the file
 *   cannot be written
 */
export async function downloadToFile(
  environment: Environment,
  { cursor, ...options }: DownloadRequest,
  path: string,
  resume: boolean,
): Promise<{ readonly totalRowCount: number; readonly sizeBytes: number }> {
  if (await isDirectory(path)) {
    throw new QuireError('INVALID_PARAMETER', `${path} is a directory; expected a file.`);
  }
  const [partPath, recordPath] = [`${path}.part`, `${path}.part.json`];
  const identity = {
    requestId: cursor.requestId,
    format: options.format,
    formulas: options.formulas,
  };
  const from = resume ? await readPart(partPath, recordPath, identity) : undefined;
  let recorded = from ?? { offset: 0, sizeBytes: 0 };
  const record = async (position: DownloadPosition): Promise<void> => {
    const text = JSON.stringify({ ...identity, ...position } satisfies PartRecord);
    await replaceFile(recordPath, text, environment.random);
    recorded = position;
  };
  try {
    await using progress = showProgress(environment, 'downloading');
    const onProgress = (made: DownloadProgress): void => progress.say(describeProgress(made));
    // The record of an earlier part, which is overwritten.
    if (from === undefined) await rm(recordPath, { force: true });
    await writePart(partPath, cursor.download({ ...options, from, onProgress }), record);
    await rename(partPath, path);
    await rm(recordPath, { force: true });
  } catch (error) {
    const rowCount = grouped(recorded.offset);
    if (recorded.offset > 0) {
      // Without a reader of messages, the error is still the one of the download.
      await environment.stderr
        .write(`${rowCount} rows are in ${partPath}; --resume continues with them.\n`)
        .catch(() => undefined);
    }
    if (errnoOf(error) === undefined) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError('INVALID_PARAMETER', `${path} cannot be written: ${reason}.`, {
      cause: error,
    });
  }
  return { totalRowCount: cursor.totalRowCount, sizeBytes: recorded.sizeBytes };
}

/** Appends the rest of a download, and records each page once it is durable. */
async function writePart(
  partPath: string,
  download: Download,
  record: (position: DownloadPosition) => Promise<void>,
): Promise<void> {
  let { sizeBytes } = download.position;
  const part = await open(partPath, sizeBytes === 0 ? 'w' : 'r+');
  try {
    // Bytes after the recorded rows are downloaded again.
    await part.truncate(sizeBytes);
    for await (const bytes of download) {
      await writeAll(part, bytes, sizeBytes);
      sizeBytes += bytes.byteLength;
      await part.datasync();
      await record(download.position);
    }
  } finally {
    await part.close();
  }
}

/** Describes the progress of a download: `12% of 3,000,000 rows, 4.1 MiB`. */
export function describeProgress({ rowCount, totalRowCount, sizeBytes }: DownloadProgress): string {
  const percent = totalRowCount === 0 ? 100 : Math.floor((rowCount / totalRowCount) * 100);
  return `${percent}% of ${grouped(totalRowCount)} rows, ${formatBytes(sizeBytes)}`;
}

/** Returns the position of an earlier download; undefined if there was none. */
async function readPart(
  partPath: string,
  recordPath: string,
  identity: Pick<PartRecord, 'requestId' | 'format' | 'formulas'>,
): Promise<DownloadPosition | undefined> {
  const record = await readRecord(recordPath);
  if (record === undefined) return undefined;
  const { requestId, format, formulas, offset, sizeBytes } = record;
  if (
    requestId === identity.requestId &&
    format === identity.format &&
    formulas !== identity.formulas
  ) {
    throw notThisPart(
      recordPath,
      formulas === undefined
        ? 'belongs to a download without --formulas'
        : `belongs to a download with --formulas ${formulas}`,
    );
  }
  if (requestId !== identity.requestId || format !== identity.format) {
    throw notThisPart(
      recordPath,
      `belongs to the result ${requestId} as ${format}, not to ${identity.requestId} as ${identity.format}`,
    );
  }
  if (offset === undefined || sizeBytes === undefined) {
    throw notThisPart(recordPath, 'has no position');
  }
  const presentBytes = await stat(partPath).then(({ size }) => size, zeroWhenMissing);
  if (presentBytes < sizeBytes) {
    throw notThisPart(
      recordPath,
      `records ${sizeBytes} bytes, but ${partPath} has ${presentBytes}`,
    );
  }
  return { offset, sizeBytes };
}

async function readRecord(recordPath: string): Promise<Partial<PartRecord> | undefined> {
  try {
    return JSON.parse(await readFile(recordPath, 'utf8')) as Partial<PartRecord>;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw notThisPart(recordPath, 'cannot be read', error);
  }
}

function notThisPart(recordPath: string, problem: string, cause?: unknown): QuireError {
  const sentence = `${recordPath} ${problem}; without --resume the download starts again.`;
  return new QuireError('INVALID_PARAMETER', sentence, { cause });
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function zeroWhenMissing(error: unknown): number {
  if (isMissingFile(error)) return 0;
  throw error;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    done += (await file.write(bytes, done, bytes.byteLength - done, position + done)).bytesWritten;
  }
}
