import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Random, throwIfAborted } from '@quire/core';
import { orUploadError, writeUpload } from '@quire/core/process';
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
  const path = join(directory, `quire-upload-${Buffer.from(random.bytes(8)).toString('hex')}`);
  const handle = await orUploadError(directory, openNameless(path));
  let sizeBytes: number;
  try {
    sizeBytes = await writeUpload(handle, body, { directory, signal });
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
