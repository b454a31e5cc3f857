import { expect, test, vi } from 'vitest';
import { loadJose } from '../src/load-jose.ts';

let attemptCount = 0;
vi.mock('jose', async (load) => {
  attemptCount += 1;
  if (attemptCount === 1) throw new Error('EMFILE');
  return load();
});

test('the library of JSON Web Tokens is loaded again after it could not be loaded', async () => {
  await expect(loadJose()).rejects.toThrow('mocking a module');
  expect(await loadJose()).toHaveProperty('jwtVerify');
  expect(await loadJose()).toHaveProperty('jwtVerify');
  expect(attemptCount).toBe(2);
});
