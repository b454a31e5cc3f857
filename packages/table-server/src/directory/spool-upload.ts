import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuireError, type Random, throwIfAborted } from '@quire/core';
import { isFull } from './disk-problem.ts';
import type { FileRange, SourceFile } from '@quire/tables';

const chunkBytes = 64 * 1024;

/** An upload in a temporary file, which is deleted on disposal. */
export interface SpooledUpload extends AsyncDisposable {
  readonly file: SourceFile;
}

function throwDiskFull(cause: unknown): never {
  if (!isFull(cause)) throw cause;
  const message = `The upload cannot be stored: the directory for temporary files (${tmpdir()}) is full.`;
  throw new QuireError('STORE_FULL', message, { cause, isForCallers: true });
}

/** Writes an upload to a file, because some formats are read from their end. */
export async function spoolUpload(
  name: string,
  body: AsyncIterable<Uint8Array>,
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<SpooledUpload> {
  const path = join(tmpdir(), `quire-upload-${Buffer.from(random.bytes(8)).toString('hex')}`);
  const handle = await open(path, 'wx+', 0o600);
  // A file without a name is deleted with its handle, however the process ends.
  await unlink(path);
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      throwIfAborted(signal);
      await handle.writeFile(chunk).catch(throwDiskFull);
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
  return { file: { uri: name, sizeBytes, read }, [Symbol.asyncDispose]: () => handle.close() };
}
