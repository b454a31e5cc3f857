import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namedSettings, fixedSettings } from '../src/known-keys.ts';
import { messagesOf, parse, viewOf } from './settings-builder.ts';

const secretKeys = [...fixedSettings, ...namedSettings]
  .filter(({ row }) => row.secret)
  .map(({ row }) => row.key.replace('<name>', 'ann'));

describe('secrets', () => {
  test('secrets are these settings', () => {
    expect(secretKeys).toEqual([
      'engine.auth.jwt.jwks.url',
      'engine.broker.pagination.s3.access.key',
      'engine.broker.pagination.s3.secret.key',
      'engine.broker.pagination.gcs.key.file',
      'engine.broker.pagination.azure.account.key',
      'engine.broker.pagination.azure.sas.token',
      'engine.broker.pagination.azure.connection.string',
      'engine.broker.pagination.owner.tag.key',
      'engine.broker.flight.token.key',
      'engine.pinot.auth.token',
      'engine.pinot.auth.url',
      'controller.admin.auth.url',
      'controller.admin.auth.token',
      'engine.auth.principal.ann.token.sha256',
      'engine.auth.principal.ann.token.file',
      'engine.auth.principal.ann.token.env',
      'engine.auth.principal.ann.password.scrypt',
      'engine.auth.principal.ann.password.file',
      'engine.auth.principal.ann.password.env',
    ]);
  });

  test('secrets are shown as (secret), with their source', () => {
    const file = `engine.auth.principal.ann.role = admin\nengine.auth.principal.ann.token.sha256 = ${'ab'.repeat(32)}`;
    expect(viewOf({ file }).map(({ key, value }) => [key, value])).toEqual([
      ['engine.auth.principal.ann.role', 'admin'],
      ['engine.auth.principal.ann.token.sha256', '(secret)'],
    ]);
  });

  test('secrets are not repeated when they are malformed', () => {
    const file = [
      'engine.auth.principal.ann.role = admin',
      'engine.auth.principal.ann.token.sha256 = hush',
      'engine.auth.principal.ann.token.env = hush-hush',
      'engine.auth.principal.ann.password.scrypt = hush',
    ].join('\n');
    expect(messagesOf({ file })).toEqual([
      'engine.auth.principal.ann.token.sha256 = (secret) (conf/quire.properties:2): expected 64 hexadecimal digits.',
      'engine.auth.principal.ann.token.env = (secret) (conf/quire.properties:3): expected the name of an environment variable.',
      'engine.auth.principal.ann.password.scrypt = (secret) (conf/quire.properties:4): ' +
        'expected scrypt:N:r:p:salt:hash, the last two in base64.',
    ]);
  });

  test('secrets appear in no problem and no view, wherever they are put and whether they are allowed or not', () => {
    const secret = fc.string({
      unit: fc.constantFrom(...'abcdef0123456789'.split('')),
      minLength: 20,
      maxLength: 64,
    });
    const keys = fc.constantFrom(
      ...secretKeys,
      'engine.auth.principal.ann.secret',
      'engine.auth.principal.a b.token.file',
    );
    const place = fc.constantFrom('file', 'duplicate', 'environment', 'override', 'bare line');
    fc.assert(
      fc.property(secret, keys, place, (value, key, where) => {
        const files: Partial<Record<string, string>> = {
          file: `${key.replaceAll(' ', '\\ ')} = ${value}`,
          duplicate: `${key} = ${value}\n${key} = ${value}`,
          'bare line': value,
        };
        const file = files[where];
        const outcome = parse({
          ...(file === undefined ? {} : { file }),
          environment:
            where === 'environment' ? { [key.toUpperCase().replaceAll('.', '_')]: value } : {},
          overrides: where === 'override' ? [`${key}=${value}`] : [],
        });
        expect(JSON.stringify(outcome.ok ? outcome.view : outcome.problems)).not.toContain(value);
      }),
    );
  });
});
