import { brokerOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { readHealthRoute, readSettingsRoute, readSweepPlanRoute } from './broker-health.ts';
import {
  deleteExpiredResultsRoute,
  deleteResultRoute,
  listResultsRoute,
  readLinkRoute,
  readResultRoute,
  readUsageRoute,
  renewResultRoute,
} from './stored-results.ts';
import { listTablesRoute, readTableSchemaRoute } from './list-tables.ts';
import {
  listPinotResponsesRoute,
  readPinotPageRoute,
  readPinotResponseRoute,
} from './pinot-responses.ts';
import { readMetadataRoute, readPageRoute } from './read-page.ts';
import { cancelQueryRoute, listQueriesRoute, readQueryRoute } from './running-queries.ts';
import { runQueryRoute } from './run-query.ts';

/** Returns the routes for clients of Apache Pinot's cursor API. */
function pinotRoutes(context: BrokerContext): readonly RouteOptions[] {
  return [
    runQueryRoute(context, brokerOperations.runPinotQuery),
    listPinotResponsesRoute(context),
    readPinotResponseRoute(context),
    readPinotPageRoute(context),
    deleteResultRoute(context, brokerOperations.deletePinotResponse),
    deleteExpiredResultsRoute(context, brokerOperations.deleteExpiredPinotResponses),
    listTablesRoute(context),
    readTableSchemaRoute(context),
  ];
}

/** Returns all routes of a broker with these options, besides those of every service. */
export function brokerRoutes(context: BrokerContext): readonly RouteOptions[] {
  return [
    runQueryRoute(context),
    readPageRoute(context),
    readMetadataRoute(context),
    readQueryRoute(context),
    listQueriesRoute(context),
    cancelQueryRoute(context),
    listResultsRoute(context),
    readResultRoute(context),
    deleteResultRoute(context),
    deleteExpiredResultsRoute(context),
    renewResultRoute(context),
    ...(context.options.links === undefined ? [] : [readLinkRoute(context, context.options.links)]),
    ...(context.options.planSweep === undefined
      ? []
      : [readSweepPlanRoute(context.options.planSweep)]),
    ...(context.options.usageOf === undefined ? [] : [readUsageRoute(context.options.usageOf)]),
    ...(context.options.settingsInForce === undefined
      ? []
      : [readSettingsRoute(context.options.settingsInForce)]),
    ...pinotRoutes(context),
    readHealthRoute(context),
  ];
}
