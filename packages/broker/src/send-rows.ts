import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  type CursorResponse,
  pageFormats,
  type PinotCursorResponse,
  type QueryResponse,
} from '@quire/api';
import { traced, tracedItems, tracedSync } from '@quire/core/trace';
import { isTextFormat } from '@quire/core/wire';
import {
  columnDataTypes,
  type ContentEncoding,
  type EncodeOptions,
  type Result,
  type ResultPage,
} from '@quire/results';
import { callContextOf, claimOf, principalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { openBody } from './body-stream.ts';
import { type ByteRange, bytesWithin } from './byte-range.ts';
import type { BrokerContext } from './broker-context.ts';
import type { RowsForm } from './choose-format.ts';
import { cursorHeadersOf, type CursorMembers } from './cursor-members.ts';

/** The rows of a response. */
export interface RowsReply extends RowsForm {
  readonly requestId: string;
  readonly schema: Result['schema'];
  readonly page: ResultPage;
  readonly contentEncoding: ContentEncoding | 'identity';
  /** The members of a JSON body besides the rows. */
  readonly envelope: Envelope;
  /** The headers of other bodies with the same members. */
  readonly members: Partial<CursorMembers>;
  /** The requested bytes. Absent: all. */
  readonly range?: ByteRange;
  /** True if the limit of the principal on pages was checked before, when no work had been done. */
  readonly isAdmitted?: boolean | undefined;
  /** Additional headers, such as the caching time of the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The request headers on which a response with rows depends. `origin` is included by every server
 * that may answer it: a broker or a proxy in front of it (`cors.origins`).
 */
export const rowsVary = 'accept, accept-encoding, authorization, origin';

/** The number of rows in a store and their size there. */
type StoredSize = Pick<Result['entry'], 'rowCount' | 'sizeBytes'>;

/**
 * Returns the compression for a page from the stored size of the result's rows, without reading
 * anything.
 */
export function chooseRowsEncoding(
  request: FastifyRequest,
  stored: StoredSize,
  page: ResultPage,
): ContentEncoding | 'identity' {
  const estimatedBytes =
    stored.rowCount === 0 ? 0 : (stored.sizeBytes / stored.rowCount) * page.rowCount;
  return chooseEncoding(request.headers, estimatedBytes);
}

/** Returns the headers of a response with rows. */
function rowsHeadersOf(rows: RowsReply): Record<string, string> {
  const { format, page, members, requestId } = rows;
  const { start, end } = page.range;
  const { mediaType, typeParameters, fileExtension, hasEnvelope } = pageFormats[format];
  return {
    'content-type': `${mediaType}${typeParameters}`,
    vary: rowsVary,
    ...(rows.contentEncoding !== 'identity' && { 'content-encoding': rows.contentEncoding }),
    ...(!hasEnvelope && {
      'content-disposition': `attachment; filename="${requestId}-rows-${start}-${end}.${fileExtension}"`,
      ...cursorHeadersOf(members),
    }),
    ...rows.headers,
  };
}

/**
 * Sends rows, batch by batch, as fast as the client receives them. A failure before the first byte
 * is thrown, so that it is answered with a status. A later one destroys the connection: no client
 * may mistake a partial page for a complete one.
 */
export async function sendRows(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: RowsReply,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') return reply.headers(rowsHeadersOf(rows)).send(Readable.from([]));
  const isCompressed = rows.contentEncoding !== 'identity';
  const isSync = !isCompressed && rows.range === undefined;
  // A small page of text uses no memory shared by streams, and does not count as a stream.
  const isText = isTextFormat(rows.format);
  if (isSync && isText && (await sendSync(context, request, reply, rows))) return await reply;
  const { pageStreams, pageLimiter } = context;
  if (rows.isAdmitted !== true) pageStreams.assertMayOpen(principalOf(request));
  using _stream = pageStreams.open(principalOf(request));
  if (isSync && !isText && (await sendSync(context, request, reply, rows))) return await reply;
  using _turn = await pageLimiter.acquire(
    claimOf(principalOf(request)),
    rows.page.sizeBytesMax,
    callContextOf(request).call.signal,
  );
  const read = Promise.withResolvers<void>();
  // A page may still be read for a moment after its client has disconnected: a shutdown waits for
  // that.
  context.calls.follow(read.promise);
  const all = observed(context, request, rows, read.resolve);
  const body = await openBody(rows.range === undefined ? all : bytesWithin(all, rows.range));
  if (body.kind === 'whole') {
    const response = openReply(reply, rows, body.bytes.byteLength);
    await traced('page.send', () => writeAtOnce(response, [body.bytes]));
    return await reply;
  }
  // A failure from here on is in the call's context, and so in the log.
  await traced('page.send', () => writeBody(openReply(reply, rows), body.chunks)).catch(
    () => undefined,
  );
  return await reply;
}

/** Sends the headers of a response, and returns the destination for its body. */
function openReply(reply: FastifyReply, rows: RowsReply, sizeBytes?: number): ServerResponse {
  reply.headers(rowsHeadersOf(rows));
  if (sizeBytes !== undefined) reply.header('content-length', String(sizeBytes));
  reply.hijack();
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
}

/**
 * Sends a page in one write, if it can be encoded synchronously; resolves to true if it was sent,
 * once the system has accepted it.
 */
async function sendSync(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: RowsReply,
): Promise<boolean> {
  const { page, format, codecs, escapesFormulas } = rows;
  if (callContextOf(request).call.signal.aborted) return false;
  const encoded = tracedSync('page.encode', () =>
    page.encodeSync(format, { ...aroundOf(rows), codecs, escapesFormulas }),
  );
  if (encoded === undefined) return false;
  const { chunks, release } = encoded;
  const sizeBytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  context.metrics.observeBytes(format, sizeBytes);
  const response = openReply(reply, rows, sizeBytes);
  const isTaken = await traced('page.send', () => writeAtOnce(response, chunks));
  if (isTaken) context.metrics.observeRows(format, page.rowCount);
  release?.(!isTaken);
  return true;
}

/** Yields the body and counts it; a failure in the middle is recorded for the log. */
async function* observed(
  context: BrokerContext,
  request: FastifyRequest,
  rows: RowsReply,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  const { page, format, codecs, escapesFormulas, contentEncoding } = rows;
  const callContext = callContextOf(request);
  const { signal } = callContext.call;
  try {
    const chunks = page.encode(format, {
      isDoneWithChunks: true,
      ...(contentEncoding !== 'identity' && { contentEncoding }),
      onEncoded: (sizeBytes) => context.metrics.observeBytes(format, sizeBytes),
      codecs,
      escapesFormulas,
      signal,
      ...aroundOf(rows),
    });
    yield* tracedItems('page.encode', chunks);
    context.metrics.observeRows(format, page.rowCount);
  } catch (error) {
    callContext.failure = error;
    throw error;
  } finally {
    onEnd();
  }
}

/** The content encodings, in order of preference if the client has none. */
const contentEncodings = ['zstd', 'br', 'gzip'] as const satisfies readonly ContentEncoding[];

/** A negotiator that breaks ties by the server's preference, which its types do not declare yet. */
interface EncodingNegotiator {
  encoding(
    available: readonly string[],
    options?: { readonly preferred: readonly string[] },
  ): string | undefined;
}

/** The minimum size: smaller bodies fit a packet or two, and compressing them gains nothing. */
const worthwhileBytes = 2048;

/**
 * Returns the compression for a body of about `sizeBytes`: one that the client accepts, if it is
 * worthwhile.
 */
export function chooseEncoding(
  headers: IncomingHttpHeaders,
  sizeBytes: number,
): ContentEncoding | 'identity' {
  if (sizeBytes < worthwhileBytes || headers['accept-encoding'] === undefined) return 'identity';
  const negotiator: EncodingNegotiator = new Negotiator({ headers });
  const accepted = negotiator.encoding([...contentEncodings, 'identity'], {
    preferred: contentEncodings,
  });
  return contentEncodings.find((encoding) => encoding === accepted) ?? 'identity';
}

/** The members of a JSON response besides the rows. */
type Envelope =
  | Omit<CursorResponse, 'resultTable'>
  | Omit<QueryResponse, 'resultTable'>
  | Omit<PinotCursorResponse, 'resultTable'>;

/**
 * Returns the text around the rows of a JSON response: the result table first, whose rows are a
 * JSON array, then the other members in their order.
 */
function aroundOf({ format, schema, envelope }: RowsReply): Pick<EncodeOptions, 'around'> {
  if (!pageFormats[format].hasEnvelope) return {};
  return {
    around: {
      before: beginningOf(schema),
      after: Buffer.from(`},${JSON.stringify(envelope).slice(1)}`),
    },
  };
}

/** The texts before the rows, by schema: pages of a cached result share one. */
const beginnings = new WeakMap<Result['schema'], Uint8Array>();

function beginningOf(schema: Result['schema']): Uint8Array {
  const known = beginnings.get(schema);
  if (known !== undefined) return known;
  const dataSchema = {
    columnNames: schema.fields.map((field) => field.name),
    columnDataTypes: columnDataTypes(schema),
  };
  const beginning = Buffer.from(
    `{"resultTable":{"dataSchema":${JSON.stringify(dataSchema)},"rows":`,
  );
  beginnings.set(schema, beginning);
  return beginning;
}

/**
 * Writes a body chunk by chunk and ends the response. The next chunk is requested when the system
 * has accepted the last one, whose memory may then be reused. If the client disconnects, the source
 * is closed.
 *
 * @throws any error of the source; the response is then destroyed, so that no client mistakes a
 * partial body for a complete one
 */
export async function writeBody(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const closed = new Promise<false>((resolve) => response.once('close', () => resolve(false)));
  try {
    for await (const chunk of chunks) {
      const isTaken = await Promise.race([taken(response, chunk), closed]);
      if (!isTaken) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves to true if the chunk was passed to the system. */
function taken(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(chunk, (error) => resolve(error === null || error === undefined));
  });
}

/**
 * Writes all chunks and ends the response; resolves to true once the system has accepted them, or
 * to false if the client has disconnected.
 */
export function writeAtOnce(
  response: ServerResponse,
  chunks: readonly Uint8Array[],
): Promise<boolean> {
  // A response that closed while its body was being read emits neither event again.
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    response.once('finish', () => resolve(true)).once('close', () => resolve(false));
    // Chunks written synchronously are sent with one system call.
    for (const chunk of chunks) response.write(chunk);
    response.end();
  });
}
