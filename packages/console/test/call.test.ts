import { expect, test } from 'vitest';
import { createCall, unlessRefused } from '../app/call.ts';

/** Asks who has a stored token, of a server that answers like this. */
const whoami = (answer: () => Promise<Response>) => unlessRefused(createCall(answer)('/whoami'));

const refusalOf = (status: number) => () =>
  Promise.resolve(Response.json({ error: 'No.', reason: 'SOME_REASON' }, { status }));

test('only a server that does not accept a token ends its session', async () => {
  expect(await whoami(() => Promise.resolve(Response.json({ name: 'me' })))).toEqual({
    name: 'me',
  });
  expect(await whoami(refusalOf(401))).toBeUndefined();
});

test.each([403, 502, 503])(
  'a first call that fails with %i is an error, with its reason',
  async (status) => {
    await expect(whoami(refusalOf(status))).rejects.toMatchObject({ status, message: 'No.' });
  },
);

test('a server that does not answer, as while it restarts, is an error', async () => {
  const refused = () => Promise.reject(new TypeError('fetch failed'));
  await expect(whoami(refused)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
});
