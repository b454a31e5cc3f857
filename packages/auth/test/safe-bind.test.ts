import { QuireError } from '@quire/core';
import {
  assertSafeBind,
  hashToken,
  type PrincipalSettings,
  usesQuickstartTokens,
} from '@quire/auth';
import { describe, expect, test } from 'vitest';
import { parseWith } from './principal-builder.ts';

const ownToken: PrincipalSettings = { name: 'ann', role: 'admin', tokenSha256: hashToken('own') };
const environment = { ADMIN: 'quickstart-admin', ANALYST: 'quickstart-analyst' };
const openPrincipals: readonly PrincipalSettings[] = [
  { name: 'x', role: 'admin', tokenSha256: hashToken('quickstart-admin') },
  { name: 'x', role: 'query', tokenEnv: 'ANALYST' },
  { name: 'x', role: 'query', passwordEnv: 'ADMIN' },
];

describe('usesQuickstartTokens', () => {
  test.each(openPrincipals)(
    'usesQuickstartTokens finds one of them, wherever it comes from: %j',
    async (open) => {
      expect(usesQuickstartTokens(await parseWith([ownToken, open], { environment }))).toBe(true);
    },
  );

  test('usesQuickstartTokens finds none among other tokens', async () => {
    expect(usesQuickstartTokens(await parseWith([ownToken]))).toBe(false);
  });
});

describe('assertSafeBind', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.1',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    'localhost',
    'LOCALHOST',
  ])('assertSafeBind lets the quickstart listen on %s', async (host) => {
    const principals = await parseWith(openPrincipals.slice(0, 1));
    expect(() => assertSafeBind(host, principals)).not.toThrow();
  });

  test.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    '::ffff:10.0.0.1',
    'broker-1',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '',
  ])('assertSafeBind does not let the quickstart listen on %j', async (host) => {
    const principals = await parseWith(openPrincipals.slice(0, 1));
    expect(() => assertSafeBind(host, principals)).toThrow(
      new QuireError(
        'INVALID_SETTING',
        `engine.bind.host = ${host}: expected a loopback address such as 127.0.0.1, because a principal has a quickstart token, ` +
          'which is public. Give every principal its own token to listen elsewhere.',
      ),
    );
  });

  test('assertSafeBind lets principals with tokens of their own listen anywhere', async () => {
    const principals = await parseWith([ownToken]);
    expect(() => assertSafeBind('0.0.0.0', principals)).not.toThrow();
  });
});
