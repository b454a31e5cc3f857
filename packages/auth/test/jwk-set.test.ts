import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { errors, jwtVerify } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { JwkSet } from '../src/index.ts';
import { JwtIssuer } from './jwt-issuer.ts';

let issuer: JwtIssuer;
let clock: ManualClock;
let readCount: number;
let failure: QuireError | undefined;
let problems: string[];
let keys: JwkSet;

beforeEach(async () => {
  issuer = await JwtIssuer.create('ES256', 'k1');
  clock = new ManualClock();
  [readCount, failure, problems] = [0, undefined, []];
  keys = new JwkSet({
    read,
    clock,
    maxAgeMs: 600_000,
    cooldownMs: 30_000,
    onProblem: ({ message }) => problems.push(message),
  });
});

async function read(): Promise<string> {
  readCount += 1;
  if (failure !== undefined) throw failure;
  return issuer.jwks;
}

const verify = async (keyId: string): Promise<unknown> =>
  (await jwtVerify(await issuer.sign({ sub: keyId }, keyId), keys.keyFor)).payload.sub;

test('a key that is new is found, and one that is gone no longer counts', async () => {
  expect(await verify('k1')).toBe('k1');
  const old = await issuer.sign({}, 'k1');
  await issuer.addKey('k2');
  issuer.removeKey('k1');
  await clock.advance(30_000);

  expect(await verify('k2')).toBe('k2');
  await expect(jwtVerify(old, keys.keyFor)).rejects.toThrow(errors.JWKSNoMatchingKey);
});

test('many unknown keys cost one reading in each cooldown', async () => {
  await verify('k1');
  const stranger = await JwtIssuer.create('ES256', 'unknown');
  const token = await stranger.sign({}, 'unknown');
  const attempts = async (): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        jwtVerify(token, keys.keyFor).catch((error: unknown) => error),
      ),
    );

  await attempts();
  expect(readCount).toBe(1);
  await clock.advance(30_000);
  const outcomes = await attempts();

  expect(readCount).toBe(2);
  expect(outcomes.every((outcome) => outcome instanceof errors.JWKSNoMatchingKey)).toBe(true);
});

test('calls that come together share the first reading', async () => {
  expect(await Promise.all(['k1', 'k1', 'k1'].map(verify))).toEqual(['k1', 'k1', 'k1']);
  expect(readCount).toBe(1);
});

test('an old set is read again, and is good enough while that fails', async () => {
  await verify('k1');
  failure = new QuireError('SERVER_UNREACHABLE', 'No answer.');
  await clock.advance(600_000);

  expect(await verify('k1')).toBe('k1');
  expect(await verify('k1')).toBe('k1');
  expect([readCount, problems]).toEqual([2, ['No answer.']]);
});

test('without any set nobody can be told, and the next try comes after the cooldown', async () => {
  failure = new QuireError('SERVER_UNREACHABLE', 'No answer.');
  for (const _ of [1, 2]) {
    await expect(verify('k1')).rejects.toMatchObject({ code: 'AUTHENTICATION_UNAVAILABLE' });
  }
  expect(readCount).toBe(1);
  failure = undefined;
  await clock.advance(30_000);
  expect(await verify('k1')).toBe('k1');
});

test.each([
  ['secret{', 'it is not valid JSON'],
  ['null', 'it has no list of keys'],
  ['{"keys":{}}', 'it has no list of keys'],
  ['{"keys":[7]}', 'it is malformed'],
  [
    JSON.stringify({ keys: Array.from({ length: 201 }, () => ({ kty: 'EC' })) }),
    'it has more than 200 keys',
  ],
])('what is not a set of keys is a problem: %#', async (text, reason) => {
  const broken = new JwkSet({
    read: async () => text,
    clock,
    maxAgeMs: 1,
    cooldownMs: 1,
    onProblem: ({ message }) => problems.push(message),
  });
  await expect(jwtVerify(await issuer.sign({}), broken.keyFor)).rejects.toMatchObject({
    code: 'AUTHENTICATION_UNAVAILABLE',
  });
  expect(problems).toEqual([
    `engine.auth.jwt.jwks.url: expected a JSON Web Key Set with public keys: ${reason}.`,
  ]);
});
