import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GcsObjectStoreOptions } from '@quire/store-gcs';
import { ServerProcess } from './server-process.ts';

const bucket = 'results';

/**
 * A server that speaks the API of Google Cloud Storage: fake-gcs-server in memory, with one bucket.
 * It checks no credentials.
 */
export class GcsServer implements AsyncDisposable {
  readonly process: ServerProcess;
  #prefixCount = 0;

  private constructor(process: ServerProcess) {
    this.process = process;
  }

  static async start(path: string): Promise<GcsServer> {
    return new GcsServer(
      await ServerProcess.start({
        path,
        args: (port, folder) =>
          `-scheme http -host 127.0.0.1 -port ${port} -external-url http://127.0.0.1:${port} -public-host 127.0.0.1:${port} -log-level error -backend memory -data`
            .split(' ')
            .concat(join(folder, 'buckets')),
        prepare: async (folder) => {
          await mkdir(join(folder, 'buckets', bucket), { recursive: true });
        },
      }),
    );
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.process.port}`;
  }

  /** Returns the options of a store with a unique prefix. */
  storeOptions(): GcsObjectStoreOptions {
    this.#prefixCount += 1;
    return { location: `gs://${bucket}/test-${this.#prefixCount}`, endpoint: this.endpoint };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}
