import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { previewFileRoute, previewTableRoute, validateRoutes } from '../preview/preview-routes.ts';
import { ingestRoutes } from '../tables/ingest-routes.ts';
import { restreamRoutes } from '../tables/restream-routes.ts';
import { streamRoutes } from '../tables/stream-routes.ts';
import { tableConfigsRoutes } from '../tables/table-configs-routes.ts';
import { tableRoutes } from '../tables/table-routes.ts';
import { taskRoutes } from '../tables/task-routes.ts';
import { deleteExpiredClusterResultsRoute, listClusterResultsRoute } from './cluster-results.ts';
import { readHealthRoute } from './controller-health.ts';
import { consoleRoutes } from './console.ts';
import { brokerRoutes } from './list-brokers.ts';
import { listTablesRoute, readTableSchemaRoute } from './list-tables.ts';
import {
  readCallerRoute,
  readClusterHealthRoute,
  readClusterSweepRoute,
  readSettingsRoute,
} from './cluster-routes.ts';

/** All routes of a controller, besides those that every service has. */
export function controllerRoutes(context: ControllerContext): readonly RouteOptions[] {
  return [
    listClusterResultsRoute(context),
    deleteExpiredClusterResultsRoute(context),
    readClusterHealthRoute(context),
    listTablesRoute(context),
    readTableSchemaRoute(context),
    ...brokerRoutes(context),
    previewTableRoute(context),
    previewFileRoute(context),
    ...validateRoutes(context),
    ...tableRoutes(context),
    ...tableConfigsRoutes(context),
    ...ingestRoutes(context),
    ...streamRoutes(context),
    ...taskRoutes(context),
    ...restreamRoutes(context),
    readHealthRoute(context),
    readClusterSweepRoute(context),
    readCallerRoute(),
    readSettingsRoute(context),
    ...consoleRoutes(context),
  ];
}
