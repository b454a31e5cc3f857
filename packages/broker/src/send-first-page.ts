import { expirationHeader, pinotErrorCodeHeader } from '@quire/api';
import { tracedSync } from '@quire/core/trace';
import type { Result } from '@quire/results';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrokerContext } from './broker-context.ts';
import type { RowsForm } from './choose-format.ts';
import { cursorMembersOf } from './cursor-members.ts';
import { metadataOfResult } from './metadata-record.ts';
import { sendPinotPage } from './pinot/send-cursor.ts';
import { chooseRowsEncoding, sendRows } from './send-rows.ts';

/**
 * The answer to a query: all rows at once without a stored result, or the first page of the stored
 * one, in Quire's or Apache Pinot's format.
 */
export type AnswerKind = 'whole' | 'page' | 'pinot-cursor';

/** Answers a query whose result exists. */
export async function sendFirstPage(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    result,
    ...call
  }: {
    readonly result: Result;
    readonly answer: AnswerKind;
    readonly rowCount: number;
    readonly form: RowsForm;
    /** True if it is the result of another query. */
    readonly isReused?: boolean;
  },
): Promise<FastifyReply> {
  const { entry, schema } = result;
  const { requestId, rowCount: totalRowCount } = entry;
  const isPaginated = call.answer !== 'whole';
  const asked = { offset: 0, rowCount: isPaginated ? call.rowCount : Math.max(1, totalRowCount) };
  const page = tracedSync('page.plan', () => result.page(asked));
  if (call.answer === 'pinot-cursor') {
    return sendPinotPage(context, request, reply, { result, page, isAdmitted: true });
  }
  const members = cursorMembersOf(result, page, asked, context.advertised());
  const cursor = call.isReused === true ? { ...members, reused: true } : members;
  return sendRows(context, request, reply, {
    requestId,
    schema,
    page,
    ...call.form,
    contentEncoding: chooseRowsEncoding(request, entry, page),
    isAdmitted: true,
    envelope: isPaginated ? cursor : metadataOfResult(result),
    members: isPaginated ? cursor : { requestId, numRows: totalRowCount },
    headers: {
      'cache-control': 'no-store',
      [pinotErrorCodeHeader]: '-1',
      ...(isPaginated && { [expirationHeader]: String(entry.expirationTimeMs) }),
    },
  });
}
