import { createProxy } from '@quire/proxy';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

/** A proxy in front of the brokers whose URLs the parent passes, with its default settings. */
const proxy = createProxy({
  brokers: argumentOfParent() as readonly string[],
  resolveIntervalMs: 30_000,
  isStoreShared: 'auto',
  authMode: 'pass',
  routesMax: 100_000,
  connectionsMax: 256,
  timeouts: { connectMs: 2000, queryMs: 1_800_000, answerMs: 30_000, healthMs: 2000 },
  healthIntervalMs: 5000,
  failuresMax: 3,
  authenticate: async () => ({ name: 'bench', role: 'admin' }),
  host: '127.0.0.1',
  port: 0,
  version: 'bench',
  bodyBytesMax: 1_048_576,
  headerBytesMax: 16_384,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 75_000,
  shutdownGraceMs: 1000,
});
const { url } = await proxy.listen();
serveParent(
  () => Promise.resolve(url),
  () => proxy.close(),
);
