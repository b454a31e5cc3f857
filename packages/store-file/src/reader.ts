import { dirname } from 'node:path';
import {
  type ByteRange,
  type GetOptions,
  type ObjectBody,
  objectNotFound,
  QuireError,
  resolveByteRange,
  SingleUseBody,
  throwIfAborted,
} from '@quire/core';
import { type FailedCall, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/** Up to this size, the bytes come in one chunk: a page is read, checked and decoded in one piece. */
const wholeChunkBytesMax = 4 * 1024 * 1024;
/** More than that is a stream, which should be gentle on memory. */
const streamChunkBytes = 1024 * 1024;

/**
 * Opens an object and reads on as its body is iterated. The open file stays the same one, no matter who deletes or replaces the object;
 * it is closed after the last byte.
 */
export async function openObject(
  fileSystem: FileSystem,
  root: RootDirectory,
  key: string,
  options: GetOptions | undefined,
): Promise<ObjectBody> {
  const call: FailedCall = { op: 'get', key, location: root.location };
  const file = await translated(call, () => openFile(fileSystem, root, key));
  try {
    throwIfAborted(options?.signal);
    const { kind, sizeBytes } = await translated(call, async () => file.status());
    if (kind !== 'file') throw objectNotFound(key, root.location);
    const range = resolveByteRange(options?.range, sizeBytes, key, root.location);
    return new SingleUseBody({
      key,
      sizeBytes,
      chunks: () => readChunks(file, call, range, options),
      release: () => translated(call, () => file.close()),
    });
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(fileSystem: FileSystem, root: RootDirectory, key: string): Promise<OpenFile> {
  const path = root.pathOf(key);
  // Both at once: each is a trip to another thread, and the file is not read before both have answered.
  const [opened, contained] = await Promise.allSettled([fileSystem.openForReading(path), root.isContained(dirname(path))]);
  if (opened.status === 'rejected') throw opened.reason;
  const file = new OpenFile(fileSystem, opened.value);
  if (contained.status === 'fulfilled' && contained.value) return file;
  await file.close();
  if (contained.status === 'rejected') throw contained.reason;
  throw objectNotFound(key, root.location);
}

async function* readChunks(
  file: OpenFile,
  call: FailedCall,
  range: ByteRange,
  options: GetOptions | undefined,
): AsyncGenerator<Uint8Array> {
  const chunkBytesMax = range.end - range.start <= wholeChunkBytesMax ? wholeChunkBytesMax : streamChunkBytes;
  for (let position = range.start; position < range.end;) {
    throwIfAborted(options?.signal);
    const lengthMax = Math.min(chunkBytesMax, range.end - position);
    // Memory of its own, at its start: aligned for every typed array. It is not cleared, for each byte is read or the call throws.
    const chunk = options?.memory?.lend(lengthMax) ?? new Uint8Array(Buffer.allocUnsafeSlow(lengthMax).buffer);
    const length = chunk.byteLength;
    const filledBytes = await translated(call, () => file.fill(chunk, position));
    if (filledBytes < length) throw endedEarly(call, position + filledBytes, range);
    position += length;
    if (position === range.end) file.beginToClose();
    yield chunk;
  }
  throwIfAborted(options?.signal);
}

/** A file descriptor, closed exactly once. */
class OpenFile {
  readonly #fileSystem: FileSystem;
  readonly #fd: number;
  #closing: Promise<void> | undefined;

  constructor(fileSystem: FileSystem, fd: number) {
    this.#fileSystem = fileSystem;
    this.#fd = fd;
  }

  status(): ReturnType<FileSystem['statusOfOpen']> {
    return this.#fileSystem.statusOfOpen(this.#fd);
  }

  /** Fills `buffer` from `position` on; returns less than its length only at the end of the file. */
  async fill(buffer: Uint8Array, position: number): Promise<number> {
    let filledBytes = 0;
    while (filledBytes < buffer.byteLength) {
      const readBytes = await this.#fileSystem.read(
        this.#fd,
        buffer,
        filledBytes,
        buffer.byteLength - filledBytes,
        position + filledBytes,
      );
      if (readBytes === 0) break;
      filledBytes += readBytes;
    }
    return filledBytes;
  }

  /** Closes while the reader is busy with what it has; `close` tells how it went. */
  beginToClose(): void {
    this.close().catch(() => undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#fileSystem.close(this.#fd);
    return this.#closing;
  }
}

function endedEarly({ key, location }: FailedCall, endBytes: number, range: ByteRange): QuireError {
  return new QuireError(
    'OBJECT_SHORT_READ',
    `${key} in ${location} ends after ${endBytes} bytes, within the range [${range.start}, ${range.end}).`,
  );
}
