import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { QuireError } from '@quire/core';
import { loadSettings } from '@quire/settings';
import { expect, test } from 'vitest';
import { openQueries } from '../src/queries/run-queries.ts';

test('a process of queries that finds the bucket down names it, and no setting', async () => {
  // Answers as a gateway does before a bucket that is down.
  const bucket = createServer((_request, response) => response.writeHead(503).end());
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const { port } = bucket.address() as AddressInfo;
  const outcome = await loadSettings({
    environment: {},
    overrides: [
      'engine.broker.pagination.protocol=s3',
      'engine.broker.pagination.s3.data.dir=s3://results',
      `engine.broker.pagination.s3.endpoint=http://127.0.0.1:${port}`,
      'engine.broker.pagination.s3.access.key=key',
      'engine.broker.pagination.s3.secret.key=secret',
      'engine.broker.pagination.s3.path.style=true',
      'engine.broker.storage.factory.s3.region=us-east-1',
    ],
    workingDir: '/',
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  const host = { pid: 1, call: () => Promise.resolve(undefined) };
  const opening = openQueries({ settings: outcome.settings, isFirst: true }, host);
  await expect(opening).rejects.toEqual(
    expect.objectContaining({
      constructor: QuireError,
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/^Opening s3:\/\/results failed: [^=]+$/),
    }),
  );
  bucket.close();
});
