import { systemRandom } from '@quire/core';
import { expect, test } from 'vitest';
import { Authenticator, createProcessPrincipal } from '../src/index.ts';

test('only the bearer of its Authorization is let in as it', async () => {
  const own = createProcessPrincipal('@process', 'admin', systemRandom);
  const authenticator = new Authenticator([own.principal]);
  expect(await authenticator.authenticate(await own.authorization())).toEqual({
    name: '@process',
    role: 'admin',
  });
  const other = createProcessPrincipal('@process', 'admin', systemRandom);
  await expect(authenticator.authenticate(await other.authorization())).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  });
});
