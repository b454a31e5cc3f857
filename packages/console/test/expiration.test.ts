import { expect, test } from 'vitest';
import { expirationHeader } from '@quire/api';
import { expirationOf, readExpirationMs } from '../app/query/expiration.ts';

const requestId = '00000000-0000-4000-8000-000000000000';
const { signal } = new AbortController();

test('the expiration is asked of the server, never of the cache, whose pages are older than a renewal', async () => {
  const asked: (RequestInit | undefined)[] = [];
  const send: typeof fetch = (_url, init) => {
    asked.push(init);
    return Promise.resolve(new Response('', { headers: { [expirationHeader]: '1700000000000' } }));
  };
  expect(await readExpirationMs(send, requestId, signal)).toBe(1_700_000_000_000);
  expect(asked).toEqual([{ signal, cache: 'no-store' }]);
});

test('a result that no longer exists has the reason of the server', async () => {
  const send: typeof fetch = () =>
    Promise.resolve(
      Response.json({ error: 'It has expired.', reason: 'RESULT_EXPIRED' }, { status: 410 }),
    );
  await expect(readExpirationMs(send, requestId, signal)).rejects.toMatchObject({
    message: 'It has expired.',
    code: 'RESULT_EXPIRED',
  });
});

test('a renewal counts, also a shorter one, until the server has another expiration', () => {
  expect(expirationOf(undefined, undefined)).toBeUndefined();
  expect(expirationOf(100, undefined)).toBe(100);
  expect(expirationOf(100, { expirationMs: 200, replacedMs: 100 })).toBe(200);
  expect(expirationOf(100, { expirationMs: 50, replacedMs: 100 })).toBe(50);
  expect(expirationOf(300, { expirationMs: 200, replacedMs: 100 })).toBe(300);
});
