import { QuireError } from '@quire/core';
import { hashToken, type PrincipalSettings } from '@quire/auth';
import { describe, expect, test } from 'vitest';
import { parseWith } from './principal-builder.ts';

const absent = { tokenDigest: undefined, passwordDigest: undefined, passwordHash: undefined };
const key = Buffer.alloc(32, 7);
const hash = `scrypt:1024:8:1:${Buffer.alloc(16, 1).toString('base64')}:${key.toString('base64')}`;

function digest(text: string): Buffer {
  return Buffer.from(hashToken(text), 'hex');
}

/** Returns the problem of one principal. */
async function problemOf(settings: Partial<PrincipalSettings>, secrets = {}): Promise<unknown> {
  return parseWith([{ name: 'ann', role: 'query', ...settings }], secrets).then(
    () => undefined,
    (error: unknown) =>
      error instanceof QuireError && error.code === 'INVALID_SETTING' ? error.message : error,
  );
}

describe('parsePrincipals', () => {
  test('parsePrincipals reads tokens and passwords from the settings, files and variables, and keeps only digests', async () => {
    const principals = await parseWith(
      [
        {
          name: 'a',
          role: 'admin',
          tokenSha256: hashToken('t').toUpperCase(),
          passwordScrypt: hash,
        },
        { name: 'b', role: 'query', tokenFile: '/token', passwordFile: '/password' },
        { name: 'c', role: 'query', tokenEnv: 'TOKEN', passwordEnv: 'PASSWORD' },
      ],
      {
        files: { '/token': '\n file-token \r\n', '/password': ' file password \n\n' },
        environment: { TOKEN: 'env-token', PASSWORD: 'file password' },
      },
    );
    expect(principals).toStrictEqual([
      {
        ...absent,
        name: 'a',
        role: 'admin',
        tokenDigest: digest('t'),
        passwordHash: {
          cost: 1024,
          blockSize: 8,
          parallelization: 1,
          salt: Buffer.alloc(16, 1),
          key,
        },
      },
      {
        ...absent,
        name: 'b',
        role: 'query',
        tokenDigest: digest('file-token'),
        passwordDigest: digest(' file password '),
      },
      {
        ...absent,
        name: 'c',
        role: 'query',
        tokenDigest: digest('env-token'),
        passwordDigest: digest('file password'),
      },
    ]);
  });

  test('parsePrincipals refuses to go without principals', async () => {
    await expect(parseWith([])).rejects.toStrictEqual(
      new QuireError(
        'INVALID_SETTING',
        'No principal is configured, so every call would be refused: set engine.auth.principal.<name>.role and a credential.',
      ),
    );
  });

  test.each<[string, Partial<PrincipalSettings>, string]>([
    [
      'no credential',
      {},
      'engine.auth.principal.ann has no credential: set one of its settings token.… or password.….',
    ],
    [
      'two tokens',
      { tokenSha256: hashToken('t'), tokenEnv: 'T' },
      'engine.auth.principal.ann.token.sha256 and engine.auth.principal.ann.token.env are both set: expected one of them.',
    ],
    [
      'two passwords',
      { passwordFile: '/p', passwordEnv: 'P' },
      'engine.auth.principal.ann.password.file and engine.auth.principal.ann.password.env are both set: expected one of them.',
    ],
    [
      'a malformed digest',
      { tokenSha256: 'hush' },
      'engine.auth.principal.ann.token.sha256 = (secret): expected 64 hexadecimal digits.',
    ],
    [
      'a variable that is not set',
      { tokenEnv: 'HUSH' },
      'The environment variable named by engine.auth.principal.ann.token.env is not set.',
    ],
    [
      'a file that is not there',
      { passwordFile: '/hush' },
      'The file named by engine.auth.principal.ann.password.file cannot be read (ENOENT).',
    ],
    [
      'a token with a blank',
      { tokenEnv: 'BLANK' },
      'The token of engine.auth.principal.ann is not valid: expected letters, digits and . _ ~ + / - only.',
    ],
    [
      'an empty token',
      { tokenEnv: 'EMPTY' },
      'The token of engine.auth.principal.ann is not valid: expected letters, digits and . _ ~ + / - only.',
    ],
    [
      'an empty password',
      { passwordEnv: 'EMPTY' },
      'The password of engine.auth.principal.ann is empty.',
    ],
  ])('parsePrincipals refuses %s without saying what it says', async (_what, settings, message) => {
    expect(await problemOf(settings, { environment: { BLANK: 'hush hush', EMPTY: '\n' } })).toBe(
      message,
    );
  });

  test.each([
    'hush',
    'scrypt:1000:8:1:AAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:512:8:1:AAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:4194304:1:1:AAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:1024:0:1:AAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:1024:33:1:AAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:1024:8:17:AAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:1024:8:1:AAAA:AAAAAAAAAAAAAAAAAAAAAA==',
    'scrypt:1024:8:1:AAAAAAAAAAA=:AAAA',
  ])('parsePrincipals refuses the password hash %s', async (passwordScrypt) => {
    expect(await problemOf({ passwordScrypt })).toBe(
      'engine.auth.principal.ann.password.scrypt = (secret): expected scrypt:N:r:p:salt:hash with N a power of two from 1024, ' +
        'r from 1 to 32, p from 1 to 16, N·r of 2097152 at most, and in base64 a salt of at least 8 bytes and a hash of 16 to 64 bytes.',
    );
  });

  test('parsePrincipals refuses two principals with one token or one name, and tells of all problems at once', async () => {
    const principals: readonly PrincipalSettings[] = [
      { name: 'a', role: 'admin', tokenSha256: hashToken('same') },
      { name: 'b', role: 'query', tokenEnv: 'TOKEN' },
      { name: 'a', role: 'query', tokenSha256: hashToken('other') },
      { name: 'c', role: 'query' },
    ];
    await expect(parseWith(principals, { environment: { TOKEN: 'same' } })).rejects.toStrictEqual(
      new QuireError(
        'INVALID_SETTING',
        'engine.auth.principal.b has the same token as engine.auth.principal.a.\n' +
          'engine.auth.principal.a is configured twice.\n' +
          'engine.auth.principal.c has no credential: set one of its settings token.… or password.….',
      ),
    );
  });
});
