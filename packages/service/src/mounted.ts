import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A part of the paths that another service answers, from the first byte of a call to the last. */
export interface Mounted {
  /** The first segments of its paths: `/query`. */
  readonly prefixes: readonly string[];
  /** Called once, before the first call. */
  readonly handler: () => Promise<RequestListener>;
}

/**
 * Hands calls over before anything is done for them: who calls and what it may do is found out
 * once, by the service that answers.
 */
export async function handOver(
  server: FastifyInstance,
  { prefixes, handler }: Mounted,
): Promise<void> {
  const listener = await handler();
  server.addHook('onRequest', async (request, reply) => {
    const { url } = request.raw;
    const isBelow = (prefix: string): boolean =>
      url === prefix || ['/', '?'].some((end) => url?.startsWith(prefix + end) === true);
    if (!prefixes.some(isBelow)) return;
    reply.hijack();
    listener(request.raw, reply.raw);
  });
}
