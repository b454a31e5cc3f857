import { brokerOperations } from '@quire/api';
import { QuireError } from '@quire/core';
import {
  createService,
  principalOf,
  routeOf,
  type ServerOptions,
  type Service,
  ServiceMetrics,
} from '../src/index.ts';

/** A server that accepts any credentials as a name. */
export const server: ServerOptions = {
  host: '127.0.0.1',
  port: 0,
  version: '1.0.0',
  authenticate: async (header) => {
    if (header === undefined) throw new QuireError('UNAUTHENTICATED', 'Who are you?');
    return { name: header, role: 'query' };
  },
  bodyBytesMax: 1000,
  headerBytesMax: 16_384,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 75_000,
  shutdownGraceMs: 30_000,
};

/** A service with one call, which returns the name of its caller. */
export function createEcho(options: Partial<ServerOptions> = {}): Service {
  return createService({
    server: { ...server, ...options },
    about: {
      title: 'Echo',
      description: 'Says who calls.',
      tags: [{ name: 'query', description: 'Ask.' }],
    },
    metrics: new ServiceMetrics(),
    routes: () => [
      routeOf(brokerOperations.readMetadata, async (request) => [principalOf(request).name]),
    ],
  });
}
