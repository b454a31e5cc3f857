import { expect, test } from 'vitest';
import { FailedAnswer, requestFailures } from '../src/errors.ts';

test.each([
  ['get', new FailedAnswer(404, 'notFound', 'No such object'), 'OBJECT_NOT_FOUND'],
  [
    'get',
    new FailedAnswer(404, 'notFound', 'The specified bucket does not exist'),
    'STORE_MISCONFIGURED',
  ],
  ['list', new FailedAnswer(404, 'notFound', 'Not Found'), 'STORE_MISCONFIGURED'],
  ['get', new FailedAnswer(416, '', 'Range not satisfiable'), 'OBJECT_SHORT_READ'],
  ['put', new FailedAnswer(413, '', 'Too large'), 'STORE_FULL'],
  ['put', new FailedAnswer(403, 'rateLimitExceeded', 'Slow down'), 'STORE_UNAVAILABLE'],
  ['put', new FailedAnswer(403, 'forbidden', 'No'), 'STORE_MISCONFIGURED'],
  ['list', new FailedAnswer(401, 'authError', 'Invalid Credentials'), 'STORE_MISCONFIGURED'],
  ['delete', new FailedAnswer(429, '', 'Too many requests'), 'STORE_UNAVAILABLE'],
  ['list', new FailedAnswer(503, 'backendError', 'Later'), 'STORE_UNAVAILABLE'],
  ['list', new Error('invalid_grant: the key is gone'), 'STORE_MISCONFIGURED'],
  [
    'list',
    new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
    'STORE_UNAVAILABLE',
  ],
] as const)('%s that fails with %s is %s', (op, error, code) => {
  const message = expect.stringContaining('gs://results/x') as string;
  expect(
    requestFailures.translate(error, { op, key: 'k', location: 'gs://results/x' }),
  ).toMatchObject({
    code,
    message,
  });
});

test('a failure of the connection says what was behind it', () => {
  const refused = new TypeError('fetch failed', {
    cause: new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1')]),
  });
  expect(
    requestFailures.translate(refused, { op: 'open', key: 'results', location: 'gs://results' }),
  ).toMatchObject({
    message:
      'open of results in gs://results failed: fetch failed: connect ECONNREFUSED 127.0.0.1:1.',
  });
});
