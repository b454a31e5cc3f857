import { forwardHeaders } from '@quire/api';
import { isRequestId, QuireError, type RequestId } from '@quire/core';
import { signalOf } from '@quire/service';
import type { FastifyRequest } from 'fastify';
import type { Broker } from '../brokers/broker.ts';
import { onBehalfHeadersOf, type RawHeaders } from '../forwarding/end-to-end-headers.ts';
import type { ProxyContext } from '../proxy-context.ts';
import type { RouteSource } from '../proxy-metrics.ts';
import { findHolder } from './find-holder.ts';

/** The brokers that a call may be forwarded to, in the order in which they are tried. */
export interface Candidates {
  /** The method by which they were found. */
  readonly by: RouteSource;
  readonly brokers: readonly Broker[];
  /** The maximum number of brokers to try. */
  readonly triesMax: number;
  /**
   * True if "result not found" is not final: it is not forwarded to the caller, and other brokers
   * are called.
   */
  readonly mayDecline: boolean;
}

/** A broker that does not have a result, and the one that runs its query, if it knows that. */
export interface Declined {
  readonly by: Broker;
  readonly runner: Broker | undefined;
}

/** The number of brokers to try if any broker can answer. */
const triesMax = 3;

/** Returns the candidates for a call that any broker answers in the same way. */
export function anyBroker({ brokers }: ProxyContext): Candidates {
  return { by: 'any', brokers: brokers.inOrder(), triesMax, mayDecline: false };
}

/**
 * Returns the candidates for a query: any broker; or the one that the caller names; or, if brokers
 * do not share their store, the one that has the result that the query reads.
 *
 * @param readBody returns the first bytes of the request's body
 * @throws as `knownHolders` and `askedHolder`
 */
export async function brokersForQuery(
  context: ProxyContext,
  request: FastifyRequest,
  readBody: () => Promise<Buffer>,
): Promise<Candidates> {
  const { brokers, routes } = context;
  const target = parseForwardTarget(request.raw.rawHeaders);
  if (target !== undefined) {
    return { by: 'forward', brokers: [namedBroker(context, target)], triesMax, mayDecline: false };
  }
  const any: Candidates = {
    by: 'query',
    brokers: brokers.inOrder(),
    triesMax: Infinity,
    mayDecline: false,
  };
  if (isStoreShared(context) || brokers.all.length < 2) return any;
  const requestId = namedResultIn(await readBody());
  if (requestId === undefined) return any;
  const learnt = routes.get(requestId);
  return learnt !== undefined && brokers.has(learnt)
    ? { by: 'learnt', brokers: [learnt], triesMax, mayDecline: false }
    : askedHolder(context, request, requestId, undefined);
}

/**
 * Returns the first stored result that a query seems to read: the call of `result` in its JSON.
 * Only a hint, because only the broker distinguishes code from text in the query.
 */
function namedResultIn(body: Buffer): RequestId | undefined {
  const [, requestId] = namedResultPattern.exec(body.toString('latin1')) ?? [];
  return requestId !== undefined && isRequestId(requestId) ? requestId : undefined;
}

const namedResultPattern =
  /\bresult(?:\s|\\[nrt])*\((?:\s|\\[nrt])*(?:'|\\u0027)([0-9a-f-]{36})(?:'|\\u0027)/i;

/**
 * Returns the candidates for a call about one result: the broker that the caller names, otherwise
 * the cached one, otherwise any of those that share a store; undefined if the brokers must be
 * asked.
 *
 * @throws INVALID_PARAMETER when the caller names a broker that is not configured
 * @throws BROKER_UNAVAILABLE when it may be a configured broker whose id is not known yet
 */
export function knownHolders(
  context: ProxyContext,
  request: FastifyRequest,
  requestId: string,
): Candidates | undefined {
  const { brokers, routes } = context;
  const isShared = isStoreShared(context);
  const alone = (broker: Broker): readonly Broker[] => {
    const others = isShared ? brokers.inOrder().filter((other) => other !== broker) : [];
    return [broker, ...others];
  };
  const target = parseForwardTarget(request.raw.rawHeaders);
  // The caller named a broker: its answer is final, unless any broker can answer.
  if (target !== undefined) {
    return {
      by: 'forward',
      brokers: alone(namedBroker(context, target)),
      triesMax,
      mayDecline: false,
    };
  }
  // No broker has a result with an invalid id, so that any broker can answer.
  if (!isRequestId(requestId)) return anyBroker(context);
  const learnt = routes.get(requestId);
  // Even in a shared store, only the broker that runs a query knows it before its result exists.
  const mayDecline = request.method !== 'PATCH';
  if (learnt !== undefined && brokers.has(learnt)) {
    return { by: 'learnt', brokers: alone(learnt), triesMax, mayDecline };
  }
  return isShared ? { by: 'shared', brokers: brokers.inOrder(), triesMax, mayDecline } : undefined;
}

/**
 * Returns the candidates for a call about one result: the broker that reports having it. If all
 * report that it does not exist, any of them, whose answer the caller receives.
 *
 * @throws BROKER_UNAVAILABLE when none has it, and not all of them answer
 */
export async function askedHolder(
  context: ProxyContext,
  request: FastifyRequest,
  requestId: RequestId,
  hasNot: Broker | undefined,
): Promise<Candidates> {
  const { brokers, clock, options } = context;
  // In a store that is certainly shared, any broker has found an existing result: one that does not
  // answer can only have been running the query, which is lost.
  const mayBeElsewhere = options.isStoreShared !== true;
  const unasked = brokers.all.filter((broker) => broker !== hasNot);
  const usable = unasked.filter((broker) => brokers.usable.includes(broker));
  const { holder, silent } = await findHolder(usable, {
    requestId,
    headers: onBehalfHeadersOf(request.raw, request.id),
    clock,
    timeoutMs: options.timeouts.healthMs,
    signal: signalOf(request),
  });
  if (
    holder === undefined &&
    mayBeElsewhere &&
    (silent.length > 0 || usable.length < unasked.length || brokers.all.length === 0)
  ) {
    const message = 'No broker that answers has this result, but not all of them answer; retry.';
    throw new QuireError('BROKER_UNAVAILABLE', message);
  }
  return {
    by: 'asked',
    brokers: holder === undefined ? brokers.inOrder() : [holder],
    triesMax,
    mayDecline: false,
  };
}

/**
 * Reports whether any broker can serve every existing result, according to the settings or to the
 * brokers.
 */
function isStoreShared({ options, brokers }: ProxyContext): boolean {
  return options.isStoreShared === 'auto' ? brokers.isShared : options.isStoreShared;
}

function namedBroker(
  { brokers }: ProxyContext,
  { host, port }: { readonly host: string; readonly port: number },
): Broker {
  const broker = brokers.find(host, port);
  if (broker !== undefined) return broker;
  if (brokers.all.every(({ health }) => health !== undefined)) throw unknownTarget();
  // A configured broker may have that name, but has not reported it yet.
  throw new QuireError('BROKER_UNAVAILABLE', 'No broker that answers has this name; retry.');
}

/** The broker that a caller names for a result. It only selects among the configured brokers. */
interface ForwardTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses FORWARD_HOST and FORWARD_PORT: both, each once, or neither.
 *
 * @throws INVALID_PARAMETER when one is missing, repeated, or not a valid host or port
 */
function parseForwardTarget(rawHeaders: RawHeaders): ForwardTarget | undefined {
  const hosts = valuesOf(rawHeaders, forwardHeaders.host);
  const ports = valuesOf(rawHeaders, forwardHeaders.port);
  if (hosts.length === 0 && ports.length === 0) return undefined;
  const [host = '', port = ''] = [hosts[0], ports[0]];
  if (hosts.length !== 1 || ports.length !== 1) {
    throw new QuireError(
      'INVALID_PARAMETER',
      'FORWARD_HOST and FORWARD_PORT must be sent together, each once.',
    );
  }
  if (!/^[\w.:-]{1,255}$/.test(host) || !/^[0-9]{1,5}$/.test(port)) throw unknownTarget();
  return { host, port: Number(port) };
}

/**
 * Returns the error for a target that is not one of the brokers; it does not repeat the caller's
 * text.
 */
function unknownTarget(): QuireError {
  return new QuireError(
    'INVALID_PARAMETER',
    'FORWARD_HOST and FORWARD_PORT do not name a broker of this proxy.',
  );
}

function valuesOf(rawHeaders: RawHeaders, wanted: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === wanted) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
