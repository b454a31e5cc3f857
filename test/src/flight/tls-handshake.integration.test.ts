import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { systemClock } from '@quire/core';
import { createFlightServer } from '@quire/flight';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';

test('a connection that never ends its handshake of TLS is closed, and others are served', async () => {
  const { cert, key } = await createCertificate();
  await using broker = await TestBroker.start({
    flight: { port: 0, expirationMs: 600_000, messageBytesMax: 65_536 },
    tls: { certificate: cert, key },
    // The time of a handshake is Node's own.
    requestTimeoutMs: 100,
  });
  const { port } = new URL((broker.address.endpointUrls?.[0] ?? '').replace('grpc+tls:', 'https:'));
  const silent = connect(Number(port), '127.0.0.1').resume();
  await once(silent, 'close');
  // On a busy machine, a client may need more than that time as well, and is closed too.
  await expect.poll(() => canConnect(`https://127.0.0.1:${port}`, cert)).toBe(true);
});

test('a server that is closed does not wait for a handshake of TLS', async () => {
  const { cert, key } = await createCertificate();
  const server = createFlightServer({
    clock: systemClock,
    host: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    requestBytesMax: 65_536,
    headerBytesMax: 16_384,
    requestTimeoutMs: 2 ** 31 - 1,
    idleTimeoutMs: 75_000,
    producer: {},
    open: async () => undefined,
  });
  const { port } = await server.listen();
  const silent = connect(port, '127.0.0.1').resume();
  await once(silent, 'connect');
  // Connections are accepted in order.
  expect(await canConnect(`https://127.0.0.1:${port}`, cert)).toBe(true);
  await Promise.all([server.close(), once(silent, 'close')]);
});

async function createCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'quire test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}

/** Reports whether the handshake of a client succeeds. */
async function canConnect(url: string, ca: string): Promise<boolean> {
  const client = connectHttp2(url, { ca });
  const closed = once(client, 'close');
  try {
    await once(client, 'connect');
    return client.encrypted === true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
    return false;
  } finally {
    client.destroy();
    await closed;
  }
}
