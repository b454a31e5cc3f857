import { pageHeaders, parseWaitMs, type RawParameter } from '@quire/api';
import type { Principal } from '@quire/auth';
import type { PageRequest } from '@quire/core';
import { signalOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrokerContext } from './broker-context.ts';
import type { RowsForm } from './choose-format.ts';
import { growingMembersOf } from './cursor-members.ts';
import { statusOfRunning } from './query-status.ts';
import type { RunningQuery } from './running-query.ts';
import { chooseRowsEncoding, type RowsReply, sendRows } from './send-rows.ts';

export interface GrowingCall {
  readonly query: RunningQuery;
  readonly asked: PageRequest;
  readonly form: RowsForm;
  /** How long to wait for rows that are not there. */
  readonly waitMs: number;
  /** Resolves once other brokers know where it runs: nobody is told of it before. */
  readonly known?: Promise<void>;
  readonly isAdmitted?: RowsReply['isAdmitted'];
}

const waitMaxMsDefault = 10_000;

/**
 * How long a call may wait for rows: what it says, or else the maximum.
 *
 * @throws INVALID_PARAMETER when it says no duration
 */
export function waitOf({ options }: BrokerContext, value: RawParameter): number {
  return Math.min(parseWaitMs(value) ?? Infinity, options.rowsWaitMaxMs ?? waitMaxMsDefault);
}

/**
 * Sends what is there of a page, once it is whole or the wait is over. Resolves to whether it was
 * sent: a query that has ended meanwhile is answered as one that ended before.
 */
export async function sendGrowingPage(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, asked, form, waitMs, known, isAdmitted }: GrowingCall,
): Promise<boolean> {
  await using _ = query.growth?.hold();
  await query.untilRows(asked.offset + asked.rowCount, { waitMs, signal: signalOf(request) });
  if (known !== undefined) await Promise.race([known, query.hasFinished]);
  if (query.outcome !== undefined) return false;
  const status = statusOfRunning(context, query);
  const headers = { 'cache-control': 'no-store', [pageHeaders.state]: status.state };
  const page = query.growth?.page(asked);
  if (page === undefined || query.growth?.schema === undefined) {
    await reply.code(202).headers(headers).send(status);
    return true;
  }
  const { schema, rowCount, sizeBytes } = query.growth;
  const members = growingMembersOf(status, { page, asked });
  await sendRows(context, request, reply, {
    requestId: query.requestId,
    schema,
    page,
    ...form,
    contentEncoding: chooseRowsEncoding(request, { rowCount, sizeBytes }, page),
    envelope: members,
    members,
    isAdmitted,
    headers,
  });
  return true;
}

/**
 * A page that was served is not contradicted in silence: who asks for more of a query that failed
 * meanwhile is told so.
 *
 * @throws what the query failed with
 */
export function assertNotFailed(
  { queries }: BrokerContext,
  principal: Principal,
  requestId: string,
): void {
  const ended = queries.ended(principal, requestId);
  if (ended !== undefined) throw ended.error;
}
