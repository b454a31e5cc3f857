import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import {
  Authenticator,
  hashToken,
  identifyPrincipals,
  type KnownPrincipal,
  SecretWatch,
} from '../src/index.ts';
import { basic, parseWith } from './principal-builder.ts';

test('a token that is replaced in its file counts within ten seconds, and the old one no longer does', async () => {
  const clock = new ManualClock();
  const files: Record<string, string> = { '/token': 'old-token', '/password': 'old password' };
  const read = (): Promise<readonly KnownPrincipal[]> =>
    parseWith([{ name: 'ann', role: 'query', tokenFile: '/token', passwordFile: '/password' }], {
      files,
    });
  const principals = await read();
  const authenticator = new Authenticator(principals);
  const events: string[] = [];
  await using _watch = new SecretWatch({
    read,
    current: principals,
    identify: identifyPrincipals,
    clock,
    onChange: (changed) => {
      events.push('changed');
      authenticator.replacePrincipals(changed);
    },
    onProblem: ({ message }) => events.push(message),
  });
  const outcomes = (): Promise<string[]> =>
    Promise.all(
      ['Bearer old-token', 'Bearer new-token', basic('ann', 'old password')].map((header) =>
        authenticator.authenticate(header).then(
          ({ name }) => name,
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    );
  const refused = 'UNAUTHENTICATED';

  await clock.advance(10_000);
  expect([await outcomes(), events]).toEqual([['ann', refused, 'ann'], []]);

  files['/token'] = 'new-token';
  await clock.advance(10_000);
  expect([await outcomes(), events]).toEqual([[refused, 'ann', 'ann'], ['changed']]);

  // A secret that cannot be read changes nothing, and is logged once.
  delete files['/password'];
  await clock.advance(30_000);
  expect(await outcomes()).toEqual([refused, 'ann', 'ann']);
  expect(events).toEqual([
    'changed',
    'The file named by engine.auth.principal.ann.password.file cannot be read (ENOENT).',
  ]);

  files['/password'] = 'new password';
  await clock.advance(10_000);
  expect([await outcomes(), events.at(-1)]).toEqual([[refused, 'ann', refused], 'changed']);
});

/** The hash of the password `correct horse`. */
const correctHorse =
  'scrypt:1024:1:1:AAECAwQFBgcICQoLDA0ODw==:NpEifZX4sYHP03adS1hmM/aNI+U/UmNfBi061C5WB0E=';

test('a password that was checked against a hash which has been replaced lets nobody in', async () => {
  const hashed = (passwordScrypt: string): Promise<readonly KnownPrincipal[]> =>
    parseWith([{ name: 'dee', role: 'query', passwordScrypt }]);
  const before = await hashed(correctHorse);
  const after = await hashed(correctHorse.replace(':NpEi', ':AAAi'));
  const authenticator = new Authenticator(before);

  const checking = authenticator.authenticate(basic('dee', 'correct horse'));
  authenticator.replacePrincipals(after);

  await expect(checking).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a right password that is being checked while others are replaced is accepted, with the new role', async () => {
  const read = (role: 'query' | 'admin', token: string): Promise<readonly KnownPrincipal[]> =>
    parseWith([
      { name: 'dee', role, passwordScrypt: correctHorse },
      { name: 'ann', role: 'query', tokenSha256: hashToken(token) },
    ]);
  const authenticator = new Authenticator(await read('admin', 'old'));
  const checking = authenticator.authenticate(basic('dee', 'correct horse'));
  authenticator.replacePrincipals(await read('query', 'new'));
  expect(await checking).toEqual({ name: 'dee', role: 'query' });
});
