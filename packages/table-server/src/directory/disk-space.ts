import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MiB } from '@quire/core';
import { isMissingFile } from '@quire/core/process';
import { diskProblemOf, fullDiskText, isFull } from './disk-problem.ts';

/**
 * The minimum size of the reserve: more than the replacement of most records needs while the old
 * and the new file both exist.
 */
const reserveBytesMin = MiB;
const chunkBytes = 256 * 1024;

/**
 * The space of the file system that a table server writes to, and whether it takes writes. If there
 * is no space to record a deletion, a reserve file is deleted first, and written again once there
 * is space. So deletions work on a full disk.
 */
export class DiskSpace {
  readonly #path: string;
  readonly #probePath: string;
  #problem: string | undefined;
  #isProbeDeleted = false;
  #reservedBytes = 0;
  #reserving: Promise<void> | undefined;

  constructor(root: string) {
    this.#path = join(root, '.reserve');
    this.#probePath = `${this.#path}.probe`;
  }

  /** Why a write failed, if it failed because of the disk and no probe has succeeded since. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** True if a write failed on a full disk and no probe has succeeded since. */
  get isFull(): boolean {
    return this.#problem === fullDiskText;
  }

  /** Records an error if it is one of a disk that is full or read-only. */
  note(error: unknown): void {
    this.#problem = diskProblemOf(error) ?? this.#problem;
  }

  /**
   * Runs an action that frees space, such as a deletion, even on a full disk. The action must
   * change nothing when it fails: it is run again after the reserve was deleted.
   */
  async free<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (!isFull(error)) throw error;
      this.note(error);
      await this.#reserving;
      this.#reservedBytes = 0;
      await rm(this.#path, { force: true });
      return await act();
    }
  }

  /**
   * Writes the reserve if it is missing or too small for records of this size, and checks whether
   * the disk takes writes again. Resolves even if it does not.
   */
  async restore(recordBytesMax: number): Promise<void> {
    this.#reserving ??= this.#restore(Math.max(reserveBytesMin, 2 * recordBytesMax)).finally(() => {
      this.#reserving = undefined;
    });
    await this.#reserving;
  }

  async #restore(bytes: number): Promise<void> {
    if (this.#reservedBytes === 0) this.#reservedBytes = await sizeOf(this.#path);
    try {
      if (!this.#isProbeDeleted) {
        // A server that was killed during a probe leaves the file behind.
        await rm(this.#probePath, { force: true });
        this.#isProbeDeleted = true;
      }
      if (this.#reservedBytes >= bytes && this.#problem === undefined) return;
      if (this.#reservedBytes < bytes) await this.#reserve(bytes);
      // The reserve may reuse its own space, so the disk counts as full until the same amount is
      // free in addition.
      await this.#probe(bytes);
      this.#problem = undefined;
    } catch (error) {
      if (diskProblemOf(error) === undefined) throw error;
      this.note(error);
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
    try {
      await writeNoise(this.#probePath, bytes);
    } finally {
      await rm(this.#probePath, { force: true });
    }
  }
}

async function writeNoise(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  const noise = noiseOf(chunkBytes);
  for (let written = 0; written < bytes; written += chunkBytes) await file.writeFile(noise);
  await file.sync();
}

/**
 * Returns bytes without a pattern: a file system with compression would allocate almost nothing for
 * bytes with one.
 */
function noiseOf(bytes: number): Uint8Array {
  const words = new Uint32Array(bytes / 4);
  let state = 0x9e3779b9;
  for (let index = 0; index < words.length; index += 1) {
    // Xorshift by George Marsaglia.
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
