import { afterAll, beforeAll } from 'vitest';
import { AzureServer } from '../testkit/servers/azure-server.ts';
import { describeWithTool, azurite } from '../testkit/toolchain.ts';
import { azureStoresOn } from '../testkit/azure-fixture.ts';
import { describeObjectStore, inAllWrappers } from '@quire/core/conformance';

describeWithTool(azurite, 'on Azurite', (path) => {
  let server: AzureServer;
  beforeAll(async () => {
    server = await AzureServer.start(path);
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  const openAzureStore = azureStoresOn(() => server);

  // Azurite takes a while for each object.
  describeObjectStore('Azure store', openAzureStore, { modelRunCount: 8, longListingCount: 400 });
  // The long listing goes through the wrappers around the memory store: here it would take the
  // longest of all.
  describeObjectStore('Azure store in all wrappers', inAllWrappers(openAzureStore), {
    modelRunCount: 3,
    longListingCount: 60,
  });
});
