import type { FileStatus, FileSystem } from './file-system.ts';

/**
 * A file descriptor, closed exactly once: when it is let go, and the last of those who read from it
 * is done.
 */
export class OpenFile {
  readonly #fileSystem: FileSystem;
  readonly #fd: number;
  #readerCount = 1;
  #closing: Promise<void> | undefined;

  /** Begins with one reader. */
  constructor(fileSystem: FileSystem, fd: number) {
    this.#fileSystem = fileSystem;
    this.#fd = fd;
  }

  status(): FileStatus {
    return this.#fileSystem.statusOfOpen(this.#fd);
  }

  /** Counts one more reader. */
  join(): void {
    this.#readerCount += 1;
  }

  /** Counts one reader less; after the last one, closes the file. Everybody leaves once. */
  leave(): Promise<void> {
    this.#readerCount -= 1;
    if (this.#readerCount === 0) this.#closing ??= this.#fileSystem.close(this.#fd);
    return this.#closing ?? Promise.resolve();
  }

  /** Fills `buffer` from `position` on in one call in this thread; tells whether that filled it. */
  fillNow(buffer: Uint8Array, position: number): boolean {
    return (
      this.#fileSystem.readNow?.(this.#fd, buffer, 0, buffer.byteLength, position) ===
      buffer.byteLength
    );
  }

  /**
   * Fills `buffer` from `position` on; returns less than its length only at the end of the file.
   */
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
