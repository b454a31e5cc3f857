import { Readable } from 'node:stream';
import type { ResultEntry } from '@quire/results';
import { signalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openBody } from './body-stream.ts';
import type { BrokerContext } from './broker-context.ts';

/** Entries that are put into JSON in one go; other calls get their turn between. */
const entriesPerChunk = 500;

/** How a list of results is written. */
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

/** Ids tell when queries came in; a result is as old as it is stored. */
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
