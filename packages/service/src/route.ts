import type { Operation, RawParameter } from '@quire/api';
import { isQuireError, isRequestId } from '@quire/core';
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';

/** Query parameters as they were received: `@quire/api` parses them. */
export type QueryParameters = Readonly<Record<string, RawParameter>>;

/** Answers a call. */
export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route can be called without credentials. */
    isPublic?: boolean;
    /** Reads the body instead of the usual parser. @throws SyntaxError when it is not JSON */
    parseBody?: ((text: string) => unknown) | undefined;
    /** True if the body, of any media type, is passed to the route as a stream. */
    isUpload?: boolean;
  }
}

/** The body parsing of a route that differs from the default. */
export interface BodyReading {
  /** The maximum size of the body, in bytes. */
  readonly bytesMax: number;
  /** Parses the body. @throws SyntaxError when the text is not JSON */
  readonly parse: (text: string) => unknown;
  /**
   * Validates the value instead of the schema, which is then only documentation. @throws QuireError
   * when the value is not valid
   */
  readonly check: (value: unknown) => void;
}

/** Returns a route from the API's own description of the call. */
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

/**
 * Returns the route with its body passed as a stream, whatever its media type: see `openUpload`.
 */
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
 * Returns the id in the path, in lower case if it is a UUID (RFC 9562 section 4); otherwise
 * unchanged, for `ResultStore` to reject.
 */
export function requestIdOf(request: FastifyRequest): string {
  const { requestId } = request.params as { readonly requestId: string };
  const lowerCased = requestId.toLowerCase();
  return isRequestId(lowerCased) ? lowerCased : requestId;
}
