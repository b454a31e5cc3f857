import type { Principal } from '@quire/auth';
import { dataOfMessage, type FlightCall, type OutgoingData } from '@quire/flight';
import { type BufferCodec, encodeSchema, type Result, type ResultPage } from '@quire/results';
import { claimOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { OwnResults } from '../own-results.ts';
import { assertNotFailed } from '../send-growing-page.ts';
import type { FlightCaller } from './flight-caller.ts';
import type { FlightOptions } from '../flight-options.ts';
import type { RowsTicket } from './handles.ts';

/** Clients that are known to decompress the buffers of Arrow. Java's is known not to. */
const decompressing = /ADBC Flight SQL Driver|grpc-c\+\+|grpc-go/;

function codecsOf(userAgent: string | undefined): readonly BufferCodec[] {
  return decompressing.test(userAgent ?? '') ? ['zstd', 'lz4'] : [];
}

/**
 * Reads the rows of a ticket, which any broker of the store may have issued: the schema, then the batches as they are
 * stored. They have to be the caller's.
 */
export async function* readRows(
  context: BrokerContext,
  { messageBytesMax }: FlightOptions,
  rows: RowsTicket,
  call: FlightCall<FlightCaller>,
): AsyncGenerator<OutgoingData> {
  const { principal } = call.context;
  const { metrics, pageStreams, pageLimiter } = context;
  pageStreams.assertMayOpen(principal);
  using _stream = pageStreams.open(principal);
  await using opened = await openRows(context, principal, rows, call.signal);
  const { schema, page } = opened;
  yield dataOfMessage(encodeSchema(schema));
  using _turn = await pageLimiter.acquire(claimOf(principal), page.sizeBytesMax, call.signal);
  const codecs = codecsOf(call.headers['user-agent']);
  const messages = page.messages({ codecs, messageBytesMax, signal: call.signal });
  for await (const message of messages) {
    metrics.observeBytes('flight', message.byteLength);
    yield dataOfMessage(message);
  }
  metrics.observeRows('flight', page.rowCount);
}

interface OpenRows extends AsyncDisposable {
  readonly schema: Result['schema'];
  readonly page: ResultPage;
}

async function openRows(
  context: BrokerContext,
  principal: Principal,
  { requestId, offset, rowCount = Number.MAX_SAFE_INTEGER }: RowsTicket,
  signal: AbortSignal,
): Promise<OpenRows> {
  const growth = context.queries.running(principal, requestId)?.growth;
  const hold = growth?.hold();
  const growing = growth?.page({ offset, rowCount });
  if (growth?.schema !== undefined && growing !== undefined && hold !== undefined) {
    return {
      schema: growth.schema,
      page: growing,
      [Symbol.asyncDispose]: () => hold[Symbol.asyncDispose](),
    };
  }
  await hold?.[Symbol.asyncDispose]();
  assertNotFailed(context, principal, requestId);
  const result = await new OwnResults(context.results, principal).open(requestId, { signal });
  const page = result.page({ offset, rowCount });
  return { schema: result.schema, page, [Symbol.asyncDispose]: async () => undefined };
}
