import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { openQueries } from '../src/queries/run-queries.ts';
import { s3Settings } from './s3-settings.ts';

test('a process of queries that finds the bucket down names it, and no setting', async () => {
  // Answers as a gateway does before a bucket that is down.
  const bucket = createServer((_request, response) => response.writeHead(503).end());
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const { port } = bucket.address() as AddressInfo;
  const settings = await s3Settings(port, [
    'engine.broker.pagination.protocol=s3',
    'engine.broker.pagination.s3.data.dir=s3://results',
    'engine.broker.storage.factory.s3.region=us-east-1',
  ]);
  const host = { pid: 1, call: () => Promise.resolve(undefined) };
  const opening = openQueries({ settings, isFirst: true }, host);
  await expect(opening).rejects.toEqual(
    expect.objectContaining({
      constructor: QuireError,
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/^Opening s3:\/\/results failed: [^=]+$/),
    }),
  );
  bucket.close();
});
