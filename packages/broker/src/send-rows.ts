import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type PageFormat, pageMediaTypes } from '@quire/api';
import type { EncodeOptions, Result, ResultPage } from '@quire/results';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContextOf } from '@quire/service';
import { openBody } from './body-stream.ts';
import { writeBody } from './write-body.ts';
import type { BrokerContext } from './broker-context.ts';
import { chooseEncoding, compressed, type ContentEncoding } from './content-encoding.ts';
import { type CursorMembers, cursorHeadersOf } from './cursor-members.ts';
import { encodeEnvelope, type Envelope } from './encode-envelope.ts';

/** Rows as a response brings them. */
export interface RowsReply {
  readonly result: Result;
  readonly page: ResultPage;
  readonly format: PageFormat;
  readonly contentEncoding: ContentEncoding;
  /** What a JSON body holds beside the rows. */
  readonly envelope: Envelope;
  /** What the headers of other bodies say instead. */
  readonly members: Partial<CursorMembers>;
  /** What else the headers say, such as how long the response may be kept. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a response with rows depends on, beside its URL. */
export const rowsVary = 'accept, accept-encoding, authorization';

/** The compression for a page, decided by what the result's rows take in the store: nothing is read for it. */
export function chooseRowsEncoding(request: FastifyRequest, { entry }: Result, page: ResultPage): ContentEncoding {
  const estimatedBytes = entry.rowCount === 0 ? 0 : (entry.sizeBytes / entry.rowCount) * page.rowCount;
  return chooseEncoding(request.headers, estimatedBytes);
}

/** The headers of a response with rows. */
function rowsHeadersOf(rows: RowsReply): Record<string, string> {
  const { format, page, members, result } = rows;
  const { start, end } = page.range;
  return {
    'content-type': contentTypes[format],
    vary: rowsVary,
    ...(rows.contentEncoding !== 'identity' && { 'content-encoding': rows.contentEncoding }),
    ...(format !== 'json' && {
      'content-disposition': `attachment; filename="${result.entry.requestId}-rows-${start}-${end}.${format}"`,
      ...cursorHeadersOf(members),
    }),
    ...rows.headers,
  };
}

/**
 * Sends rows, batch by batch, as fast as the client takes them. A failure before the first byte is thrown, so that it is answered
 * with a status; a later one destroys the connection: no client takes a part of a page for a page.
 */
export async function sendRows(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: RowsReply,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') return reply.headers(rowsHeadersOf(rows)).send(Readable.from([]));
  const isCompressed = rows.contentEncoding !== 'identity';
  using _ = await context.pageLimiter.acquire(rows.page.sizeBytesMax, callContextOf(request).call.signal);
  const body = await openBody(observed(context, request, rows, { isDoneWithChunks: !isCompressed }));
  reply.headers(rowsHeadersOf(rows));
  if (body.kind === 'whole' && !isCompressed) return await reply.send(body.bytes);
  const chunks = body.kind === 'stream' ? body.chunks : [body.bytes];
  // A client that stops reading holds a reader of the store; one that reads slowly may.
  reply.raw.setTimeout(context.options.idleTimeoutMs, () => reply.raw.destroy());
  if (isCompressed) return await reply.send(compressed(Readable.from(chunks, { objectMode: false }), rows.contentEncoding));
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  // What fails from here on stands in the call's context, and so in the log.
  await writeBody(reply.raw, chunks).catch(() => undefined);
  return await reply;
}

const contentTypes: Readonly<Record<PageFormat, string>> = {
  json: `${pageMediaTypes.json}; charset=utf-8`,
  arrow: pageMediaTypes.arrow,
  csv: `${pageMediaTypes.csv}; charset=utf-8; header=present`,
  ndjson: `${pageMediaTypes.ndjson}; charset=utf-8`,
};

/** The body, counted, and with what goes wrong in the middle of it kept for the log. */
async function* observed(
  context: BrokerContext,
  request: FastifyRequest,
  rows: RowsReply,
  options: Pick<EncodeOptions, 'isDoneWithChunks'>,
): AsyncGenerator<Uint8Array> {
  const { result, page, format, envelope } = rows;
  const callContext = callContextOf(request);
  const { signal } = callContext.call;
  try {
    const around = format === 'json' ? encodeEnvelope(result.schema, envelope) : undefined;
    for await (const chunk of page.encode(format, { ...options, signal, ...(around !== undefined && { around }) })) {
      context.metrics.observeBytes(format, chunk.byteLength);
      yield chunk;
    }
    context.metrics.observeRows(format, page.rowCount);
  } catch (error) {
    callContext.failure = error;
    throw error;
  }
}
