import { expect, test, vi } from 'vitest';
import { createEcho } from './echo.ts';

let attemptCount = 0;
vi.mock('@fastify/swagger', async (load) => {
  attemptCount += 1;
  if (attemptCount === 1) throw new Error('EMFILE');
  return load();
});

test('the document of a service is created again after its library could not be loaded', async () => {
  await using service = createEcho();
  const { url } = await service.listen();
  const read = async (): Promise<number> =>
    (await fetch(`${url}/openapi.json`, { headers: { authorization: 'me' } })).status;
  expect([await read(), await read(), await read()]).toEqual([500, 200, 200]);
  expect(attemptCount).toBe(2);
});
