import { partialHeader } from '@quire/api';
import type { WireAnswer } from '@quire/client/wire';
import { QuireError, throwIfAborted } from '@quire/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Broker } from '../brokers/broker.ts';
import { openAnswer, type OwnCall, readText } from '../brokers/call-broker.ts';
import { onBehalfHeadersOf } from '../forwarding/end-to-end-headers.ts';
import { requestPathOf } from '../forwarding/request-path.ts';
import type { ProxyContext } from '../proxy-context.ts';

/** The answers of the brokers to a call that was made to each of them. */
export interface AllAnswers<T> {
  readonly parts: readonly T[];
  /**
   * The answer of a broker that refused the call because of the caller or the request, as all
   * would.
   */
  readonly refusal: Refusal | undefined;
  /** The brokers that did not answer, or are down. */
  readonly missing: readonly Broker[];
}

/** A refusal by a broker, which is forwarded in its words. */
interface Refusal extends Pick<WireAnswer, 'status' | 'headers'> {
  readonly text: string;
}

type Answer<T> =
  | { readonly kind: 'part'; readonly part: T }
  | { readonly kind: 'refusal'; readonly refusal: Refusal };

const refusalBytesMax = 65_536;

/**
 * Forwards a call to all brokers concurrently. Brokers that are down are not waited for; failed
 * ones are missing.
 *
 * @throws BROKER_UNAVAILABLE when none answered; ABORTED when the client has disconnected
 * @throws INVALID_PARAMETER when the target of the request is not a path
 */
export async function callAll<T>(
  context: ProxyContext,
  request: FastifyRequest,
  call: Pick<OwnCall, 'method' | 'signal'>,
  read: (answer: WireAnswer) => Promise<T>,
): Promise<AllAnswers<T>> {
  const { brokers, watch, clock, options } = context;
  const { usable, all } = brokers;
  const missing = new Set(all.filter((broker) => !usable.includes(broker)));
  const timeoutMs = options.timeouts.answerMs;
  const ownCall = {
    ...call,
    path: requestPathOf(request),
    headers: onBehalfHeadersOf(request.raw, request.id),
    clock,
    timeoutMs,
  };
  const answers = await Promise.all(
    usable.map(async (broker) => {
      try {
        return await readAnswer(await openAnswer(broker, ownCall), read);
      } catch (error) {
        // A client that has disconnected says nothing about a broker.
        throwIfAborted(call.signal);
        missing.add(broker);
        request.log.warn(
          { err: error as Error, broker: broker.label },
          'a broker is missing from an answer',
        );
        watch.recordFailure(broker, error instanceof Error ? error.message : String(error));
        return undefined;
      }
    }),
  );
  const parts = answers.flatMap((answer) => (answer?.kind === 'part' ? [answer.part] : []));
  const [refusal] = answers.flatMap((answer) =>
    answer?.kind === 'refusal' ? [answer.refusal] : [],
  );
  if (parts.length === 0 && refusal === undefined) {
    throw new QuireError('BROKER_UNAVAILABLE', 'No broker is answering; retry.');
  }
  return { parts, refusal, missing: all.filter((broker) => missing.has(broker)) };
}

/** Lists the brokers that are missing from an answer in its headers. */
export function markPartial(reply: FastifyReply, missing: readonly Broker[]): void {
  if (missing.length > 0) reply.header(partialHeader, missing.map(({ label }) => label).join(', '));
}

export function sendRefusal(reply: FastifyReply, { status, headers, text }: Refusal): FastifyReply {
  for (const name of ['www-authenticate', 'retry-after']) {
    const value = headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  return reply
    .code(status)
    .headers({
      'content-type': headers.get('content-type') ?? 'application/json',
      'cache-control': 'no-store',
    })
    .send(text);
}

async function readAnswer<T>(
  answer: WireAnswer,
  read: (answer: WireAnswer) => Promise<T>,
): Promise<Answer<T>> {
  const { status, headers, chunks } = answer;
  if (isRefusal(status)) {
    return {
      kind: 'refusal',
      refusal: { status, headers, text: await readText(chunks, refusalBytesMax) },
    };
  }
  if (status === 200) return { kind: 'part', part: await read(answer) };
  await readText(chunks, refusalBytesMax);
  throw new QuireError('BROKER_FAILED', `A broker answered with status ${status}.`);
}

/**
 * Reports whether a status is caused by the caller, so that the answers of other brokers do not
 * matter. It includes 429, which is about this caller.
 */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}
