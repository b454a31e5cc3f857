import { expect, test } from 'vitest';
import { requestFailures } from '../src/errors.ts';

function answer(name: string, httpStatusCode: number | undefined): Error {
  return Object.assign(new Error('said the server'), { name, $metadata: { httpStatusCode } });
}

test.each([
  ['get', answer('NoSuchKey', 404), 'OBJECT_NOT_FOUND'],
  ['head', answer('NotFound', 404), 'OBJECT_NOT_FOUND'],
  ['get', answer('NoSuchBucket', 404), 'STORE_MISCONFIGURED'],
  ['get', answer('InvalidRange', 416), 'OBJECT_SHORT_READ'],
  ['put', answer('SlowDown', 503), 'STORE_UNAVAILABLE'],
  ['put', answer('RequestTimeout', 400), 'STORE_UNAVAILABLE'],
  ['put', answer('RequestTimeTooSkewed', 403), 'STORE_UNAVAILABLE'],
  ['put', answer('XMinioStorageFull', 507), 'STORE_FULL'],
  ['put', answer('ExpiredToken', 400), 'STORE_MISCONFIGURED'],
  ['list', answer('PermanentRedirect', 301), 'STORE_MISCONFIGURED'],
  ['list', answer('AccessDenied', 403), 'STORE_MISCONFIGURED'],
  ['delete', answer('AccessDenied', undefined), 'STORE_MISCONFIGURED'],
  ['delete', answer('NotImplemented', 501), 'STORE_MISCONFIGURED'],
  ['list', answer('CredentialsProviderError', undefined), 'STORE_MISCONFIGURED'],
  [
    'list',
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    'STORE_UNAVAILABLE',
  ],
] as const)('%s that fails with %s is %s', (op, error, code) => {
  const message = expect.stringContaining('s3://results/x') as string;
  expect(
    requestFailures.translate(error, { op, key: 'k', location: 's3://results/x' }),
  ).toMatchObject({
    code,
    message,
    cause: error,
  });
});
