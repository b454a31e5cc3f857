import { once } from 'node:events';
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { TlsCertificate } from '@quire/service';
import { generate } from 'selfsigned';
import { beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { TestController } from '../testkit/controller-server.ts';

let one: TlsCertificate;
let other: TlsCertificate;

async function createCertificate(): Promise<TlsCertificate> {
  const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
  const options = {
    keyType: 'ec' as const,
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName' as const, altNames }],
  };
  const { cert, private: key } = await generate(
    [{ name: 'commonName', value: 'quire test' }],
    options,
  );
  return { certificate: cert, key };
}

beforeAll(async () => {
  [one, other] = await Promise.all([createCertificate(), createCertificate()]);
});

/**
 * The status of a call to the broker over a connection of its own, which must trust this
 * certificate.
 */
async function read(
  { address }: TestBroker,
  path: string,
  { certificate: ca }: TlsCertificate,
  agent = false,
): Promise<number> {
  const outgoing = request(`${address.url}${path}`, {
    ca,
    agent,
    headers: { authorization: 'Bearer ann-token' },
  }).end();
  const [response] = (await once(outgoing, 'response')) as [
    NodeJS.ReadableStream & { readonly statusCode: number },
  ];
  response.resume();
  return response.statusCode;
}

test('a broker with a certificate speaks HTTPS, and nothing else', async () => {
  await using broker = await TestBroker.start({ tls: one });

  expect(broker.address.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await read(broker, '/metrics', one)).toBe(200);
  await expect(read(broker, '/metrics', other)).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  await expect(fetch(broker.address.url.replace('https:', 'http:'))).rejects.toThrow(
    'fetch failed',
  );
});

test('versions of the protocol that are known to be broken are not spoken', async () => {
  await using broker = await TestBroker.start({ tls: one });
  const { port, host } = broker.address;
  const socket = connect({
    host,
    port,
    ca: one.certificate,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  });
  await expect(once(socket, 'secureConnect')).rejects.toMatchObject({
    code: expect.stringMatching(/^ERR_SSL_|ECONNRESET/),
  });
});

test('a certificate that is replaced is shown to clients that connect from then on; those connected stay so', async () => {
  await using broker = await TestBroker.start({ tls: one });
  const { port, host } = broker.address;
  const standing: TLSSocket = connect({ host, port, ca: one.certificate });
  await once(standing, 'secureConnect');

  broker.broker.replaceCertificate(other);

  expect(await read(broker, '/metrics', other)).toBe(200);
  await expect(read(broker, '/metrics', one)).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  standing.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const [bytes] = (await once(standing, 'data')) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 /);
  standing.destroy();
});

test('what is not a certificate with its key is refused, and changes nothing', async () => {
  await using broker = await TestBroker.start({ tls: one });
  const mixed = { certificate: one.certificate, key: other.key };
  const refusal = {
    code: 'INVALID_SETTING',
    message: expect.stringMatching(/^The files named by engine\.tls\.certificate\.file and /),
  };

  for (const bad of [
    mixed,
    { certificate: '', key: '' },
    { certificate: 'secret', key: 'secret' },
  ]) {
    expect(() => broker.broker.replaceCertificate(bad)).toThrow(
      expect.objectContaining(refusal) as Error,
    );
    await expect(TestBroker.start({ tls: bad })).rejects.toMatchObject(refusal);
  }
  expect(await read(broker, '/metrics', one)).toBe(200);
});

test('a controller calls brokers over HTTPS, and only those whose certificate it trusts', async () => {
  await using trusted = await TestBroker.start({ tls: one });
  await using unknown = await TestBroker.start({ tls: other });
  const certificateAuthorities = one.certificate;
  await using controller = await TestController.start([trusted.address.url, unknown.address.url], {
    certificateAuthorities,
  });

  const answer = await (await controller.call('/cluster/results', { method: 'DELETE' })).json();

  expect(answer).toEqual({
    deletedCount: 0,
    brokers: [
      { url: trusted.address.url, state: 'ok', deletedCount: 0, error: null },
      {
        url: unknown.address.url,
        state: 'failed',
        deletedCount: 0,
        error: 'The connection is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).',
      },
    ],
  });
});
