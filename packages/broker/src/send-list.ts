import { Readable } from 'node:stream';
import type { ResultEntry } from '@quire/results';
import { signalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openBody } from './body-stream.ts';
import type { BrokerContext } from './broker-context.ts';

/** The number of entries that are encoded as JSON at once; other calls run in between. */
const entriesPerChunk = 500;

/** The format of a list of results. */
interface ListFrame {
  readonly open: string;
  readonly itemOf: (entry: ResultEntry) => object;
  readonly close: string;
}

/** Sends all results of the broker as JSON, newest first. */
export async function sendList(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: ListFrame,
): Promise<FastifyReply> {
  const entries = await Array.fromAsync(
    context.options.results.list({ signal: signalOf(request) }),
  );
  const body = await openBody(encodeList(entries.toSorted(newestFirst), frame));
  reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  return reply.send(
    body.kind === 'whole' ? body.bytes : Readable.from(body.chunks, { objectMode: false }),
  );
}

/**
 * Compares two results by their time, newest first. Ids have the time of the query, but a result
 * has that of its storage.
 */
function newestFirst(one: ResultEntry, other: ResultEntry): number {
  return (
    other.submissionTimeMs - one.submissionTimeMs || (one.requestId < other.requestId ? 1 : -1)
  );
}

async function* encodeList(
  entries: readonly ResultEntry[],
  { open, itemOf, close }: ListFrame,
): AsyncGenerator<Uint8Array> {
  let text = open;
  for (let start = 0; start < entries.length; start += entriesPerChunk) {
    const chunk = entries.slice(start, start + entriesPerChunk).map(itemOf);
    text += `${start === 0 ? '' : ','}${JSON.stringify(chunk).slice(1, -1)}`;
    if (start + entriesPerChunk < entries.length) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text + close);
}
