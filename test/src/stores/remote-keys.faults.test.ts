import { createHash, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readObject } from '@quire/core';
import { collect, chunksOf, patternBytes } from '@quire/core/testing';
import { GcsObjectStore } from '@quire/store-gcs';
import { S3ObjectStore, type S3Encryption } from '@quire/store-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRejection } from '@quire/core/conformance';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { FaultProxy, type ProxiedRequest } from '../testkit/servers/fault-proxy.ts';
import { GcsServer } from '../testkit/servers/gcs-server.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, gcsServer, s3Server } from '../testkit/toolchain.ts';

const email = 'quire@tests.iam.gserviceaccount.com';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A key file such as Google issues for a service account. */
async function writeKeyFile(directory: string, changes: object = {}): Promise<string> {
  const path = join(directory, 'key.json');
  const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(
    path,
    JSON.stringify({
      type: 'service_account',
      client_email: email,
      private_key: privateKey,
      ...changes,
    }),
  );
  return path;
}

/** Returns the claims of a token, after its signature has been verified. */
function claimsOf(
  { headers }: ProxiedRequest,
  publicKey: KeyObject,
): Readonly<Record<string, unknown>> {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  expect({ token: token !== '', isRight }).toEqual({ token: true, isRight: true });
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as Readonly<Record<string, unknown>>;
}

/**
 * Reports whether a link is signed as Google requires: GOOG4-RSA-SHA256 over the request and its
 * parameters.
 *
 * @see https://cloud.google.com/storage/docs/authentication/signatures
 */
function isSignedLink(link: string, publicKey: KeyObject): boolean {
  // The library signs the host without its port, because Google's host has none.
  const { hostname, pathname, searchParams } = new URL(link);
  const signature = Buffer.from(searchParams.get('X-Goog-Signature') ?? '', 'hex');
  searchParams.delete('X-Goog-Signature');
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&');
  const request = ['GET', pathname, query, `host:${hostname}`, '', 'host', 'UNSIGNED-PAYLOAD'].join(
    '\n',
  );
  const [, ...scope] = (searchParams.get('X-Goog-Credential') ?? '').split('/');
  const hash = createHash('sha256').update(request).digest('hex');
  const text = ['GOOG4-RSA-SHA256', searchParams.get('X-Goog-Date'), scope.join('/'), hash].join(
    '\n',
  );
  return verify('sha256', Buffer.from(text), publicKey, signature);
}

describeWithTool(gcsServer, 'the key of a service account', (path) => {
  let server: GcsServer;
  let proxy: FaultProxy;
  beforeAll(async () => {
    server = await GcsServer.start(path);
    proxy = await FaultProxy.start(server.process.port);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test('the key of a service account signs the token of each request, with no other server to be asked', async () => {
    await using directory = await temporaryDirectory();
    const keyFile = await writeKeyFile(directory.path, { token_uri: 'http://127.0.0.1:9/token' });
    await using store = await GcsObjectStore.open({
      ...server.storeOptions(),
      endpoint: proxy.endpoint,
      keyFile,
    });
    proxy.requests.length = 0;
    await store.put('k', patternBytes(100));
    await readObject(store, 'k', { range: { start: 1, end: 2 } });
    await collect(store.list(''));
    await store.delete('k');
    expect(proxy.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'DELETE']);
    for (const request of proxy.requests) {
      expect(claimsOf(request, keys.publicKey)).toMatchObject({
        iss: email,
        sub: email,
        scope: 'https://www.googleapis.com/auth/devstorage.read_write',
      });
    }
  });

  test('the key of a service account signs links, by which anybody reads the object', async () => {
    await using directory = await temporaryDirectory();
    const keyFile = await writeKeyFile(directory.path);
    await using store = await GcsObjectStore.open({ ...server.storeOptions(), keyFile });
    await store.put('a/data', patternBytes(1000));
    const link = await store.signLink('a/data', 60_000);
    // The lifetime counts from a whole second, which may have started before the call.
    expect(new URL(link).searchParams.get('X-Goog-Expires')).toMatch(/^(?:59|60)$/);
    expect(new URL(link).searchParams.get('X-Goog-Credential')).toMatch(
      new RegExp(`^${email}/\\d{8}/auto/storage/goog4_request$`),
    );
    expect([
      isSignedLink(link, keys.publicKey),
      isSignedLink(link.replace('a/data', 'a/other'), keys.publicKey),
    ]).toEqual([true, false]);
    const response = await fetch(link);
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), patternBytes(1000))).toBe(0);
    await expectRejection(store.signLink('a/data', 8 * 24 * 3_600_000), 'INVALID_PARAMETER');
  });

  test.each<[string, object]>([
    ['is not one', { private_key: 'nothing' }],
    ['belongs to somebody else than a service', { type: 'authorized_user' }],
  ])(
    'the key of a service account that %s is found when the store is opened',
    async (_, changes) => {
      await using directory = await temporaryDirectory();
      const keyFile = await writeKeyFile(directory.path, changes);
      await expectRejection(
        GcsObjectStore.open({ ...server.storeOptions(), keyFile }),
        'INVALID_PARAMETER',
      );
    },
  );

  test('the key of a service account of Cloud KMS is named in every upload', async () => {
    const kmsKeyName = 'projects/p/locations/l/keyRings/r/cryptoKeys/k';
    await using store = await GcsObjectStore.open({
      ...server.storeOptions(),
      endpoint: proxy.endpoint,
      kmsKeyName,
      partBytes: 256 * 1024,
    });
    proxy.requests.length = 0;
    await store.put('small', patternBytes(10));
    await store.put('large', chunksOf(patternBytes(600_000), 100_000));
    const named = proxy.requests
      .filter(({ method }) => method === 'POST')
      .map(({ url }) => new URL(url, proxy.endpoint).searchParams);
    expect(named.map((parameters) => parameters.get('kmsKeyName'))).toEqual([
      kmsKeyName,
      kmsKeyName,
    ]);
  });
});

describeWithTool(s3Server, 'encryption in S3', (path) => {
  let server: S3Server;
  let proxy: FaultProxy;
  beforeAll(async () => {
    server = await S3Server.start(path);
    proxy = await FaultProxy.start(server.process.port);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test.each<[string, S3Encryption | undefined, object]>([
    ['nothing when the bucket is to decide', undefined, {}],
    ['AES256 for SSE-S3', { kind: 's3' }, { 'x-amz-server-side-encryption': 'AES256' }],
    ['aws:kms for SSE-KMS', { kind: 'kms' }, { 'x-amz-server-side-encryption': 'aws:kms' }],
    [
      'aws:kms and the key for SSE-KMS with a key',
      { kind: 'kms', keyId: 'key-1' },
      {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
      },
    ],
  ])(
    'encryption in S3 is asked for by %s, wherever an object comes to be',
    async (_, encryption, expected) => {
      await using store = await S3ObjectStore.open({
        ...server.storeOptions(),
        endpoint: proxy.endpoint,
        partBytes: 5 * 1024 * 1024,
        ...(encryption !== undefined && { encryption }),
      });
      proxy.requests.length = 0;
      await store.put('small', patternBytes(10));
      await store.put('large', chunksOf(patternBytes(6_000_000), 1_000_000));
      const initiating = proxy.requests.filter(({ method, url }) =>
        method === 'PUT' ? !url.includes('partNumber') : url.includes('uploads'),
      );
      const sent = initiating.map(({ headers }) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => name.includes('encryption'))),
      );
      expect(sent).toEqual([expected, expected]);
      expect((await store.head('large')).sizeBytes).toBe(6_000_000);
    },
  );
});
