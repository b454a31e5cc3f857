import { afterAll, beforeAll } from 'vitest';
import { GcsServer } from '../testkit/servers/gcs-server.ts';
import { describeWithTool, gcsServer } from '../testkit/toolchain.ts';
import { gcsStoresOn } from '../testkit/gcs-fixture.ts';
import { describeObjectStore } from '@quire/core/conformance';

describeWithTool(gcsServer, 'on a server like that of Google', (path) => {
  let server: GcsServer;
  beforeAll(async () => {
    server = await GcsServer.start(path);
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  const openGcsStore = gcsStoresOn(() => server);

  // One page of the server and a part of the next: its store's own test reads on behind those.
  describeObjectStore('GCS store', openGcsStore, { modelRunCount: 8, longListingCount: 1100 });
});
