import type { Operation } from '@quire/api';
import { QuireError } from '@quire/core';
import type { RouteOptions } from 'fastify';
import { callAll, markPartial, sendRefusal } from '../merge/call-all.ts';
import { type OpenAnswer, readWhole } from '../forwarding/call-broker.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { passedRoute } from './passed-route.ts';

/** DELETE /query/resultStore?expiredBefore=ms: every broker deletes its own. Goes on when the caller has gone, as it does there. */
export function deleteExpiredResultsRoute(context: ProxyContext, operation: Operation): RouteOptions {
  return passedRoute(context, operation, async (request, reply) => {
    const { parts, refusal, missing } = await callAll(context, request, { method: 'DELETE' }, readCount);
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    markPartial(reply, missing);
    const deletedCount = parts.reduce((sum, count) => sum + count, 0);
    request.log.info({ deletedCount, missing: missing.map(({ label }) => label) }, 'expired results deleted');
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Deleted ${deletedCount} expired response(s).`);
  });
}

async function readCount({ chunks }: OpenAnswer): Promise<number> {
  const sentence = (await readWhole(chunks, 1024)).toString();
  const [, count] = /^Deleted ([0-9]{1,15}) expired response\(s\)\.$/.exec(sentence) ?? [];
  if (count === undefined) throw new QuireError('BROKER_FAILED', 'A broker did not say how many results it deleted.');
  return Number(count);
}
