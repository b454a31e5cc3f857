import { discoveryOperations } from '@quire/api';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { previewTableRoute } from '../preview/preview-table.ts';
import { validateRoutes } from '../preview/validate-tables.ts';
import { deleteExpiredClusterResultsRoute } from './delete-expired-cluster-results.ts';
import { listTableBrokersRoute, listTenantBrokersRoute } from './list-brokers.ts';
import { listClusterResultsRoute } from './list-cluster-results.ts';
import { listTablesRoute } from './list-tables.ts';
import { readClusterHealthRoute } from './read-cluster-health.ts';
import { readHealthRoute } from './read-health.ts';
import { readTableSchemaRoute } from './read-table-schema.ts';

/** All routes of a controller, besides those that every service has. */
export function controllerRoutes(context: ControllerContext): readonly RouteOptions[] {
  return [
    listClusterResultsRoute(context),
    deleteExpiredClusterResultsRoute(context),
    readClusterHealthRoute(context),
    listTablesRoute(context),
    readTableSchemaRoute(context),
    listTableBrokersRoute(context, discoveryOperations.listLiveBrokers),
    listTableBrokersRoute(context, discoveryOperations.listTableBrokers),
    listTenantBrokersRoute(context),
    previewTableRoute(context),
    ...validateRoutes(context),
    readHealthRoute(context),
  ];
}
