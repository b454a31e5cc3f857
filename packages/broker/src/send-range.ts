import { claimOf, principalOf, signalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrokerContext } from './broker-context.ts';
import { type askedRange, type ByteRange, locateRange, UnsatisfiableRange } from './byte-range.ts';
import { type RowsReply, sendRows } from './send-rows.ts';

/** Sends a part of a download, for clients whose connection was interrupted. */
export async function sendRange(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    rows,
    wanted,
  }: { readonly rows: RowsReply; readonly wanted: NonNullable<ReturnType<typeof askedRange>> },
): Promise<FastifyReply> {
  const { page, format, codecs, escapesFormulas, headers } = rows;
  const range = await locate();
  const { start, end, sizeBytes } = range;
  const partHeaders = {
    'content-range': `bytes ${start}-${end - 1}/${sizeBytes}`,
    'content-length': String(end - start),
  };
  return sendRows(context, request, reply.code(206), {
    ...rows,
    range,
    headers: { ...headers, ...partHeaders },
  });

  async function locate(): Promise<ByteRange> {
    const signal = signalOf(request);
    using _ = await context.pageLimiter.acquire(
      claimOf(principalOf(request)),
      page.sizeBytesMax,
      signal,
    );
    try {
      return await locateRange(wanted, page, format, { signal, codecs, escapesFormulas });
    } catch (error) {
      if (error instanceof UnsatisfiableRange) reply.header('content-range', error.contentRange);
      throw error;
    }
  }
}
