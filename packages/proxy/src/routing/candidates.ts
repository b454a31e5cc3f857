import { forwardHeaders } from '@quire/api';
import { isRequestId, QuireError, type RequestId } from '@quire/core';
import { signalOf } from '@quire/service';
import type { FastifyRequest } from 'fastify';
import type { Broker } from '../brokers/broker.ts';
import { onBehalfHeadersOf, type RawHeaders } from '../forwarding/end-to-end-headers.ts';
import type { ProxyContext } from '../proxy-context.ts';
import type { RouteSource } from '../proxy-metrics.ts';
import { findHolder } from './find-holder.ts';

/** The brokers that a call may be given to, in the order in which they are tried. */
export interface Candidates {
  /** How they were found. */
  readonly by: RouteSource;
  readonly brokers: readonly Broker[];
  /** How many of them are tried. */
  readonly triesMax: number;
  /**
   * Whether "there is no such result" is not the last word: the caller is not told, and others are
   * asked.
   */
  readonly mayDecline: boolean;
}

/**
 * A broker that does not have a result, and the one that runs its query, where it could say that.
 */
export interface Declined {
  readonly by: Broker;
  readonly runner: Broker | undefined;
}

/** How many brokers are tried where any will do. */
const triesMax = 3;

/** Of a call that any broker answers as any other would. */
export function anyBroker({ brokers }: ProxyContext): Candidates {
  return { by: 'any', brokers: brokers.inOrder(), triesMax, mayDecline: false };
}

/**
 * Of a query: any broker; or the one that the caller names; or, where brokers do not share their
 * store, the one that has the result that the query reads.
 *
 * @param readBody gives the first bytes of the request's body
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
 * The first stored result that a query seems to read: the call of `result` as it stands in JSON.
 * Only a hint, because only the broker knows what is code in the query and what is text.
 */
function namedResultIn(body: Buffer): RequestId | undefined {
  const [, requestId] = namedResultPattern.exec(body.toString('latin1')) ?? [];
  return requestId !== undefined && isRequestId(requestId) ? requestId : undefined;
}

const namedResultPattern =
  /\bresult(?:\s|\\[nrt])*\((?:\s|\\[nrt])*(?:'|\\u0027)([0-9a-f-]{36})(?:'|\\u0027)/i;

/**
 * Of a call about one result: the broker that the caller names, else the one that the proxy has
 * learnt, else any one of those that share a store; undefined when they have to be asked.
 *
 * @throws INVALID_PARAMETER when the caller names what is not a configured broker
 * @throws BROKER_UNAVAILABLE when it may be a configured broker that has not said its name yet
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
  // The caller said which: what that broker answers is the answer, unless any other would do as
  // well.
  if (target !== undefined) {
    return {
      by: 'forward',
      brokers: alone(namedBroker(context, target)),
      triesMax,
      mayDecline: false,
    };
  }
  // No broker has what is not an id; any one says so.
  if (!isRequestId(requestId)) return anyBroker(context);
  const learnt = routes.get(requestId);
  // Also in a store that all share, only the broker that runs a query knows of it before its result
  // stands.
  const mayDecline = request.method !== 'PATCH';
  if (learnt !== undefined && brokers.has(learnt)) {
    return { by: 'learnt', brokers: alone(learnt), triesMax, mayDecline };
  }
  return isShared ? { by: 'shared', brokers: brokers.inOrder(), triesMax, mayDecline } : undefined;
}

/**
 * Of a call about one result: the broker that says that it has it. Where all say that it is not
 * there, any of them, which says so to the caller in its own words.
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
  // What stands in a store that is certainly shared, any broker has found: those that are silent
  // can only have run a query, which is lost.
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
    const message =
      'No broker that answers has this result, and not all of them answer; try again.';
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
 * Whether any broker can serve every result that stands: as the settings say, or as was found out.
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
  // A configured broker may have that name, and has not said it yet.
  throw new QuireError('BROKER_UNAVAILABLE', 'No broker that answers has this name; try again.');
}

/**
 * Where a caller says that a result is. It only ever chooses among the brokers that are configured.
 */
interface ForwardTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads FORWARD_HOST and FORWARD_PORT: both, each once, or neither.
 *
 * @throws INVALID_PARAMETER when one is missing, is there twice, or cannot be a host and a port
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
 * The error for a target that is not one of the brokers; it does not repeat what the caller made
 * up.
 */
function unknownTarget(): QuireError {
  return new QuireError(
    'INVALID_PARAMETER',
    'FORWARD_HOST and FORWARD_PORT name no broker of this proxy.',
  );
}

function valuesOf(rawHeaders: RawHeaders, wanted: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === wanted) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
