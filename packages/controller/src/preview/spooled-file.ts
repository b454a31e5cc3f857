import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemporaryDirectory, orUploadError, writeUpload } from '@quire/core/process';

/**
 * The bytes of a request as a file of this machine, which is deleted when it is disposed of. It has
 * a name, because another process reads it.
 */
export class SpooledFile implements AsyncDisposable {
  readonly path: string;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'upload');
  }

  /**
   * Writes the bytes as they arrive. If it rejects, nothing is left behind; what a killed
   * process leaves is deleted with the next upload.
   *
   * @throws STORE_FULL, STORE_UNAVAILABLE when the directory takes no file; any error of the bytes
   */
  static async write(
    bytes: AsyncIterable<Uint8Array>,
    parent: string | undefined,
    signal: AbortSignal,
  ): Promise<SpooledFile> {
    const directory = parent ?? tmpdir();
    const file = new SpooledFile(
      await orUploadError(directory, createTemporaryDirectory(directory, 'preview')),
    );
    try {
      await using handle = await orUploadError(directory, open(file.path, 'wx', 0o600));
      await writeUpload(handle, bytes, { directory, signal });
      return file;
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}
