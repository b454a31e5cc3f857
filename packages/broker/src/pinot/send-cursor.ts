import { expirationHeader, pinotErrorCodeHeader } from '@quire/api';
import type { Result } from '@quire/results';
import { callContextOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { chooseRowsEncoding, type RowsReply, sendRows } from '../send-rows.ts';
import { pinotResponseOf } from './cursor-response.ts';

/**
 * Sends a page in the format of Apache Pinot's cursor API: always JSON, never cached, and without a
 * table if the result has no rows.
 */
export async function sendPinotPage(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    result,
    page,
    isAdmitted,
  }: Pick<RowsReply, 'page' | 'isAdmitted'> & { readonly result: Result },
): Promise<FastifyReply> {
  const envelope = pinotResponseOf(context, result, {
    of: page,
    startMs: callContextOf(request).startMs,
  });
  const headers = {
    'cache-control': 'no-store',
    [pinotErrorCodeHeader]: '-1',
    [expirationHeader]: String(result.entry.expirationTimeMs),
  };
  if (result.entry.rowCount === 0) return reply.headers(headers).send(envelope);
  const contentEncoding = chooseRowsEncoding(request, result.entry, page);
  const { entry, schema } = result;
  const { requestId } = entry;
  const rows = {
    requestId,
    schema,
    page,
    format: 'json',
    codecs: [],
    contentEncoding,
    envelope,
    members: {},
    headers,
    isAdmitted,
  } as const;
  return sendRows(context, request, reply, rows);
}
