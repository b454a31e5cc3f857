import { type Clock, type ObjectStore, type StoreOpening, systemClock } from '@quire/core';
import { GcsObjectStore } from '@quire/store-gcs';
import { S3ObjectStore } from '@quire/store-s3';
import { AzureObjectStore } from '@quire/store-azure';
import { unfinishedUploads as unfinishedAzureUploads } from './azure-fixture.ts';
import { unfinishedUploads as unfinishedGcsUploads } from './gcs-fixture.ts';
import { unfinishedUploads as unfinishedS3Uploads } from './s3-fixture.ts';
import type { Fault, FaultProxy, ProxiedRequest } from './servers/fault-proxy.ts';
import { AzureServer } from './servers/azure-server.ts';
import { GcsServer } from './servers/gcs-server.ts';
import { S3Server } from './servers/s3-server.ts';
import { azurite, gcsServer, s3Server, type Tool } from './toolchain.ts';

/** The system's clock, with waits a tenth as long. */
export const hastyClock: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(delayMs / 10, signal),
};

export type OpenOptions = Pick<StoreOpening, 'isReadOnly'>;

/** A running server of one kind. */
export interface Backend extends AsyncDisposable {
  readonly port: number;
  /** Opens a store on the server by way of a proxy, below a prefix of its own. */
  open(proxy: FaultProxy, options?: OpenOptions): Promise<ObjectStore>;
  leftovers(store: ObjectStore, proxy: FaultProxy): Promise<readonly string[]>;
}

/** The properties of a kind of server that simulating its faults needs. */
export interface BackendKind {
  readonly name: string;
  /** The size of parts, at or near the smallest one that the server accepts. */
  readonly partBytes: number;
  readonly tool: Tool;
  start(path: string): Promise<Backend>;
  /** The server's refusal of a request. */
  refusal(status: number, code: string): Fault;
  /** The headers of an answer with bytes of an object. */
  readonly objectHeaders?: Readonly<Record<string, string>>;
  /** One page of a listing. */
  listPage(location: string, keys: readonly string[], next: string | undefined): Fault;
  isPart(request: ProxiedRequest): boolean;
  /**
   * Answers a client's request for the stored bytes of the first part of an upload; undefined for
   * other requests.
   */
  answerAboutPart(request: ProxiedRequest, storedBytes: number): Fault | undefined;
}

const s3: BackendKind = {
  name: 'S3',
  partBytes: 5 * 1024 * 1024,
  tool: s3Server,
  async start(path) {
    const server = await S3Server.start(path);
    return {
      port: server.process.port,
      open: (proxy, options) =>
        S3ObjectStore.open({
          ...server.storeOptions(),
          endpoint: proxy.endpoint,
          partBytes: s3.partBytes,
          partAttemptsMax: 3,
          clock: hastyClock,
          ...options,
        }),
      leftovers: (store) => unfinishedS3Uploads(server, store.location),
      [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
    };
  },
  refusal: (status, code) => ({
    kind: 'answer',
    status,
    headers: {
      'Content-Type': 'application/xml',
      'Retry-After': '1',
      Date: new Date(systemClock.nowMs()).toUTCString(),
    },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No.</Message></Error>`,
  }),
  listPage(location, keys, next) {
    const prefix = new URL(location).pathname.slice(1);
    const entries = keys.map(
      (key) =>
        `<Contents><Key>${prefix}/${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>`,
    );
    const token =
      next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    return {
      kind: 'answer',
      status: 200,
      headers: { 'Content-Type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${token}${entries.join('')}</ListBucketResult>`,
    };
  },
  isPart: ({ method, url }) => method === 'PUT' && url.includes('partNumber='),
  answerAboutPart: () => undefined,
};

const gcs: BackendKind = {
  name: 'GCS',
  partBytes: 1024 * 1024,
  tool: gcsServer,
  async start(path) {
    const server = await GcsServer.start(path);
    return {
      port: server.process.port,
      open: (proxy, options) =>
        GcsObjectStore.open({
          ...server.storeOptions(),
          endpoint: proxy.endpoint,
          partBytes: gcs.partBytes,
          partAttemptsMax: 3,
          clock: hastyClock,
          ...options,
        }),
      leftovers: (_, proxy) => Promise.resolve(unfinishedGcsUploads(proxy.requests)),
      [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
    };
  },
  refusal: (status, code) => ({
    kind: 'answer',
    status,
    headers: { 'Content-Type': 'application/json', 'Retry-After': '1' },
    body: JSON.stringify({
      error: { code: status, message: `${code}: no.`, errors: [{ reason: code }] },
    }),
  }),
  listPage(location, keys, next) {
    const prefix = new URL(location).pathname.slice(1);
    const items = keys.map((key) => ({
      name: `${prefix}/${key}`,
      size: '1',
      updated: '2026-01-01T00:00:00.000Z',
    }));
    const body = JSON.stringify({ items, ...(next !== undefined && { nextPageToken: next }) });
    return { kind: 'answer', status: 200, headers: { 'Content-Type': 'application/json' }, body };
  },
  isPart: ({ method, url, headers }) =>
    method === 'PUT' &&
    url.includes('/upload/') &&
    headers['content-range']?.startsWith('bytes */') !== true,
  // The server treats the status request as the end of the upload, which Google does not.
  answerAboutPart: ({ headers }, storedBytes) =>
    headers['content-range']?.startsWith('bytes */') === true
      ? {
          kind: 'answer',
          status: 308,
          headers: storedBytes === 0 ? {} : { Range: `bytes=0-${storedBytes - 1}` },
        }
      : undefined,
};

const azure: BackendKind = {
  name: 'Azure',
  partBytes: 1024 * 1024,
  tool: azurite,
  async start(path) {
    const server = await AzureServer.start(path);
    return {
      port: server.process.port,
      open: (proxy, options) =>
        AzureObjectStore.open({
          ...server.storeOptions(),
          endpoint: proxy.endpoint,
          partBytes: azure.partBytes,
          partAttemptsMax: 3,
          clock: hastyClock,
          ...options,
        }),
      async leftovers({ location }) {
        const options = { ...server.storeOptions(), location };
        await using store = await AzureObjectStore.open(options);
        return await unfinishedAzureUploads(store);
      },
      [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
    };
  },
  objectHeaders: { ETag: '"e"', 'x-ms-blob-type': 'BlockBlob' },
  refusal(status, word) {
    const code = word === 'NoSuchBucket' ? 'ContainerNotFound' : word;
    return {
      kind: 'answer',
      status,
      headers: { 'Content-Type': 'application/xml', 'Retry-After': '1', 'x-ms-error-code': code },
      body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>No.</Message></Error>`,
    };
  },
  listPage(location, keys, next = '') {
    const prefix = new URL(location).pathname.slice(1);
    const blobs = keys.map(
      (key) =>
        `<Blob><Name>${prefix}/${key}</Name><Properties><Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified><Etag>e</Etag><Content-Length>1</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob>`,
    );
    return {
      kind: 'answer',
      status: 200,
      headers: { 'Content-Type': 'application/xml' },
      body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="e" ContainerName="c"><Blobs>${blobs.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
    };
  },
  isPart: ({ method, url }) => method === 'PUT' && /comp=block(?!list)/.test(url),
  answerAboutPart: () => undefined,
};

export const backendKinds: readonly BackendKind[] = [s3, gcs, azure];
