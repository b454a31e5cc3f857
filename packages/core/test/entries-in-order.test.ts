import { type ObjectEntry, QuireError } from '@quire/core';
import { collect } from '@quire/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiMark, canBeginKey, entriesInOrder } from '../src/bucket/entries-in-order.ts';

const call = { op: 'list', key: '', location: 's3://results' } as const;

async function* pagesOf(
  ...pages: readonly (readonly string[])[]
): AsyncGenerator<readonly ObjectEntry[]> {
  for (const keys of pages) yield keys.map((key) => ({ key, sizeBytes: 1, lastModifiedMs: 0 }));
}

async function keysOf(entries: AsyncIterable<ObjectEntry>): Promise<string[]> {
  return (await collect(entries)).map(({ key }) => key);
}

test('entries come once each, without what is not a key and what is not after the mark', async () => {
  const pages = pagesOf(['a', 'b'], ['b', 'c', '.hidden', 'with space'], [], ['d']);
  expect(await keysOf(entriesInOrder(pages, call, { after: 'a' }))).toEqual(['b', 'c', 'd']);
});

test('pages out of order are refused', async () => {
  await expect(keysOf(entriesInOrder(pagesOf(['b'], ['a']), call, {}))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'list of s3://results is not in key order: received a after b.',
  });
});

test('an aborted listing reads no further page', async () => {
  const controller = new AbortController();
  let pageCount = 0;
  async function* endless(): AsyncGenerator<readonly ObjectEntry[]> {
    for (;;) {
      pageCount += 1;
      yield [{ key: `k/${pageCount}`, sizeBytes: 1, lastModifiedMs: 0 }];
      if (pageCount === 2) controller.abort(new QuireError('SHUTTING_DOWN', 'Enough.'));
    }
  }
  const listing = keysOf(entriesInOrder(endless(), call, { signal: controller.signal }));
  await expect(listing).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(pageCount).toBe(3);
});

test('the same keys sort after a mark in ASCII as after the text that it stands for', () => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'Z', '0', '9', '_', '.', '-', '/'),
    minLength: 1,
    maxLength: 6,
  });
  const text = fc.string({
    unit: fc.constantFrom('a', 'Z', '.', '/', ' ', '~', '\n', 'é', '\u{1F600}'),
    maxLength: 6,
  });
  fc.assert(
    fc.property(key, text, (each, after) => {
      expect(asciiMark(after)).toMatch(/^[ -~]*$/);
      expect(each > asciiMark(after)).toBe(each > after);
    }),
  );
});

test.each([
  ['', true],
  ['a/b.json', true],
  ['a b', false],
  ['é', false],
])('whether a key can begin with %j: %s', (prefix, can) => {
  expect(canBeginKey(prefix)).toBe(can);
});
