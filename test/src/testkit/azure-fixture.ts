import { collect } from '@quire/core/testing';
import type { OpenStoreFixture } from '@quire/core/conformance';
import { AzureObjectStore } from '@quire/store-azure';
import type { AzureServer } from './servers/azure-server.ts';
import { type Fault, FaultProxy, type ProxiedRequest } from './servers/fault-proxy.ts';

/** Stores on a server, each below a prefix of its own. */
export function azureStoresOn(server: () => AzureServer): OpenStoreFixture {
  return async ({ sizeMaxBytes } = {}) => {
    const proxy = await FaultProxy.start(server().process.port);
    const store = await AzureObjectStore.open({
      ...server().storeOptions(),
      endpoint: proxy.endpoint,
    });
    if (sizeMaxBytes !== undefined) proxy.intercept = refuseBeyond(sizeMaxBytes);
    return {
      store,
      leftovers: () => unfinishedUploads(store),
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]();
        await proxy[Symbol.asyncDispose]();
      },
    };
  };
}

/** The keys of the objects with blocks that were neither committed nor removed. */
export async function unfinishedUploads(store: AzureObjectStore): Promise<string[]> {
  return (await collect(store.leftovers.list())).map(({ key }) => key);
}

/** Makes the server answer as if it were full. */
function refuseBeyond(sizeMaxBytes: number): (request: ProxiedRequest) => Fault | undefined {
  const blockBytes = new Map<string, number>();
  return ({ method, url, headers }) => {
    if (method !== 'PUT' || url.includes('comp=blocklist')) return undefined;
    const [path = ''] = url.split('?');
    const isBlock = url.includes('comp=block');
    const sentBytes =
      (isBlock ? (blockBytes.get(path) ?? 0) : 0) + Number(headers['content-length']);
    if (isBlock) blockBytes.set(path, sentBytes);
    return sentBytes > sizeMaxBytes ? { kind: 'answer', status: 507 } : undefined;
  };
}
