import { proxyOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import type { ProxyContext } from '../proxy-context.ts';
import { deleteExpiredResultsRoute } from './delete-expired-results.ts';
import { listResultsRoute } from './list-results.ts';
import { readHealthRoute } from './read-health.ts';
import { resultCallRoute } from './result-call.ts';
import { runQueryRoute } from './run-query.ts';

/** All routes of a proxy, besides those that every service has. */
export function proxyRoutes(context: ProxyContext): readonly RouteOptions[] {
  const { readPage, readMetadata, readLink, deleteResult, renewResult } = proxyOperations;
  return [
    runQueryRoute(context),
    ...[readPage, readMetadata, readLink, deleteResult, renewResult].map((operation) => resultCallRoute(context, operation)),
    listResultsRoute(context),
    deleteExpiredResultsRoute(context),
    readHealthRoute(context),
  ];
}
