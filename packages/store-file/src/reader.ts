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
 * The size up to which the bytes are one chunk: a page is read, checked and decoded in one piece.
 */
const wholeChunkBytesMax = 4 * 1024 * 1024;
/** The chunk size of larger objects, which are streamed to save memory. */
const streamChunkBytes = 1024 * 1024;

/** The dependencies of a reader on its store. */
export interface ObjectReaderParts {
  readonly fileSystem: FileSystem;
  readonly root: RootDirectory;
  /** The cache of open files for ranged reads; undefined: each file is opened separately. */
  readonly handles: FileHandleCache | undefined;
}

/**
 * Opens an object, which is read as its body is iterated. The open file stays the same even if the
 * object is deleted or replaced; it is closed after the last byte.
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
  // Both concurrently: each is a round trip to another thread, and the file is read only after
  // both.
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
    // Separate memory from its start, so that it is aligned for every typed array. It is not
    // cleared, because each byte is read or the call throws.
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

/** One reader of a file, which leaves it once. */
class FileReader {
  readonly #file: OpenFile;
  #leaving: Promise<void> | undefined;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  fill(buffer: Uint8Array, position: number): Promise<number> {
    return this.#file.fill(buffer, position);
  }

  /** Starts to leave while the caller processes its chunk; `leave` reports the outcome. */
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
