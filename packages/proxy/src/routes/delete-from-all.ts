import type { Operation } from '@quire/api';
import { parseDeletedCount } from '@quire/client/wire';
import type { RouteOptions } from 'fastify';
import { callAll, markPartial, sendRefusal } from '../merge/call-all.ts';
import { readText } from '../brokers/call-broker.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { proxyRoute } from './proxy-route.ts';

/** The most that is read of a sentence. */
const sentenceBytesMax = 1024;

/** DELETE /query/resultStore?expiredBefore=ms: every broker deletes its own. Goes on when the caller has gone, as it does there. */
export function deleteExpiredResultsRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return proxyRoute(context, operation, async (request, reply) => {
    const { parts, refusal, missing } = await callAll(context, request, { method: 'DELETE' }, async ({ chunks }) =>
      parseDeletedCount(await readText(chunks, sentenceBytesMax)),
    );
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    markPartial(reply, missing);
    const deletedCount = parts.reduce((sum, count) => sum + count, 0);
    request.log.info({ deletedCount, missing: missing.map(({ label }) => label) }, 'expired results deleted');
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Deleted ${deletedCount} expired response(s).`);
  });
}
