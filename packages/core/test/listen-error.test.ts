import { expect, test } from 'vitest';
import { listenError } from '../src/process/index.ts';

const failure = (code: string): Error =>
  Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen' });

test.each([
  [
    'EADDRINUSE',
    'port = 8099: another process already listens on 127.0.0.1. Choose another port, or 0 for any free one.',
  ],
  ['EADDRNOTAVAIL', 'host = 127.0.0.1: this machine has no such address.'],
  ['ENOTFOUND', 'host = 127.0.0.1: this machine has no such address.'],
  ['EACCES', 'port = 8099: this user is not permitted to listen on this port.'],
])('%s is an INVALID_SETTING with a sentence', (code, message) => {
  const cause = failure(code);
  expect(listenError(cause, { host: '127.0.0.1', port: 8099 })).toMatchObject({
    code: 'INVALID_SETTING',
    message,
    cause,
  });
});

test('names the settings, also of a failure that has a sentence already', () => {
  const place = { host: '::1', port: 80 };
  const known = listenError(failure('EADDRINUSE'), place);
  expect(
    listenError(known, {
      ...place,
      hostKey: 'engine.bind.host',
      portKey: 'proxy.port',
      suspect: 'another proxy',
    }),
  ).toMatchObject({
    message:
      'proxy.port = 80: another process already listens on ::1, perhaps another proxy. ' +
      'Choose another port, or 0 for any free one: --set proxy.port=0',
  });
});

test.each([new Error('EADDRINUSE'), failure('EMFILE'), 'EADDRINUSE'])(
  'any other failure stays what it is (%#)',
  (error) => {
    expect(listenError(error, { host: '127.0.0.1', port: 1 })).toBe(error);
  },
);
