import {
  assertByteRange,
  assertObjectKey,
  type CallOptions,
  type Clock,
  type GetOptions,
  type ListOptions,
  type ObjectBody,
  type ObjectEntry,
  objectNotFound,
  type ObjectStore,
  QuireError,
  resolveByteRange,
  SingleUseBody,
  sourceChunks,
  storeClosed,
  systemClock,
  throwIfAborted,
} from '@quire/core';
import { listObjects } from './lister.ts';
import { readBlocks } from './reader.ts';
import { Room } from './room.ts';
import { SortedObjects, type StoredObject } from './sorted-objects.ts';
import { BlockPacker } from './writer.ts';

/** How much a `MemoryObjectStore` may hold. */
export interface MemoryObjectStoreOptions {
  /** Bytes that all objects together may have, the ones being written included. */
  readonly sizeMaxBytes: number;
  /** Dates the objects. */
  readonly clock?: Clock;
}

/**
 * An ObjectStore in this process's memory: bounded, and gone with the process.
 *
 * Objects are copied on their way in and lent on their way out: a body's chunks are views of the
 * stored bytes, at the alignment that the bytes have in the object, and one chunk unless the range
 * crosses a block of 4 MiB.
 */
export class MemoryObjectStore implements ObjectStore {
  readonly location = 'memory:';
  readonly #objects = new SortedObjects();
  readonly #room: Room;
  readonly #clock: Clock;
  #isClosed = false;

  /** @throws INVALID_PARAMETER when `sizeMaxBytes` is not an integer from 0 up */
  constructor({ sizeMaxBytes, clock = systemClock }: MemoryObjectStoreOptions) {
    if (!Number.isSafeInteger(sizeMaxBytes) || sizeMaxBytes < 0) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `sizeMaxBytes is ${sizeMaxBytes}; expected an integer from 0 up.`,
      );
    }
    this.#room = new Room(sizeMaxBytes);
    this.#clock = clock;
  }

  /** Bytes taken, by objects and by what is being written. */
  get usedBytes(): number {
    return this.#room.usedBytes;
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    return entryOf(this.#find(key, options));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    if (options?.range !== undefined) assertByteRange(options.range, key);
    const { sizeBytes, blocks } = this.#find(key, options);
    const range = resolveByteRange(options?.range, sizeBytes, key, this.location);
    const chunks = (): AsyncGenerator<Uint8Array> => readBlocks(blocks, range, options?.signal);
    return new SingleUseBody({ key, sizeBytes, chunks, release: () => undefined });
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    this.#check(key, options);
    using claim = this.#room.claim(key);
    const packer = new BlockPacker();
    for await (const chunk of sourceChunks(body, options?.signal)) {
      this.#assertOpen();
      claim.grow(chunk.byteLength);
      packer.add(chunk);
    }
    this.#check(key, options);
    const object: StoredObject = {
      key,
      sizeBytes: packer.sizeBytes,
      lastModifiedMs: this.#clock.nowMs(),
      blocks: packer.finish(),
    };
    const replaced = this.#objects.set(object);
    claim.keep();
    this.#room.free(replaced?.sizeBytes ?? 0);
    return entryOf(object);
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    for await (const object of listObjects(this.#objects, prefix, options)) {
      this.#assertOpen();
      yield entryOf(object);
    }
    this.#assertOpen();
  }

  async delete(key: string, options?: CallOptions): Promise<void> {
    this.#check(key, options);
    this.#room.free(this.#objects.delete(key)?.sizeBytes ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { sizeBytes } of this.#objects.clear()) this.#room.free(sizeBytes);
  }

  #find(key: string, options: CallOptions | undefined): StoredObject {
    this.#check(key, options);
    const object = this.#objects.get(key);
    if (object === undefined) throw objectNotFound(key, this.location);
    return object;
  }

  #check(key: string, options: CallOptions | undefined): void {
    assertObjectKey(key);
    throwIfAborted(options?.signal);
    this.#assertOpen();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw storeClosed(this.location);
  }
}

function entryOf({ key, sizeBytes, lastModifiedMs }: StoredObject): ObjectEntry {
  return { key, sizeBytes, lastModifiedMs };
}
