import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3ObjectStoreOptions } from '@quire/store-s3';
import { ServerProcess } from './server-process.ts';

const credentials = { accessKeyId: 'quire-test', secretAccessKey: 'quire-test-secret' } as const;
const bucket = 'results';

/** A server that speaks S3 and checks signatures: versitygw on a folder, with one bucket. */
export class S3Server implements AsyncDisposable {
  readonly process: ServerProcess;
  #prefixCount = 0;

  private constructor(process: ServerProcess) {
    this.process = process;
  }

  static async start(path: string): Promise<S3Server> {
    return new S3Server(
      await ServerProcess.start({
        path,
        args: (port, folder) =>
          `--port 127.0.0.1:${port} --access ${credentials.accessKeyId} --secret ${credentials.secretAccessKey} --region eu-central-1 --quiet --keep-alive`
            .split(' ')
            .concat('posix', '--sidecar', join(folder, 'attributes'), join(folder, 'buckets')),
        prepare: async (folder) => {
          await mkdir(join(folder, 'attributes'), { recursive: true });
          await mkdir(join(folder, 'buckets', bucket), { recursive: true });
        },
      }),
    );
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.process.port}`;
  }

  /** Returns the options of a store with a unique prefix. */
  storeOptions(): S3ObjectStoreOptions & {
    readonly region: string;
    readonly credentials: typeof credentials;
  } {
    this.#prefixCount += 1;
    return {
      location: `s3://${bucket}/test-${this.#prefixCount}`,
      region: 'eu-central-1',
      endpoint: this.endpoint,
      forcePathStyle: true,
      credentials,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** Returns a broker's settings for a prefix in the bucket. */
export function s3SettingsOf({
  location,
  region,
  endpoint,
  credentials,
}: ReturnType<S3Server['storeOptions']>): Readonly<Record<string, string>> {
  return {
    'engine.broker.pagination.protocol': 's3',
    'engine.broker.pagination.s3.data.dir': location,
    'engine.broker.pagination.s3.endpoint': endpoint ?? '',
    'engine.broker.pagination.s3.path.style': 'true',
    'engine.broker.pagination.s3.access.key': credentials.accessKeyId,
    'engine.broker.pagination.s3.secret.key': credentials.secretAccessKey,
    'engine.broker.storage.factory.s3.region': region,
  };
}
