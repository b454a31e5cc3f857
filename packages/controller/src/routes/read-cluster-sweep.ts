import { type ClusterSweepResponse, controllerOperations } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { askBrokers, readSweepPlan } from '../broker-calls.ts';
import type { ControllerContext } from '../controller-context.ts';

/** GET /cluster/sweep: for admins. */
export function readClusterSweepRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readClusterSweep, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const outcomes = await askBrokers(options.brokers, (url) => readSweepPlan(client, url, signalOf(request)));
    const response: ClusterSweepResponse = {
      brokers: outcomes.map(({ url, value, error }) => ({
        url,
        error: error?.message ?? null,
        removalCount: value?.removalCount ?? 0,
        removals: value?.removals ?? [],
      })),
    };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
