import {
  brokerAnswerTooLong,
  brokerErrors,
  Exchange,
  readWhole,
  type WireAnswer,
} from '@quire/client/wire';
import type { Clock } from '@quire/core';
import { traceHeaders } from '@quire/core/trace';
import { withDeadline } from '@quire/core/wait';
import type { Broker } from './broker.ts';

/**
 * A call that the proxy itself makes to a broker: to look after it, or on behalf of a caller whose
 * call needs several.
 */
export interface OwnCall {
  readonly method?: 'GET' | 'HEAD' | 'DELETE';
  /** With its parameters. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Until the head of the answer, and then between any two pieces of it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a broker; resolves once the head of its answer is there.
 *
 * @throws BROKER_TIMED_OUT when it is silent for too long, BROKER_UNAVAILABLE when there is no
 * connection, BROKER_FAILED when the answer breaks off, and what the signal is aborted with
 */
export async function openAnswer(broker: Broker, call: OwnCall): Promise<WireAnswer> {
  const { method = 'GET', path, headers = {}, clock, timeoutMs, signal } = call;
  const exchange = new Exchange({
    transport: broker.transport,
    clock,
    errors: brokerErrors,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    signal,
  });
  const end = broker.beginCall();
  try {
    const url = `${broker.address.origin}${path}`;
    return await exchange.open(() => ({ method, url, headers: { ...headers, ...traceHeaders() } }));
  } finally {
    end();
  }
}

/**
 * Calls a broker and reads its whole, short answer. @throws as `openAnswer`, and BROKER_FAILED when
 * it is longer than it may be
 */
export async function callBroker(
  broker: Broker,
  { bodyBytesMax, ...call }: OwnCall & { readonly bodyBytesMax: number },
): Promise<{ readonly status: number; readonly text: string }> {
  // One time for all of it: who trickles is not well.
  return withDeadline({ ...call, error: brokerErrors.silent }, async (signal) => {
    const { status, chunks } = await openAnswer(broker, { ...call, signal });
    return { status, text: await readText(chunks, bodyBytesMax) };
  });
}

/** @throws BROKER_FAILED when it is longer than it may be */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  return new TextDecoder().decode(await readWhole(chunks, bytesMax, brokerAnswerTooLong));
}
