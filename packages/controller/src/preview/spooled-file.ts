import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The bytes of a request as a file of this machine, which is deleted when it is disposed of. */
export class SpooledFile implements AsyncDisposable {
  readonly path: string;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'upload');
  }

  /**
   * Writes the bytes as they arrive. If it rejects, nothing is left behind.
   *
   * @throws any error of the bytes
   */
  static async write(
    bytes: AsyncIterable<Uint8Array>,
    parent: string | undefined,
    signal: AbortSignal,
  ): Promise<SpooledFile> {
    const place = parent ?? tmpdir();
    await mkdir(place, { recursive: true });
    const directory = await mkdtemp(join(place, 'quire-preview-'));
    const file = new SpooledFile(directory);
    try {
      const target = createWriteStream(file.path, { flags: 'wx', mode: 0o600 });
      await pipeline(Readable.from(bytes, { objectMode: false }), target, { signal });
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
