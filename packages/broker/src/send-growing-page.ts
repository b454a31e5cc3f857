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
  /** The time to wait for missing rows. */
  readonly waitMs: number;
  /** Resolves once other brokers know which one runs it; callers receive it only then. */
  readonly known?: Promise<void>;
  readonly isAdmitted?: RowsReply['isAdmitted'];
}

const waitMaxMsDefault = 10_000;

/**
 * Returns the time that a call may wait for rows: its own value, or the maximum.
 *
 * @throws INVALID_PARAMETER when its value is not a duration
 */
export function waitOf({ options }: BrokerContext, value: RawParameter): number {
  return Math.min(parseWaitMs(value) ?? Infinity, options.rowsWaitMaxMs ?? waitMaxMsDefault);
}

/**
 * Sends the existing rows of a page, once it is complete or the wait is over. Resolves to false,
 * and sends nothing, if the query has ended in the meantime: the caller then answers as for any
 * finished query.
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
 * Checks that the query has not failed: a caller that requests more of it must receive the failure.
 *
 * @throws the failure of the query
 */
export function assertNotFailed(
  { queries }: BrokerContext,
  principal: Principal,
  requestId: string,
): void {
  const ended = queries.ended(principal, requestId);
  if (ended !== undefined) throw ended.error;
}
