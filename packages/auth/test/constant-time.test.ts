import { beforeEach, expect, test, vi } from 'vitest';
import { Authenticator, hashToken } from '@quire/auth';
import { digestsEqual } from '../src/digest.ts';
import { basic, parseWith } from './principal-builder.ts';

// Time cannot be measured well enough in a test: what is counted is that the same comparisons are made, whatever comes.
vi.mock(import('../src/digest.ts'), async (original) => {
  const actual = await original();
  return { ...actual, digestsEqual: vi.fn<typeof digestsEqual>(actual.digestsEqual) };
});

const compare = vi.mocked(digestsEqual);

beforeEach(() => {
  compare.mockClear();
});

test('every credential is compared with the secrets of all principals, whichever of them it is, if any', async () => {
  const names = ['ann', 'bob', 'cy', 'dee'];
  const principals = await parseWith(
    names.map((name) => ({ name, role: 'query' as const, tokenSha256: hashToken(`${name}-token`), passwordEnv: name })),
    { environment: Object.fromEntries(names.map((name) => [name, `${name} password`])) },
  );
  const authenticator = new Authenticator(principals);
  const costs = new Map<string, number>();
  for (const header of [
    'Bearer ann-token',
    'Bearer dee-token',
    'Bearer wrong',
    'Basic bob-token',
    basic('ann', 'ann password'),
    basic('dee', 'dee password'),
    basic('dee', 'wrong'),
    basic('nobody', 'ann password'),
    basic('', ''),
    `Bearer ${'x'.repeat(8000)}`,
  ]) {
    compare.mockClear();
    await authenticator.authenticate(header).catch(() => undefined);
    costs.set(header, compare.mock.calls.length);
  }
  expect(new Set(costs.values())).toEqual(new Set([3 * names.length]));
  // Digests are compared, of one length: never the secrets.
  expect(compare.mock.calls.flat().every((digest) => digest === undefined || digest.byteLength === 32)).toBe(true);
});
