import { Readable } from 'node:stream';
import { operations } from '@quire/api';
import { requireRole } from '@quire/auth';
import type { ResultEntry } from '@quire/results';
import type { RouteOptions } from 'fastify';
import { principalOf, routeOf, signalOf } from '@quire/service';
import { openBody } from '../body-stream.ts';
import type { BrokerContext } from '../broker-context.ts';
import { storedResultOf } from '../stored-result.ts';

/** Entries that are put into JSON in one go; other calls get their turn between. */
const entriesPerChunk = 500;

/** GET /query/resultStore: newest first, for admins. */
export function listResultsRoute(context: BrokerContext): RouteOptions {
  return routeOf(operations.listResults, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const { results, storeLocation } = context.options;
    const entries = await Array.fromAsync(results.list({ signal: signalOf(request) }));
    const body = await openBody(encodeList(entries.toSorted(newestFirst), storeLocation));
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    return reply.send(body.kind === 'whole' ? body.bytes : Readable.from(body.chunks, { objectMode: false }));
  });
}

/** Ids tell when queries came in; a result is as old as it is stored. */
function newestFirst(one: ResultEntry, other: ResultEntry): number {
  return other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1);
}

async function* encodeList(entries: readonly ResultEntry[], storeLocation: string): AsyncGenerator<Uint8Array> {
  let text = '{"resultMetadataList":[';
  for (let start = 0; start < entries.length; start += entriesPerChunk) {
    const chunk = entries.slice(start, start + entriesPerChunk).map((entry) => storedResultOf(entry, storeLocation));
    text += `${start === 0 ? '' : ','}${JSON.stringify(chunk).slice(1, -1)}`;
    if (start + entriesPerChunk < entries.length) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}]}`);
}
