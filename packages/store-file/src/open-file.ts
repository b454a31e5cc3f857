import type { FileStatus, FileSystem } from './file-system.ts';

/**
 * A file descriptor with a count of its users, which is closed exactly once, when the last one
 * leaves.
 */
export class OpenFile {
  readonly #fileSystem: FileSystem;
  readonly #fd: number;
  #readerCount = 1;
  #closing: Promise<void> | undefined;

  /** Starts with one user. */
  constructor(fileSystem: FileSystem, fd: number) {
    this.#fileSystem = fileSystem;
    this.#fd = fd;
  }

  status(): FileStatus {
    return this.#fileSystem.statusOfOpen(this.#fd);
  }

  /** Adds a user. */
  join(): void {
    this.#readerCount += 1;
  }

  /** Removes a user; closes the file after the last one. Every user leaves once. */
  leave(): Promise<void> {
    this.#readerCount -= 1;
    if (this.#readerCount === 0) this.#closing ??= this.#fileSystem.close(this.#fd);
    return this.#closing ?? Promise.resolve();
  }

  /**
   * Fills `buffer` from `position` with one call in this thread; returns false if it was not
   * filled.
   */
  fillSync(buffer: Uint8Array, position: number): boolean {
    return (
      this.#fileSystem.readSync?.(this.#fd, buffer, 0, buffer.byteLength, position) ===
      buffer.byteLength
    );
  }

  /** Fills `buffer` from `position`; returns less than its length only at the end of the file. */
  async fill(buffer: Uint8Array, position: number): Promise<number> {
    const length = buffer.byteLength;
    let filledBytes = 0;
    while (filledBytes < length) {
      const readBytes = await this.#fileSystem.read(
        this.#fd,
        buffer,
        filledBytes,
        length - filledBytes,
        position + filledBytes,
      );
      if (readBytes === 0) break;
      filledBytes += readBytes;
    }
    return filledBytes;
  }
}
