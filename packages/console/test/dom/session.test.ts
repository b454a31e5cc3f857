import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSession, storeToken } from '../../app/session.ts';

beforeEach(() => {
  const texts = new Map<string, string>();
  const storage = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => texts.set(key, text),
    removeItem: (key: string) => texts.delete(key),
  };
  vi.stubGlobal('localStorage', storage);
  vi.stubGlobal('sessionStorage', storage);
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('location', { origin: 'http://quire.test' });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a refused token ends its own session, and no later one', async () => {
  vi.stubGlobal('fetch', async (path: string) =>
    path === '/queries'
      ? Response.json({ error: 'Who calls?' }, { status: 401 })
      : Response.json({ name: 'ann', role: 'query' }),
  );
  const onRefused = vi.fn<() => void>();
  const first = await openSession('first', onRefused);
  storeToken('first');
  await first.fetch('/queries');
  expect(onRefused).toHaveBeenCalledTimes(1);
  const second = await openSession('second', onRefused);
  storeToken('second');
  // Such as the next question about a query that still runs.
  await first.fetch('/queries');
  expect(onRefused).toHaveBeenCalledTimes(1);
  await second.fetch('/queries');
  expect(onRefused).toHaveBeenCalledTimes(2);
});
