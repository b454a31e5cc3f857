import { afterAll, beforeAll } from 'vitest';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';
import { describeObjectStore } from '@quire/core/conformance';
import { s3StoresOn } from '../testkit/s3-fixture.ts';

describeWithTool(s3Server, 'on a real S3 server', (path) => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start(path);
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  const openS3Store = s3StoresOn(() => server);

  // One page of the server and a part of the next: its store's own test reads on behind those.
  describeObjectStore('S3 store', openS3Store, { modelRunCount: 8, longListingCount: 1100 });
});
