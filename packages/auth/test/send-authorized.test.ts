import { expect, test } from 'vitest';
import { sendAuthorized } from '../src/index.ts';

test('the answer of a call whose refused token cannot be read again is released', async () => {
  const discarded: number[] = [];
  const provider = {
    authorization: async ({ refused }: { readonly refused?: string | undefined } = {}) => {
      if (refused !== undefined) throw new Error('The file of the token is missing.');
      return 'Bearer old';
    },
  };
  const sent = sendAuthorized(provider, async () => 401, {
    statusOf: (status) => status,
    discard: async (status) => void discarded.push(status),
  });
  await expect(sent).rejects.toThrow('The file of the token is missing.');
  expect(discarded).toEqual([401]);
});
