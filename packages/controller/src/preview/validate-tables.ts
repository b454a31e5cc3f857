import { controllerOperations } from '@quire/api';
import { routeOf } from '@quire/service';
import type { Operation } from '@quire/api';
import { checkTableConfig, checkTableConfigs, checkTableSchema } from '@quire/tables';
import { writeLosslessJson } from '@quire/core';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from './object-body.ts';

/** POST /tables/validate, /schemas/validate and /tableConfigs/validate: pure checks of what the body holds. */
export function validateRoutes({ options }: ControllerContext): readonly RouteOptions[] {
  const body = objectBody(options.bodyBytesMax, () => options.preview?.limits.digitsMax);
  const route = (operation: Operation, check: (document: unknown) => object): RouteOptions =>
    routeOf(
      operation,
      async (request, reply) =>
        reply
          .header('cache-control', 'no-store')
          .type('application/json; charset=utf-8')
          .send(writeLosslessJson(check(request.body))),
      body,
    );
  return [
    route(controllerOperations.validateTable, checkTableConfig),
    route(controllerOperations.validateSchema, checkTableSchema),
    route(controllerOperations.validateTableConfigs, checkTableConfigs),
  ];
}
