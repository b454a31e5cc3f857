import { QuireError } from '@quire/core';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { assertTransport, warnOfPlainTransport } from '../src/start/check-transport.ts';

interface Scene {
  readonly host: string;
  readonly certificateFile?: string;
  readonly isRequired?: boolean;
}

/** The lines that are logged. */
function check({ host, certificateFile, isRequired = false }: Scene): readonly object[] {
  const lines: object[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as object);
  const settings = {
    server: { bindHost: host },
    tls: { certificateFile, isRequired },
  } as unknown as Parameters<typeof assertTransport>[0];
  assertTransport(settings);
  warnOfPlainTransport(settings, pino({ base: null, timestamp: false }, { write }));
  return lines;
}

test.each([
  { host: '127.0.0.1' },
  { host: '127.0.0.1', isRequired: true },
  { host: 'localhost', isRequired: true },
  { host: '0.0.0.0', certificateFile: 'server.pem' },
  { host: '10.0.0.1', certificateFile: 'server.pem', isRequired: true },
])('a server is started without a word where nobody can listen in: %j', (scene) => {
  expect(check(scene)).toEqual([]);
});

test.each(['0.0.0.0', '::', '10.0.0.1', 'broker-1'])(
  'a server that listens on %s without a certificate says so',
  (host) => {
    expect(check({ host })).toEqual([
      {
        level: 40,
        host,
        setting: 'engine.tls.certificate.file',
        msg: expect.stringMatching(/beyond this machine without TLS/),
      },
    ]);
  },
);

test('a server that must have a certificate is not started without one', () => {
  expect(() => check({ host: '0.0.0.0', isRequired: true })).toThrow(
    new QuireError(
      'INVALID_SETTING',
      'engine.bind.host = 0.0.0.0: expected a loopback address such as 127.0.0.1, because engine.tls.required = true and there is no certificate. ' +
        'Set engine.tls.certificate.file and engine.tls.key.file to listen elsewhere.',
    ),
  );
});
