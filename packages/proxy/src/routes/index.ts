import { proxyOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import type { ProxyContext } from '../proxy-context.ts';
import { deleteExpiredResultsRoute } from './delete-from-all.ts';
import { listRoutes } from './list-all.ts';
import { readHealthRoute } from './proxy-health.ts';
import { anyBrokerRoute, queryRoute, resultCallRoute } from './forwarded-routes.ts';

const { runQuery, runPinotQuery, listTables, readTableSchema, deleteExpiredResults, deleteExpiredPinotResponses, ...others } =
  proxyOperations;
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

/** All routes of a proxy, besides those that every service has: those of a broker. */
export function proxyRoutes(context: ProxyContext): readonly RouteOptions[] {
  return [
    ...[runQuery, runPinotQuery].map((operation) => queryRoute(context, operation)),
    ...resultCalls.map((operation) => resultCallRoute(context, operation)),
    ...listRoutes(context),
    ...[deleteExpiredResults, deleteExpiredPinotResponses].map((operation) => deleteExpiredResultsRoute(context, operation)),
    ...[listTables, readTableSchema].map((operation) => anyBrokerRoute(context, operation)),
    readHealthRoute(context),
  ];
}
