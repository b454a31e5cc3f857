import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { deleteExpiredClusterResultsRoute } from './delete-expired-cluster-results.ts';
import { listClusterResultsRoute } from './list-cluster-results.ts';
import { readClusterHealthRoute } from './read-cluster-health.ts';
import { readHealthRoute } from './read-health.ts';

/** All routes of a controller, besides those that every service has. */
export function controllerRoutes(context: ControllerContext): readonly RouteOptions[] {
  return [
    listClusterResultsRoute(context),
    deleteExpiredClusterResultsRoute(context),
    readClusterHealthRoute(context),
    readHealthRoute(context),
  ];
}
