import { GcsObjectStore } from '@quire/store-gcs';
import { FaultProxy, type Fault, type ProxiedRequest } from './servers/fault-proxy.ts';
import type { GcsServer } from './servers/gcs-server.ts';
import type { OpenStoreFixture } from '@quire/core/conformance';

/** Stores on a server, each below a prefix of its own. */
export function gcsStoresOn(server: () => GcsServer): OpenStoreFixture {
  return async ({ sizeMaxBytes } = {}) => {
    const proxy = await FaultProxy.start(server().process.port);
    if (sizeMaxBytes !== undefined) {
      proxy.intercept = (request) => refuseBeyond(request, sizeMaxBytes);
    }
    const store = await GcsObjectStore.open({
      ...server().storeOptions(),
      endpoint: proxy.endpoint,
    });
    return {
      store,
      leftovers: () => Promise.resolve(unfinishedUploads(proxy.requests)),
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]();
        await proxy[Symbol.asyncDispose]();
      },
    };
  };
}

/**
 * Returns the uploads that have received bytes, and were neither completed nor aborted, from the
 * requests. Servers do not list them.
 */
export function unfinishedUploads(requests: readonly ProxiedRequest[]): string[] {
  const open = new Set<string>();
  for (const { method, url, headers } of requests) {
    const isLastPart = /\/\d+$/.test(headers['content-range'] ?? '');
    if (method === 'PUT' && url.includes('/upload/') && !isLastPart) open.add(url);
    else open.delete(url);
  }
  return [...open];
}

/** Makes the server answer as if it were full. */
function refuseBeyond(
  { method, url, headers }: ProxiedRequest,
  sizeMaxBytes: number,
): Fault | undefined {
  const [, end] = /^bytes \d+-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
  const sizeBytes = end === undefined ? Number(headers['content-length'] ?? 0) : Number(end) + 1;
  const isRefused = method !== 'GET' && url.includes('/upload/') && sizeBytes > sizeMaxBytes;
  return isRefused ? { kind: 'answer', status: 413, body: 'Request Entity Too Large' } : undefined;
}
