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
 * A call of the proxy itself to a broker: for monitoring, or for a caller whose call needs several.
 */
export interface OwnCall {
  readonly method?: 'GET' | 'HEAD' | 'DELETE';
  /** The path with its parameters. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The timeout for the headers of the answer, and then between any two pieces of it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a broker; resolves once the headers of its answer are received.
 *
 * @throws BROKER_TIMED_OUT when it exceeds a timeout, BROKER_UNAVAILABLE when the connection fails,
 *   BROKER_FAILED when the answer ends early, and the reason of the signal's abort
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
 * it exceeds the maximum length
 */
export async function callBroker(
  broker: Broker,
  { bodyBytesMax, ...call }: OwnCall & { readonly bodyBytesMax: number },
): Promise<{ readonly status: number; readonly text: string }> {
  // One timeout for the whole answer: a broker that sends it slowly is not healthy.
  return withDeadline({ ...call, error: brokerErrors.silent }, async (signal) => {
    const { status, chunks } = await openAnswer(broker, { ...call, signal });
    return { status, text: await readText(chunks, bodyBytesMax) };
  });
}

/** Reads the text of an answer. @throws BROKER_FAILED when it exceeds the maximum length */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  return new TextDecoder().decode(await readWhole(chunks, bytesMax, brokerAnswerTooLong));
}
