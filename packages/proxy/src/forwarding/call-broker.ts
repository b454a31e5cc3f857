import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, QuireError } from '@quire/core';
import { Deadline } from '@quire/core/wait';
import type { Broker } from '../brokers/broker.ts';

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
  using deadline = new Deadline({ ...call, error: silent });
  const { status, headers, chunks } = await openAnswer(broker, { ...call, signal: deadline.signal });
  return { status, headers, body: await readWhole(chunks, call.bodyBytesMax) };
}

/** @throws BROKER_FAILED when it is longer than it may be */
export async function readWhole(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new QuireError('BROKER_FAILED', "A broker's answer is longer than allowed.");
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}

/** Calls a broker; resolves once the head of its answer is there. @throws as `callBroker` */
export async function openAnswer(broker: Broker, call: OwnCall): Promise<OpenAnswer> {
  const { method = 'GET', path, headers = {}, clock, timeoutMs, signal } = call;
  const deadline = new Deadline({ clock, timeoutMs, signal, error: silent });
  const end = broker.beginCall();
  try {
    const answer = await broker.pool.request({ method, path, headers, signal: deadline.signal });
    deadline.stop();
    const chunks = inTime(answer.body as AsyncIterable<Uint8Array>, deadline, timeoutMs);
    return { status: answer.statusCode, headers: answer.headers, chunks };
  } catch (error) {
    deadline[Symbol.dispose]();
    throw error;
  } finally {
    end();
  }
}

/** The same chunks; the time of each runs while it is waited for, and when it is over, the whole call ends. */
async function* inTime(chunks: AsyncIterable<Uint8Array>, deadline: Deadline, timeoutMs: number): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      deadline.start(timeoutMs);
      const next = await iterator.next();
      if (next.done === true) return;
      deadline.stop();
      yield next.value;
    }
  } finally {
    deadline[Symbol.dispose]();
    await iterator.return?.();
  }
}

function silent(): QuireError {
  return new QuireError('BROKER_TIMED_OUT', 'A broker does not answer in time.');
}
