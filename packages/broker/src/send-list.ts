import { Readable } from 'node:stream';
import type { OwnedResultListResponse } from '@quire/api';
import { newestFirst, type ResultEntry } from '@quire/results';
import { principalOf, signalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openBody } from './body-stream.ts';
import type { BrokerContext } from './broker-context.ts';
import { ownedResultOf } from './stored-result-entry.ts';

/** The number of entries that are encoded as JSON at once; other calls run in between. */
const entriesPerChunk = 500;

/**
 * The maximum number of a caller's own results in a list: each costs a read of its commit record.
 */
const ownCountMax = 500;

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

/** Sends the caller's own results with their queries as JSON, newest first. */
export async function sendOwnList(
  { options }: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const results = await options.results.listOwned(principalOf(request).name, {
    countMax: ownCountMax,
    signal: signalOf(request),
  });
  const response: OwnedResultListResponse = {
    resultMetadataList: results.map((result) => ownedResultOf(result, options)),
  };
  return reply.header('cache-control', 'no-store').send(response);
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
