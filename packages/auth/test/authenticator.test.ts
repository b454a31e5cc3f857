import { QuireError } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import { Authenticator, hashToken } from '@quire/auth';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { basic, parseWith } from './principal-builder.ts';

const principals = await parseWith(
  [
    { name: 'ann', role: 'admin', tokenSha256: hashToken('ann-token') },
    { name: 'bob', role: 'query', tokenEnv: 'BOB_TOKEN', passwordFile: '/bob' },
    { name: 'cy', role: 'query', passwordEnv: 'CY_PASSWORD' },
    // The password is correct horse.
    {
      name: 'dee',
      role: 'query',
      passwordScrypt:
        'scrypt:1024:1:1:AAECAwQFBgcICQoLDA0ODw==:NpEifZX4sYHP03adS1hmM/aNI+U/UmNfBi061C5WB0E=',
    },
  ],
  {
    environment: { BOB_TOKEN: ' bob-token\n', CY_PASSWORD: 'pass:wörd' },
    files: { '/bob': 'bob password\r\n' },
  },
);
const authenticator = new Authenticator(principals, { random: new SeededRandom(1) });

const ann = { name: 'ann', role: 'admin' };
const bob = { name: 'bob', role: 'query' };
const cy = { name: 'cy', role: 'query' };
const dee = { name: 'dee', role: 'query' };

const missing = new QuireError(
  'UNAUTHENTICATED',
  "Authorization is missing: expected 'Basic <token>' or 'Bearer <token>'.",
);
const malformed = new QuireError(
  'UNAUTHENTICATED',
  "Authorization is malformed: expected 'Basic <token>' or 'Bearer <token>'.",
);
const wrong = new QuireError('UNAUTHENTICATED', 'The credentials are wrong.');

describe('authenticate', () => {
  test.each([
    ['a token', 'Bearer ann-token', ann],
    ['a scheme in any case and blanks around', 'bEARER   bob-token  ', bob],
    ['a token as it is after Basic', 'Basic ann-token', ann],
    ['a name and its token', basic('ann', 'ann-token'), ann],
    ['a name and its password', basic('bob', 'bob password'), bob],
    ['a password with colons and letters of any alphabet', basic('cy', 'pass:wörd'), cy],
    ['a password typed with combining characters', basic('cy', 'pass:wo\u0308rd'), cy],
    ['a password kept as a scrypt hash', basic('dee', 'correct horse'), dee],
    [
      'a scheme in any case before a login',
      basic('dee', 'correct horse').replace('Basic', 'basic'),
      dee,
    ],
  ])('authenticate accepts %s', async (_what, header, principal) => {
    expect(await authenticator.authenticate(header)).toStrictEqual(principal);
  });

  test.each([
    ['undefined', undefined],
    ['empty', ''],
  ])('authenticate asks for a header that is %s', async (_what, header) => {
    await expect(authenticator.authenticate(header)).rejects.toStrictEqual(missing);
  });

  test.each([
    'Bearer',
    'Bearer ',
    'ann-token',
    'Digest username="ann"',
    'Bearer ann token',
    'Bearer ann-token, Bearer bob-token',
    'Bearer "ann-token"',
    'Bearer ann-tokén',
    'Bearer\tann-token',
    'Basic ann:ann-token',
    ' Bearer ann-token',
    'Bearer ann-token\nX: y',
    `Bearer ${'a'.repeat(8192)}`,
  ])('authenticate refuses a header of another form: %j', async (header) => {
    await expect(authenticator.authenticate(header)).rejects.toStrictEqual(malformed);
  });

  test.each([
    ['an unknown token', 'Bearer nobody'],
    ['a token in another case', 'Bearer ANN-TOKEN'],
    ['a part of a token', 'Bearer ann-toke'],
    ['the hash of a token', `Bearer ${hashToken('ann-token')}`],
    ['a login after Bearer', basic('bob', 'bob password').replace('Basic', 'Bearer')],
    ['a password after Bearer', 'Bearer password'],
    ['an unknown name', basic('eve', 'bob password')],
    ['a wrong password', basic('bob', 'bob passwort')],
    ["somebody else's password", basic('ann', 'bob password')],
    ["somebody else's token", basic('bob', 'ann-token')],
    ['a password with the line break of its file', basic('bob', 'bob password\r\n')],
    ['a wrong password where it is a scrypt hash', basic('dee', 'correct house')],
    ['a password of one without password', basic('ann', '')],
    ['no password', basic('bob', '')],
    ['no name', basic('', 'bob password')],
    ['a name in another case', basic('BOB', 'bob password')],
    ['a name that all objects have', basic('__proto__', 'x')],
    [
      'bytes that are not text',
      `Basic ${Buffer.from([0x62, 0x6f, 0x62, 0x3a, 0xff]).toString('base64')}`,
    ],
    ['no colon', `Basic ${Buffer.from('bob').toString('base64')}`],
  ])('authenticate refuses %s, always in the same words', async (_what, header) => {
    await expect(authenticator.authenticate(header)).rejects.toStrictEqual(wrong);
  });

  test('authenticate has three answers to all that is wrong, and none repeats any of it', async () => {
    const words = fc.constantFrom(
      'Basic',
      'Bearer',
      'basic',
      'ann',
      'bob',
      'Ym9iOg==',
      ' ',
      '=',
      ':',
      '\n',
      '"',
      'é',
      '%',
      '\0',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(words).map((each) => each.join('')),
        ),
        async (header) => {
          const error: unknown = await authenticator.authenticate(header).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          expect([missing, malformed, wrong]).toContainEqual(error);
        },
      ),
    );
  });
});
