import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MiB } from '@quire/core';
import { isMissingFile } from '@quire/core/process';
import { isFull } from './full-disk.ts';

/**
 * Bytes that the largest change of a record may need while old and new are both there, and some
 * more.
 */
const reserveBytesMin = MiB;
const chunkBytes = 256 * 1024;

/**
 * The space of the file system that a table server writes to. A reserve file is given up where a
 * deletion finds no space to be noted in, and is written again once there is some: so whatever
 * fills the disk, what frees it can be done.
 */
export class DiskSpace {
  readonly #path: string;
  #isFull = false;
  #reservedBytes = 0;
  #reserving: Promise<void> | undefined;

  constructor(root: string) {
    this.#path = join(root, '.reserve');
  }

  /** Whether a write failed for lack of space since there was enough for the last time. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Notes that an error was one of a full disk, if it was one. */
  note(error: unknown): void {
    this.#isFull ||= isFull(error);
  }

  /**
   * Does what frees space, such as a deletion, also where nothing can be written any more. What is
   * done must change nothing when it fails: it is done again with the reserve given up.
   */
  async free<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#isFull = true;
      await this.#reserving;
      this.#reservedBytes = 0;
      await rm(this.#path, { force: true });
      return await act();
    }
  }

  /**
   * Writes the reserve where it is missing or too small for records of so many bytes, and finds out
   * whether there is space again. Resolves also when there is none.
   */
  async restore(recordBytesMax: number): Promise<void> {
    this.#reserving ??= this.#restore(Math.max(reserveBytesMin, 2 * recordBytesMax)).finally(() => {
      this.#reserving = undefined;
    });
    await this.#reserving;
  }

  async #restore(bytes: number): Promise<void> {
    if (this.#reservedBytes === 0) this.#reservedBytes = await sizeOf(this.#path);
    if (this.#reservedBytes >= bytes && !this.#isFull) return;
    try {
      if (this.#reservedBytes < bytes) await this.#reserve(bytes);
      // What was given up can always be taken again: only where as much is free besides, there is
      // space.
      await this.#probe(bytes);
      this.#isFull = false;
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#isFull = true;
    }
  }

  async #reserve(bytes: number): Promise<void> {
    this.#reservedBytes = 0;
    try {
      await writeNoise(this.#path, bytes);
    } catch (error) {
      await rm(this.#path, { force: true });
      throw error;
    }
    this.#reservedBytes = bytes;
  }

  async #probe(bytes: number): Promise<void> {
    const path = `${this.#path}.probe`;
    try {
      await writeNoise(path, bytes);
    } finally {
      await rm(path, { force: true });
    }
  }
}

async function writeNoise(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  const noise = noiseOf(chunkBytes);
  for (let written = 0; written < bytes; written += chunkBytes) await file.writeFile(noise);
  await file.sync();
}

/** Bytes without a pattern: a file system that compresses would keep next to nothing of others. */
function noiseOf(bytes: number): Uint8Array {
  const words = new Uint32Array(bytes / 4);
  let state = 0x9e3779b9;
  for (let index = 0; index < words.length; index += 1) {
    // Xorshift, as of George Marsaglia.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return new Uint8Array(words.buffer);
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissingFile(error)) return undefined;
    throw error;
  });
  return found?.size ?? 0;
}
