import type { Clock } from '../clock.ts';
import { QuireError, throwIfAborted } from '../errors.ts';
import { assertObjectKey } from '../object-key.ts';
import type {
  CallOptions,
  GetOptions,
  ListOptions,
  ObjectBody,
  ObjectEntry,
  ObjectStore,
} from '../object-store.ts';
import type { ConditionalWriter } from '../store-capabilities.ts';
import { assertByteRange, resolveByteRange } from '../store/byte-range.ts';
import { SingleUseBody } from '../store/single-use-body.ts';
import { sourceChunks } from '../store/source-chunks.ts';
import { objectNotFound, storeClosed } from '../store/store-errors.ts';
import { systemClock } from '../system-clock.ts';
import { BlockPacker, readBlocks } from './blocks.ts';
import { ByteBudget, type Reservation } from './byte-budget.ts';
import { listObjects, SortedObjects, type StoredObject } from './sorted-objects.ts';

/** The limits of a `MemoryObjectStore`. */
export interface MemoryObjectStoreOptions {
  /** The maximum number of bytes of all objects together, including those being written. */
  readonly sizeMaxBytes: number;
  /** The clock that gives objects their modification times. */
  readonly clock?: Clock;
}

/**
 * An ObjectStore in this process's memory: bounded, and not durable.
 *
 * Objects are copied when they are put, and lent when they are read. The chunks of a body are views
 * of the stored bytes, with the alignment that the bytes have in the object. A range that does not
 * cross a 4 MiB block is one chunk.
 */
export class MemoryObjectStore implements ObjectStore, ConditionalWriter {
  readonly location = 'memory:';
  readonly #objects = new SortedObjects();
  readonly #budget: ByteBudget;
  readonly #clock: Clock;
  #isClosed = false;

  /**
   * Creates an empty store.
   *
   * @throws INVALID_PARAMETER when `sizeMaxBytes` is not an integer from 0 up
   */
  constructor({ sizeMaxBytes, clock = systemClock }: MemoryObjectStoreOptions) {
    if (!Number.isSafeInteger(sizeMaxBytes) || sizeMaxBytes < 0) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `sizeMaxBytes is ${sizeMaxBytes}; expected an integer of at least 0.`,
      );
    }
    this.#budget = new ByteBudget(sizeMaxBytes);
    this.#clock = clock;
  }

  /** The bytes used by stored objects and by those being written. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
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
    using reservation = this.#budget.reserve(key);
    const packer = new BlockPacker();
    for await (const chunk of sourceChunks(body, options?.signal)) {
      this.#assertOpen();
      reservation.grow(chunk.byteLength);
      packer.add(chunk);
    }
    this.#check(key, options);
    return this.#add(key, packer, reservation);
  }

  async putIfAbsent(
    key: string,
    bytes: Uint8Array,
    options?: CallOptions,
  ): Promise<ObjectEntry | undefined> {
    this.#check(key, options);
    if (this.#objects.get(key) !== undefined) return undefined;
    using reservation = this.#budget.reserve(key);
    reservation.grow(bytes.byteLength);
    const packer = new BlockPacker();
    packer.add(bytes);
    return this.#add(key, packer, reservation);
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
    this.#budget.free(this.#objects.delete(key)?.sizeBytes ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { sizeBytes } of this.#objects.clear()) this.#budget.free(sizeBytes);
  }

  #add(key: string, packer: BlockPacker, reservation: Reservation): ObjectEntry {
    const object: StoredObject = {
      key,
      sizeBytes: packer.sizeBytes,
      lastModifiedMs: this.#clock.nowMs(),
      blocks: packer.finish(),
    };
    const replaced = this.#objects.set(object);
    reservation.commit();
    this.#budget.free(replaced?.sizeBytes ?? 0);
    return entryOf(object);
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
