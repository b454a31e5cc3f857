import { expect, test } from 'vitest';
import type { Bucket } from '../src/bucket.ts';
import { listPages } from '../src/lister.ts';

const call = { op: 'list', key: 'many/', location: 'gs://results/demo/' } as const;

/** A bucket whose answers to listings are these pages, in turn; `asked` are their parameters. */
function bucketOf(pages: readonly object[]): {
  readonly bucket: Bucket;
  readonly asked: readonly object[];
} {
  const asked: object[] = [];
  const bucket: Pick<Bucket, 'name' | 'prefix' | 'sendForJson'> = {
    name: 'results',
    prefix: 'demo/',
    sendForJson: async (_, { parameters = {} }) => {
      const { fields: _fields, ...others } = parameters as { readonly fields: string };
      asked.push(others);
      return pages[asked.length - 1];
    },
  };
  return { bucket: bucket as Bucket, asked };
}

const pageOf = (name: string, nextPageToken?: string): object => ({
  items: [
    { name: `demo/many/${name}`, size: '3', updated: '1970-01-01T00:00:05Z', generation: '1' },
  ],
  nextPageToken,
});

test('a listing starts at a key, and requests page after page by the token of the last one', async () => {
  const { bucket, asked } = bucketOf([pageOf('b', '1'), pageOf('c', '2'), pageOf('d')]);
  const listed = await Array.fromAsync(listPages(bucket, call, 'many/a'));
  expect(listed.map((page) => page.map(({ key }) => key))).toEqual([
    ['many/b'],
    ['many/c'],
    ['many/d'],
  ]);
  const page = { prefix: 'demo/many/', maxResults: '1000', startOffset: 'demo/many/a' };
  expect(asked).toEqual([page, { ...page, pageToken: '1' }, { ...page, pageToken: '2' }]);
});

test('a listing fails at a page with the token of the one before', async () => {
  const { bucket } = bucketOf([pageOf('a', '1'), pageOf('b', '1')]);
  await expect(Array.fromAsync(listPages(bucket, call, ''))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message:
      'list of many/ in gs://results/demo/ returned a page without a token for the next one.',
  });
});
