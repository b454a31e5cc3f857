import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { readHealthRoute } from './read-health.ts';

/** All routes of a controller, besides those that every service has. */
export function controllerRoutes(context: ControllerContext): readonly RouteOptions[] {
  return [readHealthRoute(context)];
}
