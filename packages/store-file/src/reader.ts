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
import type { FileHandleCache } from './file-handle-cache.ts';
import { OpenFile } from './open-file.ts';
import type { RootDirectory } from './root-directory.ts';

/**
 * Up to this size, the bytes come in one chunk: a page is read, checked and decoded in one piece.
 */
const wholeChunkBytesMax = 4 * 1024 * 1024;
/** More than that is a stream, which should be gentle on memory. */
const streamChunkBytes = 1024 * 1024;

/** What a reader needs of its store. */
export interface ObjectReaderParts {
  readonly fileSystem: FileSystem;
  readonly root: RootDirectory;
  /** Keeps the files open that ranges are read of; undefined: each is opened for itself. */
  readonly handles: FileHandleCache | undefined;
}

/**
 * Opens an object and reads on as its body is iterated. The open file stays the same one, no matter
 * who deletes or replaces the object; its reader leaves it after the last byte.
 */
export async function openObject(
  { fileSystem, root, handles }: ObjectReaderParts,
  key: string,
  options: GetOptions | undefined,
): Promise<ObjectBody> {
  const call: FailedCall = { op: 'get', key, location: root.location };
  const kept = options?.range === undefined ? undefined : handles;
  const joined = await translated(call, async () => kept?.join(key));
  const file = joined?.file ?? (await translated(call, () => openFile(fileSystem, root, key)));
  const reader = new FileReader(file);
  try {
    throwIfAborted(options?.signal);
    const status = joined?.status ?? (await translated(call, async () => file.status()));
    if (status.kind !== 'file') throw objectNotFound(key, root.location);
    if (joined === undefined) kept?.keep(key, file, status);
    const range = resolveByteRange(options?.range, status.sizeBytes, key, root.location);
    return new SingleUseBody({
      key,
      sizeBytes: status.sizeBytes,
      chunks: () => readChunks(reader, call, range, options),
      release: () => translated(call, () => reader.leave()),
    });
  } catch (error) {
    await reader.leave();
    throw error;
  }
}

async function openFile(
  fileSystem: FileSystem,
  root: RootDirectory,
  key: string,
): Promise<OpenFile> {
  const path = root.pathOf(key);
  // Both at once: each is a trip to another thread, and the file is not read before both have
  // answered.
  const [opened, contained] = await Promise.allSettled([
    fileSystem.openForReading(path),
    root.isContained(dirname(path)),
  ]);
  if (opened.status === 'rejected') throw opened.reason;
  const file = new OpenFile(fileSystem, opened.value);
  if (contained.status === 'fulfilled' && contained.value) return file;
  await file.leave();
  if (contained.status === 'rejected') throw contained.reason;
  throw objectNotFound(key, root.location);
}

async function* readChunks(
  reader: FileReader,
  call: FailedCall,
  range: ByteRange,
  options: GetOptions | undefined,
): AsyncGenerator<Uint8Array> {
  const chunkBytesMax =
    range.end - range.start <= wholeChunkBytesMax ? wholeChunkBytesMax : streamChunkBytes;
  for (let position = range.start; position < range.end;) {
    throwIfAborted(options?.signal);
    const lengthMax = Math.min(chunkBytesMax, range.end - position);
    // Memory of its own, at its start: aligned for every typed array. It is not cleared, for each
    // byte is read or the call throws.
    const chunk =
      options?.memory?.lend(lengthMax) ?? new Uint8Array(Buffer.allocUnsafeSlow(lengthMax).buffer);
    const length = chunk.byteLength;
    const filledBytes = await translated(call, () => reader.fill(chunk, position));
    if (filledBytes < length) throw finishedEarly(call, position + filledBytes, range);
    position += length;
    if (position === range.end) reader.beginToLeave();
    yield chunk;
  }
  throwIfAborted(options?.signal);
}

/** One who reads a file, and leaves it once. */
class FileReader {
  readonly #file: OpenFile;
  #leaving: Promise<void> | undefined;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  fill(buffer: Uint8Array, position: number): Promise<number> {
    return this.#file.fill(buffer, position);
  }

  /** Leaves while the caller is busy with what it has; `leave` tells how it went. */
  beginToLeave(): void {
    this.leave().catch(() => undefined);
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#file.leave();
    return this.#leaving;
  }
}

function finishedEarly(
  { key, location }: FailedCall,
  endBytes: number,
  range: ByteRange,
): QuireError {
  return new QuireError(
    'OBJECT_SHORT_READ',
    `${key} in ${location} ends after ${endBytes} bytes, within the range [${range.start}, ${range.end}).`,
  );
}
