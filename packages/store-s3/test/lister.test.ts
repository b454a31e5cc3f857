import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { Bucket } from '../src/bucket.ts';
import { listPages } from '../src/lister.ts';

const call = { op: 'list', key: 'many/', location: 's3://results/demo/' } as const;

/** A bucket whose answers to listings are these pages, in turn; `inputs` are its requests. */
function bucketOf(pages: readonly object[]): {
  readonly bucket: Bucket;
  readonly inputs: readonly object[];
} {
  const inputs: object[] = [];
  const client = new S3Client({ region: 'eu-central-1' });
  client.middlewareStack.add(
    () => async (args) => {
      inputs.push(args.input);
      return { output: pages[inputs.length - 1], response: undefined } as never;
    },
    { step: 'initialize' },
  );
  const bucket = new Bucket(client, { bucket: 'results', prefix: 'demo/' }, {});
  return { bucket, inputs };
}

const pageOf = (name: string, next?: string): object => ({
  Contents: [{ Key: `demo/many/${name}`, Size: 3, LastModified: new Date(5000) }],
  IsTruncated: next !== undefined,
  NextContinuationToken: next,
});

test('a listing starts after a key, and requests page after page by the token of the last one', async () => {
  const { bucket, inputs } = bucketOf([pageOf('b', '1'), pageOf('c', '2'), pageOf('d')]);
  const entryOf = (key: string): object => ({ key, sizeBytes: 3, lastModifiedMs: 5000 });
  expect(await Array.fromAsync(listPages(bucket, call, 'many/a'))).toEqual([
    [entryOf('many/b')],
    [entryOf('many/c')],
    [entryOf('many/d')],
  ]);
  const page = { Bucket: 'results', Prefix: 'demo/many/' };
  expect(inputs).toEqual([
    { ...page, StartAfter: 'demo/many/a' },
    { ...page, ContinuationToken: '1' },
    { ...page, ContinuationToken: '2' },
  ]);
});

test.each([
  ['without a token for the next one', [{ IsTruncated: true }]],
  ['with the token of the one before', [pageOf('a', '1'), pageOf('b', '1')]],
])('a listing fails at a page %s', async (_, pages) => {
  const { bucket } = bucketOf(pages);
  await expect(Array.fromAsync(listPages(bucket, call, ''))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message:
      'list of many/ in s3://results/demo/ returned a page without a token for the next one.',
  });
});
