import { controllerOperations } from '@quire/api';
import { requireRole } from '@quire/auth';
import { QuireError } from '@quire/core';
import { principalOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';

/** GET /cluster/settings: for admins. */
export function readSettingsRoute({ options }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readSettings, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const response = options.settingsInForce?.();
    if (response === undefined) throw noSettings;
    return reply.header('cache-control', 'no-store').send(response);
  });
}

const noSettings = new QuireError('UNSUPPORTED', 'This controller was started by a program, without a settings file.');
