import { QuireError } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Authenticator } from '../src/authenticator.ts';
import type { KnownPrincipal } from '../src/known-principal.ts';
import { matchesScryptHash, type ScryptHash } from '../src/scrypt-hash.ts';
import { basic } from './principal-builder.ts';

// A derivation costs real time, so these tests count derivations instead.
vi.mock(import('../src/scrypt-hash.ts'), async (original) => ({
  ...(await original()),
  matchesScryptHash: vi.fn<typeof matchesScryptHash>(),
}));

const derive = vi.mocked(matchesScryptHash);
const cheap: ScryptHash = {
  cost: 1024,
  blockSize: 1,
  parallelization: 1,
  salt: new Uint8Array(8),
  key: new Uint8Array(32),
};
const dear: ScryptHash = { ...cheap, cost: 4096 };

function principal(name: string, passwordHash?: ScryptHash): KnownPrincipal {
  return { name, role: 'query', tokenDigest: undefined, passwordDigest: undefined, passwordHash };
}

function authenticatorOf(...principals: readonly KnownPrincipal[]): Authenticator {
  return new Authenticator(principals, { random: new SeededRandom(1) });
}

const wrong = new QuireError('UNAUTHENTICATED', 'The credentials are wrong.');

beforeEach(() => {
  derive.mockReset();
  derive.mockImplementation(async (password) => password === 'right');
});

describe('a password kept as a scrypt hash', () => {
  test('a password kept as a scrypt hash is checked once, however often it comes, at the same time or later', async () => {
    const authenticator = authenticatorOf(principal('dee', cheap));
    const header = basic('dee', 'right');
    await Promise.all([authenticator.authenticate(header), authenticator.authenticate(header)]);
    expect(await authenticator.authenticate(header)).toEqual({ name: 'dee', role: 'query' });
    expect(derive.mock.calls).toEqual([['right', cheap]]);
  });

  test('a password kept as a scrypt hash is checked again each time that it is wrong', async () => {
    const authenticator = authenticatorOf(principal('dee', cheap));
    for (let time = 0; time < 3; time += 1) {
      await expect(authenticator.authenticate(basic('dee', 'no'))).rejects.toStrictEqual(wrong);
    }
    expect(derive).toHaveBeenCalledTimes(3);
  });

  test('a password kept as a scrypt hash costs the dearest derivation for an unknown name and for a name without a hash, and is right for neither', async () => {
    const authenticator = authenticatorOf(
      principal('ann'),
      principal('cy', cheap),
      principal('dee', dear),
    );
    await expect(authenticator.authenticate(basic('eve', 'right'))).rejects.toStrictEqual(wrong);
    await expect(authenticator.authenticate(basic('ann', 'right'))).rejects.toStrictEqual(wrong);
    const decoys = derive.mock.calls.map(([, hash]) => hash);
    expect(decoys).toMatchObject([
      { cost: 4096, salt: dear.salt },
      { cost: 4096, salt: dear.salt },
    ]);
    expect(decoys.map(({ key }) => Buffer.compare(key, dear.key))).not.toContain(0);
  });

  test('a password kept as a scrypt hash costs nothing where nobody has one, nor for a token', async () => {
    await expect(
      authenticatorOf(principal('ann')).authenticate(basic('ann', 'x')),
    ).rejects.toStrictEqual(wrong);
    await expect(
      authenticatorOf(principal('dee', cheap)).authenticate('Bearer x'),
    ).rejects.toStrictEqual(wrong);
    expect(derive).not.toHaveBeenCalled();
  });

  test('a password kept as a scrypt hash is not confused with the same letters split otherwise into name and password', async () => {
    const authenticator = authenticatorOf(principal('dee', cheap));
    await authenticator.authenticate(basic('dee', 'right'));
    await expect(authenticator.authenticate(basic('de', 'eright'))).rejects.toStrictEqual(wrong);
    await expect(authenticator.authenticate(basic('dee', ':right'))).rejects.toStrictEqual(wrong);
    expect(derive).toHaveBeenCalledTimes(3);
  });

  test('a password kept as a scrypt hash waits for the one before; when 64 wait, another is turned away', async () => {
    const authenticator = authenticatorOf(principal('dee', cheap));
    const { promise, resolve } = Promise.withResolvers<boolean>();
    derive.mockReturnValueOnce(promise);
    const attempts = Array.from({ length: 65 }, (_, index) =>
      authenticator.authenticate(basic('dee', `guess ${index}`)),
    );
    const outcomes = Promise.allSettled(attempts);
    await expect(authenticator.authenticate(basic('dee', 'right'))).rejects.toStrictEqual(
      new QuireError('TOO_MANY_REQUESTS', 'Too many passwords are being checked; retry shortly.'),
    );
    expect(derive).toHaveBeenCalledTimes(1);
    resolve(false);
    expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
    expect(derive).toHaveBeenCalledTimes(65);
    expect(await authenticator.authenticate(basic('dee', 'right'))).toEqual({
      name: 'dee',
      role: 'query',
    });
  });

  test('a password kept as a scrypt hash can be tried again after a derivation that failed', async () => {
    const authenticator = authenticatorOf(principal('dee', cheap));
    const failure = new Error('out of memory');
    derive.mockRejectedValueOnce(failure);
    await expect(authenticator.authenticate(basic('dee', 'right'))).rejects.toBe(failure);
    expect(await authenticator.authenticate(basic('dee', 'right'))).toEqual({
      name: 'dee',
      role: 'query',
    });
  });

  test('a password kept as a scrypt hash is forgotten when 1024 others were used since', async () => {
    derive.mockImplementation(async () => true);
    const authenticator = authenticatorOf(principal('dee', cheap));
    await authenticator.authenticate(basic('dee', 'kept'));
    for (let index = 0; index < 1024; index += 1) {
      await authenticator.authenticate(basic('dee', `other ${index}`));
      await authenticator.authenticate(basic('dee', 'kept'));
    }
    expect(derive).toHaveBeenCalledTimes(1025);
    await authenticator.authenticate(basic('dee', 'other 0'));
    expect(derive).toHaveBeenCalledTimes(1026);
  });
});
