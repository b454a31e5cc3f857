import { afterAll, beforeAll } from 'vitest';
import { AzureServer } from '../testkit/servers/azure-server.ts';
import { describeWithTool, azurite } from '../testkit/toolchain.ts';
import { azureStoresOn } from '../testkit/azure-fixture.ts';
import { describeObjectStore } from '@quire/core/conformance';

describeWithTool(azurite, 'on Azurite', (path) => {
  let server: AzureServer;
  beforeAll(async () => {
    server = await AzureServer.start(path);
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  const openAzureStore = azureStoresOn(() => server);

  // Azurite is slow for each object.
  describeObjectStore('Azure store', openAzureStore, { modelRunCount: 8, longListingCount: 400 });
});
