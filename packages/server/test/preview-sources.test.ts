import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { afterEach, expect, test } from 'vitest';
import { PreviewSources } from '../src/stores/preview-sources.ts';
import { s3Settings } from './s3-settings.ts';

const bucket = createServer((request, response) => {
  const { method, url = '' } = request;
  if (isStuck || url.includes('stuck.csv?')) return;
  response.setHeader('content-type', 'application/xml');
  // Sources are only read.
  if (method === 'GET') response.end(listing);
  else response.writeHead(403).end();
});
/** True if the server answers no call. */
let isStuck = false;

const listing =
  '<ListBucketResult><Contents><Key>stuck.csv</Key><Size>3</Size>' +
  '<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>';
const uri = 's3://input/stuck.csv';
const { signal } = new AbortController();

afterEach(() => {
  bucket.closeAllConnections();
  bucket.close();
});

test('a source bucket that does not answer fails in time, when it is opened and when it is read', async () => {
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const { port } = bucket.address() as AddressInfo;
  const settings = await s3Settings(port, [
    'engine.broker.pagination.store.timeout=30s',
    'engine.broker.pagination.store.attempts=1',
    'controller.preview.source.paths=s3://input',
  ]);
  const clock = new ManualClock();
  await using sources = new PreviewSources(settings, { clock, random: systemRandom });
  const finder = sources.finderOf(settings.preview.sources);
  /** Lets the time of a call pass that has reached the server. */
  const outlast = async (call: Promise<unknown>): Promise<unknown> => {
    const failure = call.catch((error: unknown) => error);
    await once(bucket, 'request');
    await clock.advance(30_000);
    return failure;
  };
  isStuck = true;
  const opening = outlast(Promise.resolve(finder?.find(uri, signal)));
  expect(await opening).toMatchObject({
    code: 'STORE_TIMED_OUT',
    message: 'open of s3://input: There was no answer within 30000 ms.',
  });
  isStuck = false;
  const { files = [] } = (await finder?.find(uri, signal)) ?? {};
  expect(files.map((file) => file.uri)).toEqual([uri]);
  const reading = outlast(Array.fromAsync(files[0]?.read({ signal }) ?? []));
  expect(await reading).toMatchObject({ code: 'STORE_TIMED_OUT' });
});
