import type { Principal } from '@quire/auth';
import { isQuireError } from '@quire/core';
import { tracedItems, tracedSync } from '@quire/core/trace';
import { dataOfMessage, type FlightCall, type OutgoingData } from '@quire/flight';
import {
  type BufferCodec,
  encodeSchema,
  type GrowingResult,
  type Result,
  type ResultPage,
} from '@quire/results';
import { claimOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { OwnResults } from '../own-results.ts';
import type { RunningQuery } from '../running-query.ts';
import { assertNotFailed } from '../send-growing-page.ts';
import type { FlightCaller } from './flight-caller.ts';
import type { FlightOptions } from '../flight-options.ts';
import type { RowsTicket } from './handles.ts';

/** Matches clients that decompress the buffers of Arrow; Java's does not. */
const decompressing = /ADBC Flight SQL Driver|grpc-c\+\+|grpc-go/;

function codecsOf(userAgent: string | undefined): readonly BufferCodec[] {
  return decompressing.test(userAgent ?? '') ? ['zstd', 'lz4'] : [];
}

/**
 * Reads the rows of a ticket, which any broker of the store may have issued: the schema, then the
 * batches as they are stored. Rows of a running query are sent as they become readable.
 *
 * @throws the error of the query if it fails while its rows are sent
 */
export async function* readRows(
  context: BrokerContext,
  { messageBytesMax }: FlightOptions,
  rows: RowsTicket,
  call: FlightCall<FlightCaller>,
): AsyncGenerator<OutgoingData> {
  const { principal } = call.context;
  const { signal } = call;
  const { metrics, pageStreams, pageLimiter } = context;
  pageStreams.assertMayOpen(principal);
  using _stream = pageStreams.open(principal);
  const codecs = codecsOf(call.headers['user-agent']);
  let isSchemaSent = false;
  for await (const { schema, page } of pagesOf(context, principal, rows, signal)) {
    if (!isSchemaSent) yield dataOfMessage(encodeSchema(schema));
    isSchemaSent = true;
    using _turn = await pageLimiter.acquire(claimOf(principal), page.sizeBytesMax, signal);
    const messages = page.messages({ codecs, messageBytesMax, signal });
    for await (const message of tracedItems('page.encode', messages)) {
      metrics.observeBytes('flight', message.byteLength);
      yield dataOfMessage(message);
    }
    metrics.observeRows('flight', page.rowCount);
  }
}

interface SchemaAndPage {
  readonly schema: Result['schema'];
  readonly page: ResultPage;
}

/** Reads the rows in pages: one each time that more of them become readable. */
async function* pagesOf(
  context: BrokerContext,
  principal: Principal,
  { requestId, offset, rowCount = Number.MAX_SAFE_INTEGER - offset }: RowsTicket,
  signal: AbortSignal,
): AsyncGenerator<SchemaAndPage> {
  const end = offset + rowCount;
  let next = offset;
  const query = context.queries.running(principal, requestId);
  if (query?.growth !== undefined) {
    for await (const read of growingPages(query, query.growth, { next, end }, signal)) {
      yield read;
      next = read.page.range.end;
    }
    if (next >= end && next > offset) return;
  }
  assertNotFailed(context, principal, requestId);
  const result = await openWhenFinished(context, principal, requestId, signal);
  const page = tracedSync('page.plan', () => result.page({ offset: next, rowCount: end - next }));
  // Everything has been sent.
  if (page.rowCount === 0 && next > offset) return;
  yield { schema: result.schema, page };
}

/** Yields rows until the query has ended, or all requested rows were read. */
async function* growingPages(
  query: RunningQuery,
  growth: GrowingResult,
  { next: start, end }: { readonly next: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<SchemaAndPage> {
  using _reader = query.openReader(signal);
  await using _held = growth.hold();
  for (let next = start; next < end;) {
    await query.untilRows(next + 1, { waitMs: Infinity, signal });
    // The rest is in the stored result.
    if (query.outcome !== undefined) return;
    const page = growth.page({ offset: next, rowCount: end - next });
    if (page === undefined || growth.schema === undefined) return;
    yield { schema: growth.schema, page };
    next = page.range.end;
  }
}

/** The poll interval of a query that runs at another broker of the store. */
const elsewhereIntervalMs = 250;

/**
 * Opens a stored result. A ticket may reach another broker of the store than the one that runs its
 * query, which then waits until the query has ended.
 */
async function openWhenFinished(
  context: BrokerContext,
  principal: Principal,
  requestId: string,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await new OwnResults(context.results, principal).open(requestId, { signal });
    } catch (error) {
      if (!isQuireError(error, 'QUERY_ELSEWHERE')) throw error;
      await context.clock.sleep(elsewhereIntervalMs, signal);
    }
  }
}
