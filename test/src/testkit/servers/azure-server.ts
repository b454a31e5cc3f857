import {
  BlobServiceClient,
  type ContainerClient,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { AzureObjectStoreOptions } from '@quire/store-azure';
import { ServerProcess } from './server-process.ts';

const container = 'results';
/** The account that every Azurite has, with a key that its documentation publishes. */
const account = 'devstoreaccount1';
const accountKey =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/**
 * Keeps idle connections open: after five seconds in which a busy machine does not run it, Azurite
 * would close one whose next request it has not read yet. Its own option has no effect.
 */
const keepConnections = `data:text/javascript,${encodeURIComponent(`
  import http from 'node:http';
  const { createServer } = http;
  http.createServer = (...args) =>
    Object.defineProperty(createServer(...args), 'keepAliveTimeout', { get: () => 0, set() {} });
`)}`;

/** Azurite in memory: Microsoft's server for Azure Blob Storage, which checks signatures. */
export class AzureServer implements AsyncDisposable {
  readonly process: ServerProcess;
  #prefixCount = 0;

  private constructor(process: ServerProcess) {
    this.process = process;
  }

  /** Starts it, with the path of its program, and creates a container. */
  static async start(path: string): Promise<AzureServer> {
    const server = new AzureServer(
      await ServerProcess.start({
        path: process.execPath,
        args: (port) =>
          `--import ${keepConnections} ${path} --blobHost 127.0.0.1 --blobPort ${port} --silent --skipApiVersionCheck --disableTelemetry --inMemoryPersistence`.split(
            ' ',
          ),
      }),
    );
    await server.client.createIfNotExists();
    return server;
  }

  /** The SDK's view of the container. */
  get client(): ContainerClient {
    const credential = new StorageSharedKeyCredential(account, accountKey);
    const service = new BlobServiceClient(`${this.endpoint}/${account}`, credential);
    return service.getContainerClient(container);
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.process.port}`;
  }

  /** Returns the options of a store with a unique prefix. */
  storeOptions(): AzureObjectStoreOptions & { readonly endpoint: string } {
    this.#prefixCount += 1;
    return {
      location: `az://${container}/test-${this.#prefixCount}`,
      endpoint: this.endpoint,
      pathStyle: true,
      account,
      accountKey,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** Returns a broker's settings for a prefix in the container. */
export function azureSettingsOf({
  location,
  endpoint,
}: ReturnType<AzureServer['storeOptions']>): Readonly<Record<string, string>> {
  return {
    'engine.broker.pagination.protocol': 'azure',
    'engine.broker.pagination.azure.data.dir': location,
    'engine.broker.pagination.azure.endpoint': endpoint,
    'engine.broker.pagination.azure.path.style': 'true',
    'engine.broker.pagination.azure.account': account,
    'engine.broker.pagination.azure.account.key': accountKey,
  };
}
