import { QuireError } from '@quire/core';
import type { FastifyRequest } from 'fastify';

/**
 * Returns the path of a call with its parameters, as forwarded to brokers. A target with a host
 * (`GET http://host/path`) also matches the routes, and would make a server in front of a broker
 * call that host.
 *
 * @throws INVALID_PARAMETER when the target is not a path
 */
export function requestPathOf({ raw }: FastifyRequest): string {
  const { url = '' } = raw;
  if (!url.startsWith('/')) {
    throw new QuireError('INVALID_PARAMETER', 'The target of the request is not a path.');
  }
  return url;
}
