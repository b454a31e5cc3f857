import type { Operation, RawParameter } from '@quire/api';
import { isQuireError, isRequestId } from '@quire/core';
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';

/** Query parameters as they came: `@quire/api` parses them. */
export type QueryParameters = Readonly<Record<string, RawParameter>>;

/** Answers a call. */
export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route can be called without credentials. */
    isPublic?: boolean;
    /** Reads the body instead of the usual parser. @throws SyntaxError when it is not JSON */
    parseBody?: ((text: string) => unknown) | undefined;
    /** Whether the body, of any media type, goes to the route as a stream. */
    isUpload?: boolean;
  }
}

/** How a route reads its body, where it is not as all others do. */
export interface BodyReading {
  /** The largest body, in bytes. */
  readonly bytesMax: number;
  /** @throws SyntaxError when the text is not JSON */
  readonly parse: (text: string) => unknown;
  /**
   * Takes the place of the schema, which is then documentation only. @throws QuireError when the
   * value will not do
   */
  readonly check: (value: unknown) => void;
}

/** A route from the API's own description of the call. */
export function routeOf(
  operation: Operation,
  handler: RouteHandler,
  body?: BodyReading,
): RouteOptions {
  const { method, path, schema } = operation;
  const config = { isPublic: schema.security?.length === 0, parseBody: body?.parse };
  const route: RouteOptions = {
    method,
    url: path,
    schema: schema as FastifySchema,
    handler,
    config,
  };
  if (body === undefined) return route;
  return {
    ...route,
    bodyLimit: body.bytesMax,
    validatorCompiler: () => (value: unknown) => checked(value, body.check),
  };
}

/** The route with its body handed over as a stream, whatever its media type: see `openUpload`. */
export function uploadRoute(route: RouteOptions): RouteOptions {
  return { ...route, config: { ...route.config, isUpload: true } };
}

function checked(
  value: unknown,
  check: BodyReading['check'],
): { readonly value: unknown } | { readonly error: Error } {
  try {
    check(value);
    return { value };
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return { error };
  }
}

/** Returns the query parameters of a call. */
export function queryOf(request: FastifyRequest): QueryParameters {
  return request.query as QueryParameters;
}

/**
 * The id in the path, in lower case where it is one (RFC 9562 section 4); else as it came, for
 * `ResultStore` to refuse.
 */
export function requestIdOf(request: FastifyRequest): string {
  const { requestId } = request.params as { readonly requestId: string };
  const lowerCased = requestId.toLowerCase();
  return isRequestId(lowerCased) ? lowerCased : requestId;
}
