import type { Operation, RawParameter } from '@quire/api';
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';

/** Query parameters as they came: `@quire/api` parses them. */
export type QueryParameters = Readonly<Record<string, RawParameter>>;

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route can be called without credentials. */
    isPublic?: boolean;
  }
}

/** A route from the API's own description of the call. */
export function routeOf(operation: Operation, handler: RouteHandler): RouteOptions {
  const { method, path, schema } = operation;
  return { method, url: path, schema: schema as FastifySchema, handler, config: { isPublic: schema.security?.length === 0 } };
}

export function queryOf(request: FastifyRequest): QueryParameters {
  return request.query as QueryParameters;
}

/** The id in the path, as it came: only `ResultStore` decides whether it is one. */
export function requestIdOf(request: FastifyRequest): string {
  return (request.params as { readonly requestId: string }).requestId;
}
