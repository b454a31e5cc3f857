import type { IncomingHttpHeaders } from 'node:http';
import { abortError, type Clock, QuireError } from '@quire/core';
import type { Broker } from '../brokers/broker.ts';
import { Deadline } from './deadline.ts';

/** A call that the proxy itself makes to a broker: to look after it, or on behalf of a caller whose call needs several. */
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

interface AnswerStart {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** An answer whose head is there. Its chunks are to be read to the end, or left; an abort of the call ends them. */
export interface OpenAnswer extends AnswerStart {
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface WholeAnswer extends AnswerStart {
  readonly body: Buffer;
}

/**
 * Calls a broker and reads its whole, short answer.
 *
 * @throws BROKER_TIMED_OUT when it is silent for too long, BROKER_FAILED when its answer is too long, and what undici throws
 */
export async function callBroker(broker: Broker, call: OwnCall & { readonly bodyBytesMax: number }): Promise<WholeAnswer> {
  // One time for all of it: who trickles is not well.
  using deadline = new Deadline(call.clock, call.timeoutMs, call.signal);
  const { status, headers, chunks } = await openAnswer(broker, { ...call, signal: deadline.signal });
  return { status, headers, body: await readWhole(chunks, call.bodyBytesMax) };
}

/** @throws BROKER_FAILED when it is longer than it may be */
export async function readWhole(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new QuireError('BROKER_FAILED', 'A broker answers more than it should.');
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}

/** Calls a broker; resolves once the head of its answer is there. @throws as `callBroker` */
export async function openAnswer(broker: Broker, call: OwnCall): Promise<OpenAnswer> {
  const { method = 'GET', path, headers = {}, clock, timeoutMs, signal } = call;
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(signal === undefined ? undefined : abortError(signal));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const end = broker.beginCall();
  try {
    const answering = broker.pool.request({ method, path, headers, signal: ending.signal });
    const { statusCode, headers: itsHeaders, body } = await within(answering, clock, timeoutMs, ending);
    const chunks = guarded(body as AsyncIterable<Uint8Array>, clock, timeoutMs, ending);
    return { status: statusCode, headers: itsHeaders, chunks };
  } finally {
    end();
  }
}

async function* guarded(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  timeoutMs: number,
  ending: AbortController,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(iterator.next(), clock, timeoutMs, ending);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Waits for a step of a call; when it takes too long, the whole call ends, and so does the step. */
async function within<T>(step: Promise<T>, clock: Clock, timeoutMs: number, ending: AbortController): Promise<T> {
  using deadline = new Deadline(clock, timeoutMs);
  const onTimeUp = (): void => ending.abort(deadline.signal.reason);
  deadline.signal.addEventListener('abort', onTimeUp, { once: true });
  return await step;
}
