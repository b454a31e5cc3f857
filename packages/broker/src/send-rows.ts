import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import {
  type CursorResponse,
  pageFormats,
  type PinotCursorResponse,
  type QueryResponse,
} from '@quire/api';
import { traced, tracedItems, tracedSync } from '@quire/core/trace';
import { isTextFormat } from '@quire/core/wire';
import { columnDataTypes, type EncodeOptions, type Result, type ResultPage } from '@quire/results';
import { callContextOf, claimOf, principalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { openBody } from './body-stream.ts';
import { type ByteRange, bytesWithin } from './byte-range.ts';
import type { BrokerContext } from './broker-context.ts';
import type { RowsForm } from './choose-format.ts';
import { cursorHeadersOf, type CursorMembers } from './cursor-members.ts';

/** Rows as a response brings them. */
export interface RowsReply extends RowsForm {
  readonly requestId: string;
  readonly schema: Result['schema'];
  readonly page: ResultPage;
  readonly contentEncoding: ContentEncoding;
  /** What a JSON body holds beside the rows. */
  readonly envelope: Envelope;
  /** What the headers of other bodies say instead. */
  readonly members: Partial<CursorMembers>;
  /** The bytes that were asked for. Absent: all. */
  readonly range?: ByteRange;
  /**
   * Whether the principal's limit on pages was held against the call before, when nothing was done
   * for it.
   */
  readonly isAdmitted?: boolean | undefined;
  /** What else the headers say, such as how long the response may be kept. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The request headers that a response with rows depends on. `origin` is among them wherever it is
 * answered: by a broker or by a proxy before it (`cors.origins`).
 */
export const rowsVary = 'accept, accept-encoding, authorization, origin';

/** Rows in a store and the bytes that they take there. */
type StoredSize = Pick<Result['entry'], 'rowCount' | 'sizeBytes'>;

/**
 * The compression for a page, decided by what the result's rows take in the store: nothing is read
 * for it.
 */
export function chooseRowsEncoding(
  request: FastifyRequest,
  stored: StoredSize,
  page: ResultPage,
): ContentEncoding {
  const estimatedBytes =
    stored.rowCount === 0 ? 0 : (stored.sizeBytes / stored.rowCount) * page.rowCount;
  return chooseEncoding(request.headers, estimatedBytes);
}

/** The headers of a response with rows. */
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
 * Sends rows, batch by batch, as fast as the client takes them. A failure before the first byte is
 * thrown, so that it is answered with a status; a later one destroys the connection: no client
 * takes a part of a page for a page.
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
  // A small page of text takes none of the memory that streams share, and counts as none.
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
  // A compressor lets go of what it reads some time after its client has gone: a shutdown waits for
  // that.
  context.calls.follow(read.promise);
  const all = observed(context, request, rows, {
    isDoneWithChunks: !isCompressed,
    onEnd: read.resolve,
  });
  const body = await openBody(rows.range === undefined ? all : bytesWithin(all, rows.range));
  if (body.kind === 'whole' && !isCompressed) {
    const response = openReply(reply, rows, body.bytes.byteLength);
    await traced('page.send', () => writeAtOnce(response, [body.bytes]));
    return await reply;
  }
  const chunks = body.kind === 'stream' ? body.chunks : [body.bytes];
  const sent = isCompressed
    ? compressed(Readable.from(chunks, { objectMode: false }), rows.contentEncoding)
    : chunks;
  // What fails from here on is in the call's context, and so in the log.
  await traced('page.send', () => writeBody(openReply(reply, rows), sent)).catch(() => undefined);
  return await reply;
}

/** Sends the head of a response, and returns what its body is written to. */
function openReply(reply: FastifyReply, rows: RowsReply, sizeBytes?: number): ServerResponse {
  reply.headers(rowsHeadersOf(rows));
  if (sizeBytes !== undefined) reply.header('content-length', String(sizeBytes));
  reply.hijack();
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
}

/**
 * Sends a page in one write, if it can be encoded in one turn; resolves to whether that was so, once
 * the system has taken it.
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

/** The body, counted, and with what goes wrong in the middle of it kept for the log. */
async function* observed(
  context: BrokerContext,
  request: FastifyRequest,
  rows: RowsReply,
  { onEnd, ...options }: Pick<EncodeOptions, 'isDoneWithChunks'> & { readonly onEnd: () => void },
): AsyncGenerator<Uint8Array> {
  const { page, format, codecs, escapesFormulas } = rows;
  const callContext = callContextOf(request);
  const { signal } = callContext.call;
  try {
    const chunks = page.encode(format, {
      ...options,
      codecs,
      escapesFormulas,
      signal,
      ...aroundOf(rows),
    });
    for await (const chunk of tracedItems('page.encode', chunks)) {
      context.metrics.observeBytes(format, chunk.byteLength);
      yield chunk;
    }
    context.metrics.observeRows(format, page.rowCount);
  } catch (error) {
    callContext.failure = error;
    throw error;
  } finally {
    onEnd();
  }
}

/** How a body travels; in order of preference where a client does not care. */
const contentEncodings = ['zstd', 'br', 'gzip'] as const;

type ContentEncoding = (typeof contentEncodings)[number] | 'identity';

/** Its types do not know yet that the preference of the server breaks ties. */
interface EncodingNegotiator {
  encoding(
    available: readonly string[],
    options?: { readonly preferred: readonly string[] },
  ): string | undefined;
}

/** Smaller bodies fit a packet or two: compressing them gains nothing. */
const worthwhileBytes = 2048;

/**
 * The compression to use for a body of about `sizeBytes`: one that the client accepts, if it is
 * worth it.
 */
export function chooseEncoding(headers: IncomingHttpHeaders, sizeBytes: number): ContentEncoding {
  if (sizeBytes < worthwhileBytes || headers['accept-encoding'] === undefined) return 'identity';
  const negotiator: EncodingNegotiator = new Negotiator({ headers });
  const accepted = negotiator.encoding([...contentEncodings, 'identity'], {
    preferred: contentEncodings,
  });
  return contentEncodings.find((encoding) => encoding === accepted) ?? 'identity';
}

/**
 * Compresses a body while it streams, fast rather than small: pages are read once, by somebody who
 * waits.
 */
function compressed(body: Readable, encoding: ContentEncoding): Readable {
  if (encoding === 'identity') return body;
  // A failure of either destroys both; the reader of the compressed stream sees it there.
  return pipeline(body, createCompressor(encoding), () => undefined);
}

function createCompressor(encoding: Exclude<ContentEncoding, 'identity'>) {
  const chunkSize = 64 * 1024;
  if (encoding === 'gzip') return createGzip({ level: 1, chunkSize });
  if (encoding === 'br') {
    return createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  }
  return createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

/** What stands in a JSON response beside the rows. */
type Envelope =
  | Omit<CursorResponse, 'resultTable'>
  | Omit<QueryResponse, 'resultTable'>
  | Omit<PinotCursorResponse, 'resultTable'>;

/**
 * What a JSON response holds around its rows: the result table first, whose rows are a JSON array,
 * then the other members in the order that they have.
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

/**
 * Texts before the rows, by the schema that they show: pages of a cached result share it.
 */
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
 * Writes a body chunk by chunk and ends the response; the next chunk is asked for when the system
 * has taken the last one, whose memory is free from then on. When the client goes away, the source
 * is closed and nothing more is asked for.
 *
 * @throws what the source throws; the response is destroyed then, so that no client takes a part
 * for the whole
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

/** Resolves to whether the chunk was handed to the system. */
function taken(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(chunk, (error) => resolve(error === null || error === undefined));
  });
}

/**
 * Writes all chunks and ends the response; resolves to whether the system has taken them, when it
 * has, or the client is gone.
 */
export function writeAtOnce(
  response: ServerResponse,
  chunks: readonly Uint8Array[],
): Promise<boolean> {
  return new Promise((resolve) => {
    response.once('finish', () => resolve(true)).once('close', () => resolve(false));
    // What is written in one turn goes out in one call to the system.
    for (const chunk of chunks) response.write(chunk);
    response.end();
  });
}
