import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { QuireError, type Random, throwIfAborted } from '@quire/core';
import { errnoOf, isErrno } from '@quire/core/process';
import type { FileRange, SourceFile } from '@quire/tables';

const chunkBytes = 64 * 1024;

/** An upload in a temporary file, which is deleted on disposal. */
export interface SpooledUpload extends AsyncDisposable {
  readonly file: SourceFile;
}

/** The place of an upload, and its cancellation. */
export interface SpoolOptions {
  /** Created if it does not exist; that of the system by default. */
  readonly directory: string | undefined;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/**
 * Writes an upload to a file, because some formats are read from their end.
 *
 * @throws STORE_FULL, STORE_UNAVAILABLE when the directory takes no file; the errors of `body`
 */
export async function spoolUpload(
  name: string,
  body: AsyncIterable<Uint8Array>,
  { directory = tmpdir(), random, signal }: SpoolOptions,
): Promise<SpooledUpload> {
  const refuse = (cause: unknown): never => {
    throw storeError(directory, cause);
  };
  const path = join(directory, `quire-upload-${Buffer.from(random.bytes(8)).toString('hex')}`);
  const handle = await openNameless(path).catch(refuse);
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      throwIfAborted(signal);
      await handle.writeFile(chunk).catch(refuse);
      sizeBytes += chunk.byteLength;
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  const read = async function* ({
    range,
  }: {
    readonly range?: FileRange | undefined;
  }): AsyncGenerator<Uint8Array> {
    const end = Math.min(range?.end ?? sizeBytes, sizeBytes);
    for (let position = range?.start ?? 0; position < end;) {
      throwIfAborted(signal);
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafe(Math.min(chunkBytes, end - position)),
        { position },
      );
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  };
  return {
    file: { uri: name === '' ? 'the file' : name, sizeBytes, read },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Opens a new file without a name, which is deleted with its handle, however the process ends. */
async function openNameless(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** Returns the error for callers if a file cannot be written to the directory. */
function storeError(directory: string, cause: unknown): unknown {
  const errno = errnoOf(cause);
  if (errno === undefined) return cause;
  const isFull = isErrno(cause, 'ENOSPC', 'EDQUOT');
  const problem = isFull ? 'is full' : `cannot be written (${errno})`;
  const message = `The upload cannot be stored: the directory for temporary files (${directory}) ${problem}.`;
  const code = isFull ? 'STORE_FULL' : 'STORE_UNAVAILABLE';
  return new QuireError(code, message, { cause, isForCallers: true });
}
