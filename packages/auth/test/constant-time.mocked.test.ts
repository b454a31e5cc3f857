import { beforeEach, expect, test, vi } from 'vitest';
import { Authenticator, hashToken } from '@quire/auth';
import { digestsEqual } from '../src/digest.ts';
import { basic, parseWith } from './principal-builder.ts';

// Time cannot be measured well enough in a test, so the number of comparisons is counted: it must
// not depend on the credential.
vi.mock(import('../src/digest.ts'), async (original) => {
  const actual = await original();
  return { ...actual, digestsEqual: vi.fn<typeof digestsEqual>(actual.digestsEqual) };
});

const compare = vi.mocked(digestsEqual);

beforeEach(() => {
  compare.mockClear();
});

const headers = [
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
];

/** Returns the number of comparisons that each credential costs with these principals. */
async function costsWith(...names: readonly string[]): Promise<readonly number[]> {
  const principals = await parseWith(
    names.map((name) => ({
      name,
      role: 'query' as const,
      tokenSha256: hashToken(`${name}-token`),
      passwordEnv: name,
    })),
    { environment: Object.fromEntries(names.map((name) => [name, `${name} password`])) },
  );
  const authenticator = new Authenticator(principals);
  const costs: number[] = [];
  for (const header of headers) {
    compare.mockClear();
    await authenticator.authenticate(header).catch(() => undefined);
    costs.push(compare.mock.calls.length);
    // Digests are compared, of one length: never the secrets.
    expect(
      compare.mock.calls.flat().every((digest) => digest === undefined || digest.byteLength === 32),
    ).toBe(true);
  }
  return costs;
}

test('every credential costs the same comparisons, whichever of the principals it is of, if any', async () => {
  const four = new Set(await costsWith('ann', 'bob', 'cy', 'dee'));
  const three = new Set(await costsWith('ann', 'bob', 'dee'));
  const two = new Set(await costsWith('ann', 'dee'));
  expect([four.size, three.size, two.size]).toEqual([1, 1, 1]);
  // All principals count, each as much as any other.
  const [ofFour = 0, ofThree = 0, ofTwo = 0] = [...four, ...three, ...two];
  expect(ofThree - ofTwo).toBeGreaterThan(0);
  expect(ofFour - ofThree).toBe(ofThree - ofTwo);
});
