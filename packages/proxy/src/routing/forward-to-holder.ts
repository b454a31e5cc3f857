import { isQuireError, isRequestId, QuireError, type RequestId } from '@quire/core';
import { signalOf } from '@quire/service';
import type { FastifyRequest } from 'fastify';
import type { Broker } from '../brokers/broker.ts';
import type { AnswerHead, ExchangeOutcome } from '../forwarding/exchange.ts';
import { errorOf, type ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { askBrokers } from './ask-brokers.ts';
import { parseForwardTarget, unknownTarget } from './forward-target.ts';
import { sharingOf } from './shared-store.ts';

/**
 * Gives a call about one result to the broker that holds it: to the one that the caller names, else the one that the proxy has
 * learnt, else any one of those that share a store, else the one that says that it has it.
 *
 * @throws INVALID_PARAMETER when the caller names what is not a broker of ours
 * @throws BROKER_UNAVAILABLE when the broker that holds it does not answer, or one that may hold it
 */
export async function forwardToHolder(
  context: ProxyContext,
  request: FastifyRequest,
  call: ForwardedCall,
  requestId: string,
): Promise<void> {
  const target = parseForwardTarget(request.raw.rawHeaders);
  const seeker = new HolderSearch(context, request, call, requestId);
  if (target !== undefined) return seeker.forwardToNamed(namedBroker(context, target));
  // No broker has what is not an id; any one says so.
  if (!isRequestId(requestId)) return seeker.forwardToAny();
  return seeker.pass(requestId);
}

/** Gives a call to any broker that is up. @throws BROKER_UNAVAILABLE when there is none */
export async function forwardToAny(context: ProxyContext, request: FastifyRequest, call: ForwardedCall): Promise<void> {
  await new HolderSearch(context, request, call, '').forwardToAny();
}

function namedBroker({ brokers }: ProxyContext, { host, port }: { readonly host: string; readonly port: number }): Broker {
  const broker = brokers.find(host, port);
  if (broker !== undefined) return broker;
  if (brokers.all.every(({ health }) => health !== undefined)) throw unknownTarget();
  // One of ours may go by that name, and has not said its name yet.
  throw new QuireError('BROKER_UNAVAILABLE', 'No broker that answers has this name; try again.');
}

/** How many brokers are tried where any will do. */
const candidatesMax = 3;

class HolderSearch {
  readonly #context: ProxyContext;
  readonly #request: FastifyRequest;
  readonly #call: ForwardedCall;
  readonly #requestId: string;
  /** Those that said they do not have it. */
  readonly #without = new Set<Broker>();

  constructor(context: ProxyContext, request: FastifyRequest, call: ForwardedCall, requestId: string) {
    this.#context = context;
    this.#request = request;
    this.#call = call;
    this.#requestId = requestId;
  }

  /** The caller said which: what that broker answers is the answer, unless any other would do as well. */
  async forwardToNamed(broker: Broker): Promise<void> {
    this.#context.metrics.observeRoute('forward');
    const { isShared } = sharingOf(this.#context);
    const others = isShared ? this.#context.brokers.inOrder().filter((other) => other !== broker) : [];
    await this.#forwardToOneOf([broker, ...others], 'forward');
  }

  async forwardToAny(): Promise<void> {
    this.#context.metrics.observeRoute('any');
    await this.#forwardToOneOf(this.#context.brokers.inOrder(), 'any');
  }

  async pass(requestId: RequestId): Promise<void> {
    const { brokers, routes, metrics } = this.#context;
    const { isShared, isCertain } = sharingOf(this.#context);
    const learnt = routes.get(requestId);
    if (learnt !== undefined && brokers.has(learnt)) {
      metrics.observeRoute('learnt');
      const others = isShared ? brokers.inOrder().filter((other) => other !== learnt) : [];
      if (await this.#forwardToOneOf([learnt, ...others], isShared && isCertain ? 'any' : 'learnt')) return;
      routes.delete(requestId);
    } else if (isShared) {
      metrics.observeRoute('shared');
      if (await this.#forwardToOneOf(brokers.inOrder(), isCertain ? 'any' : 'shared')) return;
    }
    await this.#forwardToAsked(requestId);
  }

  async #forwardToAsked(requestId: RequestId): Promise<void> {
    const { brokers, metrics, clock, options } = this.#context;
    metrics.observeRoute('asked');
    const unasked = brokers.all.filter((broker) => !this.#without.has(broker));
    const usable = unasked.filter((broker) => brokers.usable.includes(broker));
    const { holder, silent } = await askBrokers(usable, {
      requestId,
      authorization: this.#request.headers.authorization ?? '',
      clock,
      timeoutMs: options.timeouts.healthMs,
      signal: signalOf(this.#request),
    });
    if (holder !== undefined) return void (await this.#forwardToOneOf([holder], 'asked'));
    if (silent.length > 0 || usable.length < unasked.length || brokers.all.length === 0) {
      const message = 'No broker that answers has this result, and not all of them answer; try again.';
      throw new QuireError('BROKER_UNAVAILABLE', message);
    }
    // All say that it is not there: one of them may say so to the caller, in its own words.
    await this.#forwardToOneOf(brokers.inOrder(), 'any');
  }

  /**
   * Gives the call to the first broker and, where it fails and that is safe, to the next one; false when the answer was that the
   * result is not there, and others are to be asked.
   *
   * @throws BROKER_UNAVAILABLE, BROKER_FAILED, BROKER_TIMED_OUT when none answered
   */
  async #forwardToOneOf(candidates: readonly Broker[], by: 'forward' | 'learnt' | 'shared' | 'asked' | 'any'): Promise<boolean> {
    const { brokers, metrics } = this.#context;
    const mayDecline = (by === 'learnt' || by === 'shared') && this.#request.method !== 'PATCH';
    let failure = new QuireError('BROKER_UNAVAILABLE', 'No broker can take the call now; try again.');
    for (const [index, broker] of candidates.slice(0, candidatesMax).entries()) {
      if (!brokers.usable.includes(broker)) {
        failure = new QuireError('BROKER_UNAVAILABLE', `${broker.label} is down; try again.`);
        continue;
      }
      if (index > 0) metrics.observeRetry(broker.label);
      const outcome = await this.#forwardTo(broker, mayDecline, candidates.length === 1);
      if (outcome.kind === 'declined') {
        this.#without.add(broker);
        return false;
      }
      if (outcome.kind === 'answered' || outcome.kind === 'broken') return true;
      failure = errorOf(broker, outcome);
      if (!this.#mayTryAnother(outcome)) throw failure;
    }
    throw failure;
  }

  /** The only broker that has a result is worth a second try: what broke off may have been an old connection. */
  async #forwardTo(broker: Broker, mayDecline: boolean, isOnly: boolean): Promise<ExchangeOutcome> {
    const accepts = (head: AnswerHead): boolean => this.#isFinal(broker, head, mayDecline);
    const outcome = await this.#call.forwardTo(broker, accepts);
    const isWorthIt = isOnly && outcome.kind === 'unanswered' && !isQuireError(outcome.error) && this.#mayTryAnother(outcome);
    if (!isWorthIt) return outcome;
    this.#context.metrics.observeRetry(broker.label);
    return this.#call.forwardTo(broker, accepts);
  }

  #mayTryAnother(outcome: ExchangeOutcome): boolean {
    if (signalOf(this.#request).aborted) return false;
    return outcome.kind === 'unsent' ? this.#call.isWhole : outcome.kind === 'unanswered' && this.#call.isSafe;
  }

  /** Whether an answer goes to the caller; what it tells of where the result is, is remembered. */
  #isFinal(broker: Broker, { status }: AnswerHead, mayDecline: boolean): boolean {
    const { routes } = this.#context;
    const requestId = this.#requestId;
    if (status === 404 && mayDecline) return false;
    if (!isRequestId(requestId)) return true;
    if (status === 404) routes.delete(requestId);
    else if (status < 400 || status === 410 || status === 416) routes.set(requestId, broker);
    return true;
  }
}
