import { pageHeaders } from '@quire/api';
import { isQuireError, isRequestId, QuireError } from '@quire/core';
import { signalOf } from '@quire/service';
import type { FastifyRequest } from 'fastify';
import type { Broker } from '../brokers/broker.ts';
import type { AnswerHead, ExchangeOutcome } from '../forwarding/exchange.ts';
import { errorOf, type ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { askedHolder, type Candidates, type Declined, knownHolders } from './candidates.ts';

/**
 * Gives a call about one result to the broker that holds it, as far as it is known where that is;
 * else to the one that says so.
 *
 * @throws as `knownHolders`, `askedHolder` and `forwardToOneOf`
 */
export async function forwardToHolder(
  context: ProxyContext,
  request: FastifyRequest,
  call: ForwardedCall,
  requestId: string,
): Promise<void> {
  const known = knownHolders(context, request, requestId);
  const declined =
    known === undefined
      ? undefined
      : await forwardToOneOf(context, request, call, known, requestId);
  if (known !== undefined && declined === undefined) return;
  if (!isRequestId(requestId)) return;
  context.routes.delete(requestId);
  if (declined?.runner !== undefined) {
    const runner: Candidates = {
      by: 'named',
      brokers: [declined.runner],
      triesMax: 1,
      mayDecline: false,
    };
    // Its word is the last: where it does not know of the query, an earlier process of it was
    // killed.
    await forwardToOneOf(context, request, call, runner, requestId);
    return;
  }
  context.metrics.observeRoute('asked');
  const asked = await askedHolder(context, request, requestId, declined?.by);
  await tryInOrder(context, request, call, asked, requestId);
}

/**
 * Gives a call to the first of the candidates and, where that fails and it is safe, to the next
 * one.
 *
 * Resolves with the broker that said that the result is not there, or that another one runs its
 * query, where that is not the last word: nobody was told so far.
 *
 * @throws BROKER_UNAVAILABLE, BROKER_FAILED, BROKER_TIMED_OUT when none answered
 */
export async function forwardToOneOf(
  context: ProxyContext,
  request: FastifyRequest,
  call: ForwardedCall,
  candidates: Candidates,
  requestId = '',
): Promise<Declined | undefined> {
  context.metrics.observeRoute(candidates.by);
  return tryInOrder(context, request, call, candidates, requestId);
}

async function tryInOrder(
  context: ProxyContext,
  request: FastifyRequest,
  call: ForwardedCall,
  { brokers: candidates, triesMax, mayDecline }: Candidates,
  requestId: string,
): Promise<Declined | undefined> {
  const { brokers, metrics } = context;
  const mayTryAnother = (outcome: ExchangeOutcome): boolean => {
    if (signalOf(request).aborted) return false;
    return outcome.kind === 'unsent' ? call.isWhole : outcome.kind === 'unanswered' && call.isSafe;
  };
  let failure = new QuireError('BROKER_UNAVAILABLE', 'No broker can take the call now; try again.');
  for (const [index, broker] of candidates.slice(0, triesMax).entries()) {
    if (!brokers.usable.includes(broker)) {
      failure = new QuireError('BROKER_UNAVAILABLE', `${broker.label} is down; try again.`);
      continue;
    }
    const forward = (isRetry: boolean): Promise<ExchangeOutcome> => {
      if (isRetry) metrics.observeRetry(broker.label);
      return call.forwardTo(broker, (head) =>
        isFinal(context, broker, head, { mayDecline, requestId }),
      );
    };
    let outcome = await forward(index > 0);
    // The only broker that has a result is worth a second try: what broke off may have been an old
    // connection.
    const hasBrokenOff = outcome.kind === 'unanswered' && !isQuireError(outcome.error);
    if (candidates.length === 1 && hasBrokenOff && mayTryAnother(outcome)) {
      outcome = await forward(true);
    }
    if (outcome.kind === 'declined') {
      return { by: broker, runner: runnerNamedBy(context, outcome.head) };
    }
    if (outcome.kind === 'answered' || outcome.kind === 'broken') return undefined;
    failure = errorOf(broker, outcome);
    if (!mayTryAnother(outcome)) throw failure;
  }
  throw failure;
}

/**
 * The broker that runs a query, as another one of the same store says; undefined when this proxy
 * has no such broker.
 */
function runnerNamedBy(
  { brokers }: ProxyContext,
  { status, headers }: AnswerHead,
): Broker | undefined {
  if (status !== 421) return undefined;
  const [host, port] = [headers[pageHeaders.brokerHost], headers[pageHeaders.brokerPort]];
  return typeof host === 'string' && typeof port === 'string'
    ? brokers.find(host, Number(port))
    : undefined;
}

/** Whether an answer goes to the caller; what it tells of where the result is, is remembered. */
function isFinal(
  { routes }: ProxyContext,
  broker: Broker,
  { status }: AnswerHead,
  { mayDecline, requestId }: { readonly mayDecline: boolean; readonly requestId: string },
): boolean {
  if ((status === 404 || status === 421) && mayDecline) return false;
  if (!isRequestId(requestId)) return true;
  if (status === 404) routes.delete(requestId);
  else if (status < 400 || status === 410 || status === 416) routes.set(requestId, broker);
  return true;
}
