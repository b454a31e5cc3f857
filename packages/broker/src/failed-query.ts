import { exceptionNumberOf, pinotErrorCodeHeader, type QueryResponse } from '@quire/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContextOf, publicMessage, toQuireError } from '@quire/service';
import type { BrokerContext } from './broker-context.ts';
import { metadataOfFailure } from './metadata-record.ts';

/** Answers a query that ran and failed: HTTP 200 with the exception, since the call itself is in order (SPECIFICATION.md section 7). */
export function replyWithException(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  const error = toQuireError(thrown);
  const errorCode = error.exceptionNumber ?? exceptionNumberOf(error.code);
  if (errorCode === 450) request.log.error({ err: error }, 'query failed unexpectedly');
  else request.log.info({ reason: error.code, errorCode }, 'query failed');
  const response: QueryResponse = metadataOfFailure({
    requestId: request.id,
    brokerId: context.options.results.brokerId,
    exception: { errorCode, message: publicMessage(error, request.id) },
    elapsedMs: context.clock.monotonicMs() - callContextOf(request).startMs,
  });
  return reply.headers({ 'cache-control': 'no-store', [pinotErrorCodeHeader]: String(errorCode) }).send(response);
}
