import { QuireError } from '@quire/core';
import type { FastifyRequest } from 'fastify';

/**
 * The path of a call, with its parameters, as it goes on to brokers. A target with a host of its
 * own (`GET http://host/path`) reaches our routes as well, and would tell what stands before a
 * broker to call that host.
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
