import { createHmac, createPublicKey } from 'node:crypto';
import { ManualClock } from '@quire/core/testing';
import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  Authenticator,
  hashToken,
  JwkSet,
  type JwtOptions,
  JwtVerifier,
  refusalReasonOf,
} from '../src/index.ts';
import { forgeToken, JwtIssuer } from './jwt-issuer.ts';
import { parseWith } from './principal-builder.ts';

const clock = new ManualClock();
const nowSeconds = clock.nowMs() / 1000;
const issuer = await JwtIssuer.create('ES256', 'k1');
const rsaIssuer = await JwtIssuer.create('RS256', 'k1');

const good = {
  iss: 'https://issuer.example.com',
  aud: 'quire',
  sub: 'ann@example.com',
  exp: nowSeconds + 60,
  roles: 'query',
};

function verifierOf(options: Partial<JwtOptions> = {}, jwks: string = issuer.jwks): JwtVerifier {
  const read = async (): Promise<string> => jwks;
  return new JwtVerifier({
    keys: new JwkSet({
      read,
      clock,
      maxAgeMs: 600_000,
      cooldownMs: 30_000,
      onProblem: () => undefined,
    }),
    clock,
    issuer: good.iss,
    audience: good.aud,
    algorithms: ['ES256', 'RS256'],
    clockToleranceMs: 5000,
    subjectClaim: 'sub',
    roleClaim: 'roles',
    roleWords: { admin: 'admin', query: 'query' },
    roleDefault: undefined,
    ...options,
  });
}

const without = (claim: keyof typeof good): JWTPayload => ({ ...good, [claim]: undefined });

async function refusalOf(task: Promise<unknown>): Promise<unknown> {
  try {
    return { accepted: await task };
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message, reason: refusalReasonOf(error) };
  }
}

describe('whom a token stands for', () => {
  test.each([
    ['a role as a text', { ...good, roles: 'query' }, 'query'],
    ['one of several roles in a text', { ...good, roles: 'openid admin' }, 'admin'],
    ['one of a list of roles, the higher one', { ...good, roles: ['query', 'admin', 7] }, 'admin'],
    ['an audience among others', { ...good, aud: ['other', 'quire'] }, 'query'],
    ['a token that has expired within the tolerance', { ...good, exp: nowSeconds - 4 }, 'query'],
    ['a token that holds from now on', { ...good, nbf: nowSeconds }, 'query'],
  ])('whom a token stands for: %s', async (_what, claims, role) => {
    expect(await verifierOf().verify(await issuer.sign(claims))).toEqual({
      name: 'jwt:ann@example.com',
      role,
    });
  });

  test('a token stands for its principal by claims of other names, also within objects', async () => {
    const verifier = verifierOf({
      subjectClaim: 'https://example.com/user.id',
      roleClaim: 'realm_access.roles',
      roleWords: { admin: 'quire-admin', query: 'quire-user' },
    });
    const claims = {
      ...good,
      'https://example.com/user.id': '7',
      realm_access: { roles: ['quire-admin'] },
    };
    expect(await verifier.verify(await issuer.sign(claims))).toEqual({
      name: 'jwt:7',
      role: 'admin',
    });
  });

  test('a role for those who have none, when there is a default', async () => {
    const token = await issuer.sign(without('roles'));
    expect(await verifierOf({ roleDefault: 'query' }).verify(token)).toEqual({
      name: 'jwt:ann@example.com',
      role: 'query',
    });
  });

  test('a role named like a member that all objects have is not a role', async () => {
    const token = await issuer.sign(good);
    expect(
      await refusalOf(verifierOf({ roleClaim: 'constructor.name' }).verify(token)),
    ).toMatchObject({
      reason: 'the token has no role in its claim constructor.name',
    });
  });
});

describe('what is refused, always in the same words', async () => {
  const stranger = await JwtIssuer.create('ES256', 'k1');
  const unpublished = await JwtIssuer.create('ES256', 'k9');
  const head = { alg: 'ES256', kid: 'k1' };
  const signed = await issuer.sign(good);
  const [header = '', , signature = ''] = signed.split('.');
  const claims: readonly [string, JWTPayload, string][] = [
    ['an expired token', { ...good, exp: nowSeconds - 5 }, 'the token has expired'],
    [
      'a token without an end',
      without('exp'),
      "the token's claim exp does not have the required value",
    ],
    [
      'a token of another issuer',
      { ...good, iss: 'https://evil.example.com' },
      "the token's claim iss does not have the required value",
    ],
    [
      'a token without issuer',
      without('iss'),
      "the token's claim iss does not have the required value",
    ],
    [
      'a token for another audience',
      { ...good, aud: 'other' },
      "the token's claim aud does not have the required value",
    ],
    [
      'a token without audience',
      without('aud'),
      "the token's claim aud does not have the required value",
    ],
    [
      'a token that does not hold yet',
      { ...good, nbf: nowSeconds + 6 },
      "the token's claim nbf does not have the required value",
    ],
    [
      'a token without subject',
      without('sub'),
      'the token has no claim sub of 1 to 255 printable characters',
    ],
    [
      'an empty subject',
      { ...good, sub: '' },
      'the token has no claim sub of 1 to 255 printable characters',
    ],
    [
      'a subject with a line break',
      { ...good, sub: 'a\nb' },
      'the token has no claim sub of 1 to 255 printable characters',
    ],
    [
      'a very long subject',
      { ...good, sub: 'x'.repeat(256) },
      'the token has no claim sub of 1 to 255 printable characters',
    ],
    ['a token without role', without('roles'), 'the token has no role in its claim roles'],
    [
      'a role of another name',
      { ...good, roles: 'administrator' },
      'the token has no role in its claim roles',
    ],
  ];
  test.each(claims)(
    'a token is refused, always in the same words: %s',
    async (_what, payload, reason) => {
      const refusal = await refusalOf(verifierOf().verify(await issuer.sign(payload)));
      expect(refusal).toEqual({
        code: 'UNAUTHENTICATED',
        message: 'The credentials are wrong.',
        reason,
      });
    },
  );

  const publicPem = createPublicKey({ key: rsaIssuer.publicKey('k1'), format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  const hmacSigned = (key: string | Buffer): string => {
    const unsigned = forgeToken({ alg: 'HS256', kid: 'k1' }, good).slice(0, -1);
    return `${unsigned}.${createHmac('sha256', key).update(unsigned).digest('base64url')}`;
  };
  const forged: readonly [string, string, string][] = [
    [
      'no signature, by its own word',
      forgeToken({ alg: 'none' }, good),
      'the token is signed with an algorithm that is not allowed',
    ],
    [
      'no signature, in other letters',
      forgeToken({ alg: 'nOnE' }, good),
      'the token is signed with an algorithm that is not allowed',
    ],
    [
      'a signature cut off',
      `${signed.slice(0, signed.lastIndexOf('.'))}.`,
      'the signature of the token is not valid',
    ],
    [
      'a key of somebody else',
      await stranger.sign(good),
      'the signature of the token is not valid',
    ],
    [
      'a key that nobody published',
      await unpublished.sign(good, 'k9'),
      'the token names a key that the issuer does not have',
    ],
    [
      'other claims',
      forgeToken(head, { ...good, roles: 'admin' }, signature),
      'the signature of the token is not valid',
    ],
    [
      "the issuer's public key as a secret",
      hmacSigned(publicPem),
      'the token is signed with an algorithm that is not allowed',
    ],
    [
      'a head that is not one',
      `AAAA.${signed.split('.')[1]}.${signature}`,
      'the token is malformed',
    ],
    [
      'claims that are not valid',
      `${header}.AAAA.${signature}`,
      'the signature of the token is not valid',
    ],
    [
      'an extension that nobody knows',
      forgeToken({ ...head, crit: ['x'], x: 1 }, good, signature),
      'the token is malformed',
    ],
  ];
  test.each(forged)(
    'a token is refused, always in the same words: %s',
    async (_what, token, reason) => {
      const refusal = await refusalOf(verifierOf({}, rsaAndEs()).verify(token));
      expect(refusal).toEqual({
        code: 'UNAUTHENTICATED',
        message: 'The credentials are wrong.',
        reason,
      });
    },
  );

  /** The keys of both issuers; the RSA one by a name of its own. */
  function rsaAndEs(): string {
    const { keys } = JSON.parse(issuer.jwks) as { keys: object[] };
    return JSON.stringify({ keys: [...keys, { ...rsaIssuer.publicKey('k1'), kid: 'rsa' }] });
  }

  test('an algorithm that the settings do not allow', async () => {
    const verifier = verifierOf({ algorithms: ['RS256'] });
    expect(await refusalOf(verifier.verify(signed))).toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'the token is signed with an algorithm that is not allowed',
    });
  });

  test('a token that does not say which of several keys it is signed with', async () => {
    const two = await JwtIssuer.create('ES256', 'k1', 'k2');
    const anonymous = forgeToken({ alg: 'ES256' }, good, signature);
    expect(await refusalOf(verifierOf({}, two.jwks).verify(anonymous))).toMatchObject({
      reason: 'the token does not identify its key, and there are several',
    });
  });

  test('a secret published as a key', async () => {
    const secret = {
      kty: 'oct',
      k: Buffer.from('x'.repeat(32)).toString('base64url'),
      kid: 'k1',
      alg: 'HS256',
    };
    const verifier = verifierOf({}, JSON.stringify({ keys: [secret] }));
    expect(await refusalOf(verifier.verify(hmacSigned('x'.repeat(32))))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });
});

test('nothing of a token is in what its refusal says, causes included', async () => {
  const token = await issuer.sign({ ...good, exp: 1, secretClaim: 'do-not-log' });
  const error: unknown = await verifierOf()
    .verify(token)
    .catch((thrown: unknown) => thrown);
  const logged = JSON.stringify(error, (_key, value: unknown) =>
    value instanceof Error
      ? {
          members: Object.entries(value),
          message: value.message,
          stack: value.stack,
          cause: value.cause,
        }
      : value,
  );
  for (const part of [...token.split('.'), 'do-not-log', 'ann@example.com']) {
    expect(logged).not.toContain(part);
  }
  expect(logged).toContain('the token has expired');
});

describe('beside principals in the settings', async () => {
  const principals = await parseWith([
    { name: 'ann', role: 'admin', tokenSha256: hashToken('ann-token') },
    { name: 'dotted', role: 'query', tokenSha256: hashToken('a.b.c') },
  ]);
  const authenticator = new Authenticator(principals, { jwt: verifierOf() });

  test('a subject that is called like one of them is somebody else', async () => {
    const token = await issuer.sign({ ...good, sub: 'ann' });
    expect(await authenticator.authenticate(`Bearer ${token}`)).toEqual({
      name: 'jwt:ann',
      role: 'query',
    });
    expect(await authenticator.authenticate('Bearer ann-token')).toEqual({
      name: 'ann',
      role: 'admin',
    });
  });

  test('a token in the settings may look like a JSON Web Token', async () => {
    expect(await authenticator.authenticate('Bearer a.b.c')).toEqual({
      name: 'dotted',
      role: 'query',
    });
  });

  test('a JSON Web Token is a bearer token only', async () => {
    const token = await issuer.sign(good);
    await expect(authenticator.authenticate(`Basic ${token}`)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  test('a token that is too long is not looked at', async () => {
    const token = await issuer.sign({ ...good, padding: 'x'.repeat(9000) });
    await expect(authenticator.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: "Authorization is malformed: expected 'Basic <token>' or 'Bearer <token>'.",
    });
  });
});
