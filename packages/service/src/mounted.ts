import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A group of paths that another service answers completely. */
export interface Mounted {
  /** The first segments of its paths: `/query`. */
  readonly prefixes: readonly string[];
  /** Called once, before the first call. */
  readonly handler: () => Promise<RequestListener>;
}

/** Forwards calls before any processing: the service that answers them also authenticates them. */
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
