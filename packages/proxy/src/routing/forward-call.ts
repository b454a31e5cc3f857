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
 * Forwards a call about one result to the broker that holds it: a known one, or otherwise the one
 * that reports having it.
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
    // The answer of this broker is final: if it does not know the query, the process that ran the
    // query was killed.
    await forwardToOneOf(context, request, call, runner, requestId);
    return;
  }
  context.metrics.observeRoute('asked');
  const asked = await askedHolder(context, request, requestId, declined?.by);
  await tryInOrder(context, request, call, asked, requestId);
}

/**
 * Forwards a call to the first of the candidates and, if that fails and it is safe, to the next
 * one.
 *
 * Resolves with the broker that reported that the result does not exist, or that another one runs
 * its query, if that is not final: the caller has not been answered then.
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
  let failure = new QuireError('BROKER_UNAVAILABLE', 'No broker can accept the call now; retry.');
  const tried = candidates.slice(0, triesMax);
  for (const [index, broker] of tried.entries()) {
    if (!brokers.usable.includes(broker)) {
      failure = new QuireError('BROKER_UNAVAILABLE', `${broker.label} is down; retry.`);
      continue;
    }
    const others = tried.slice(index + 1);
    const mayAskOthers = (head: AnswerHead): boolean =>
      call.isSafe && isShuttingDown(head) && others.some((each) => brokers.usable.includes(each));
    const forward = (isRetry: boolean): Promise<ExchangeOutcome> => {
      if (isRetry) metrics.observeRetry(broker.label);
      return call.forwardTo(
        broker,
        (head) => !mayAskOthers(head) && isFinal(context, broker, head, { mayDecline, requestId }),
      );
    };
    let outcome = await forward(index > 0);
    // The only broker with a result is worth a retry: an old connection may have caused the
    // failure.
    const hasBrokenOff = outcome.kind === 'unanswered' && !isQuireError(outcome.error);
    if (candidates.length === 1 && hasBrokenOff && mayTryAnother(outcome)) {
      outcome = await forward(true);
    }
    if (outcome.kind === 'declined' && isShuttingDown(outcome.head)) {
      failure = new QuireError('BROKER_UNAVAILABLE', `${broker.label} is shutting down; retry.`);
      continue;
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

/** Reports whether a broker refuses a call because it is about to end, as in a rolling upgrade. */
function isShuttingDown({ status, headers }: AnswerHead): boolean {
  return status === 503 && headers.connection === 'close';
}

/**
 * Returns the broker that runs a query, according to another one of the same store; undefined if
 * this proxy does not have it.
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

/** Reports whether an answer is forwarded to the caller, and caches the broker of its result. */
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
