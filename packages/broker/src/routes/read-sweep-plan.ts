import { brokerOperations } from '@quire/api';
import { requireRole } from '@quire/auth';
import { principalOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerOptions } from '../broker-options.ts';

/** GET /sweep: a dry run of the cleaner, for admins. */
export function readSweepPlanRoute(planSweep: NonNullable<BrokerOptions['planSweep']>): RouteOptions {
  return routeOf(brokerOperations.readSweepPlan, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    return reply.header('cache-control', 'no-store').send(await planSweep());
  });
}
