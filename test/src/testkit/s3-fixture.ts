import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { S3ObjectStore } from '@quire/store-s3';
import type { S3Server } from './servers/s3-server.ts';
import type { OpenStoreFixture } from '@quire/core/conformance';

/**
 * The server answers 500 now and then while much else runs on the machine: few requests at once,
 * each of them sent again.
 */
const patience = {
  maxAttempts: 6,
  requestHandler: { httpAgent: { maxSockets: 4, keepAlive: true } },
};

/** Stores on a server, each below a prefix of its own. */
export function s3StoresOn(server: () => S3Server): OpenStoreFixture {
  return async ({ sizeMaxBytes = Number.POSITIVE_INFINITY } = {}) => {
    const options = server().storeOptions();
    const client = new S3Client({
      ...options,
      ...patience,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    refuseBeyond(client, sizeMaxBytes);
    const store = await S3ObjectStore.open({ ...options, client });
    return {
      store,
      leftovers: () => unfinishedUploads(server(), store.location),
      [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose](),
    };
  };
}

/** The keys of the uploads below a prefix in a bucket that were neither completed nor aborted. */
export async function unfinishedUploads(server: S3Server, location: string): Promise<string[]> {
  const { hostname, pathname } = new URL(location);
  const client = new S3Client({ ...server.storeOptions(), ...patience });
  try {
    const { Uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: hostname }),
    );
    return Uploads.map((upload) => upload.Key ?? '').filter((key) =>
      key.startsWith(`${pathname.slice(1)}/`),
    );
  } finally {
    client.destroy();
  }
}

/** Makes the server answer as if it were full, as MinIO does; Amazon never does. */
function refuseBeyond(client: S3Client, sizeMaxBytes: number): void {
  const partBytes = new Map<unknown, number>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as { readonly Body?: unknown; readonly UploadId?: unknown };
      if (input.Body instanceof Uint8Array) {
        const totalBytes = (partBytes.get(input.UploadId) ?? 0) + input.Body.byteLength;
        if (input.UploadId !== undefined) partBytes.set(input.UploadId, totalBytes);
        if (totalBytes > sizeMaxBytes) {
          throw Object.assign(
            new Error('Storage backend has reached its minimum free drive threshold.'),
            {
              name: 'XMinioStorageFull',
              $metadata: { httpStatusCode: 507 },
            },
          );
        }
      }
      return next(args);
    },
    { step: 'initialize' },
  );
}
