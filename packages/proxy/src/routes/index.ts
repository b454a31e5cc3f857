import { type ProxyHealthResponse, proxyOperations } from '@quire/api';
import { routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ProxyContext } from '../proxy-context.ts';
import { deleteExpiredResultsRoute, listRoutes, readUsageRoute } from './all-brokers.ts';
import { anyBrokerRoute, queryRoute, resultCallRoute } from './forwarded-routes.ts';

const {
  runQuery,
  runPinotQuery,
  listTables,
  readTableSchema,
  deleteExpiredResults,
  deleteExpiredPinotResponses,
  ...others
} = proxyOperations;
const {
  readPage,
  readMetadata,
  readLink,
  readResult,
  readQuery,
  cancelQuery,
  deleteResult,
  renewResult,
  readPinotResponse,
  readPinotPage,
  deletePinotResponse,
} = others;

/** The calls about one result. */
const resultCalls = [
  readQuery,
  cancelQuery,
  readPage,
  readMetadata,
  readLink,
  readResult,
  deleteResult,
  renewResult,
  readPinotResponse,
  readPinotPage,
  deletePinotResponse,
];

/** Returns all routes of a proxy, besides those of every service: the routes of a broker. */
export function proxyRoutes(context: ProxyContext): readonly RouteOptions[] {
  return [
    ...[runQuery, runPinotQuery].map((operation) => queryRoute(context, operation)),
    ...resultCalls.map((operation) => resultCallRoute(context, operation)),
    ...listRoutes(context),
    readUsageRoute(context),
    ...[deleteExpiredResults, deleteExpiredPinotResponses].map((operation) =>
      deleteExpiredResultsRoute(context, operation),
    ),
    ...[listTables, readTableSchema].map((operation) => anyBrokerRoute(context, operation)),
    readHealthRoute(context),
  ];
}

/** GET /health: public, so it reveals no more about brokers than their own health reports. */
function readHealthRoute({ brokers, options, clock, startMs }: ProxyContext): RouteOptions {
  return routeOf(proxyOperations.readHealth, async (_request, reply) => {
    const states = brokers.all.map(({ isUp }) => isUp);
    const health: ProxyHealthResponse = {
      status: !states.includes(true) ? 'unavailable' : states.includes(false) ? 'degraded' : 'ok',
      version: options.version,
      uptimeMs: Math.max(0, Math.round(clock.monotonicMs() - startMs)),
      brokers: brokers.all.map(({ health: its, isUp, callCount }) => ({
        brokerId: its?.brokerId ?? null,
        state: isUp ? 'up' : 'down',
        callsRunning: callCount,
      })),
      ...options.healthDetails?.(),
    };
    return reply.header('cache-control', 'no-store').send(health);
  });
}
