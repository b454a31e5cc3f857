import type { Principal } from '@quire/auth';
import { errorStatuses } from '@quire/api';
import { createRequestId, isQuireError, QuireError, systemRandom } from '@quire/core';
import { runInSpan, type Span, startSpan } from '@quire/core/trace';
import {
  createFlightServer,
  createFlightSqlProducer,
  type GrpcCall,
  type GrpcOutcome,
  type GrpcServer,
  grpcStatuses,
  type IncomingCall,
  outcomeOf,
} from '@quire/flight';
import {
  admitCaller,
  auditRefusal,
  callerTraceOf,
  type Call,
  isServerFailure,
  observeCallEnd,
  parseTraceparent,
  publicMessage,
  secureContextOf,
  type ServiceEndpoint,
  toQuireError,
} from '@quire/service';
import type { FastifyBaseLogger } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { BrokerFlight } from './broker-flight.ts';
import type { FlightCaller } from './flight-caller.ts';
import type { FlightOptions } from '../flight-options.ts';

/** The state of a running call. */
interface CallState {
  readonly call: Call;
  readonly startMs: number;
  requestId: string;
  log: FastifyBaseLogger;
  principal?: Principal;
  retryAfterSeconds?: number;
  failure?: unknown;
  status: number;
  grpcStatus: number;
}

/** All gRPC calls are POST; the routes are those of the service. */
const method = 'POST';
const routeOf = (name: string): string => `/arrow.flight.protocol.FlightService/${name}`;

/** The names of gRPC's statuses as its documents write them: `NOT_FOUND`. */
const statusNames = new Map<number, string>(
  Object.entries(grpcStatuses).map(([name, status]) => [
    status,
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
  ]),
);

/**
 * Opens the Arrow Flight SQL endpoint of a broker: calls are admitted, counted, logged and audited
 * like those of HTTP, by the same code.
 */
export function createFlightEndpoint(
  context: BrokerContext,
  flight: FlightOptions,
): ServiceEndpoint {
  const { options, clock } = context;
  const calls = new FlightCalls(context);
  const server: GrpcServer = createFlightServer<FlightCaller>({
    producer: createFlightSqlProducer(new BrokerFlight(context, flight)),
    clock,
    host: options.host,
    port: flight.port,
    portKey: 'engine.broker.flight.port',
    ...(options.tls !== undefined && { tls: secureContextOf(options.tls) }),
    requestBytesMax: Math.max(options.bodyBytesMax, flight.messageBytesMax),
    headerBytesMax: options.headerBytesMax,
    requestTimeoutMs: options.requestTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    open: (incoming) => calls.open(incoming),
    around: (incoming, run) => calls.inSpan(incoming, run),
    explain: (error, incoming) => calls.explain(error, incoming),
  });
  return {
    listen: async () => {
      const { family, address: host, port } = await listening(server);
      const shownHost = family === 'IPv6' ? `[${host}]` : host;
      return `${options.tls === undefined ? 'grpc' : 'grpc+tls'}://${shownHost}:${port}`;
    },
    replaceCertificate: (certificate) => server.replaceContext(secureContextOf(certificate)),
    close: () => server.close(),
  };
}

/** Removes the cause of a failure. With it, the broker would name its HTTP port in the message. */
async function listening(server: GrpcServer): ReturnType<GrpcServer['listen']> {
  try {
    return await server.listen();
  } catch (error) {
    throw isQuireError(error) ? new QuireError(error.code, error.message) : error;
  }
}

/** The running Flight calls. */
class FlightCalls {
  readonly #context: BrokerContext;
  readonly #states = new WeakMap<GrpcCall, CallState>();
  readonly #spans = new WeakMap<GrpcCall, Span>();

  constructor(context: BrokerContext) {
    this.#context = context;
  }

  /**
   * Runs a call in its span, if traces are enabled; the span ends with the call.
   *
   * https://opentelemetry.io/docs/specs/semconv/rpc/grpc/
   */
  inSpan({ method: name, headers, remoteAddress, grpc }: IncomingCall, run: () => Promise<void>) {
    const fullName = name === 'unknown' ? '_OTHER' : routeOf(name).slice(1);
    const span = startSpan(fullName, {
      kind: 'server',
      parent: callerTraceOf(headers),
      attributes: {
        'rpc.system.name': 'grpc',
        'rpc.method': fullName,
        'client.address': remoteAddress,
        'user_agent.original': headers['user-agent'],
      },
    });
    if (span !== undefined) this.#spans.set(grpc, span);
    return runInSpan(span, run);
  }

  /** Counts a new call, and identifies its caller. */
  async open(incoming: IncomingCall): Promise<FlightCaller> {
    const { grpc, headers, remoteAddress } = incoming;
    const { calls, options } = this.#context;
    const state = this.#begin(incoming);
    if (calls.isDraining) {
      throw new QuireError('SHUTTING_DOWN', 'The server is shutting down; call another one.');
    }
    const onRetryAfter = (seconds: number): void => void (state.retryAfterSeconds = seconds);
    const unknown = { authorization: headers.authorization, address: remoteAddress };
    const { principal, admitted } = await admitCaller(
      options,
      unknown,
      onRetryAfter,
      (known) => void (state.principal = known),
    );
    if (admitted !== undefined) void state.call.outcome.then(admitted.release);
    return {
      principal,
      admitted,
      call: state.call,
      get log() {
        return state.log;
      },
      remoteAddress,
      headers,
      onRetryAfter,
      rename: (requestId) => {
        state.requestId = requestId;
        state.log = this.#logOf(requestId, incoming);
        grpc.setHeader('quire-request-id', requestId);
      },
    };
  }

  /**
   * Returns the outcome of a failed call as its caller may see it. Everything else is for the log
   * only.
   */
  explain(thrown: unknown, incoming: IncomingCall): GrpcOutcome {
    const error = toQuireError(thrown);
    const state = this.#states.get(incoming.grpc);
    if (state === undefined) return outcomeOf(error);
    const { log, principal, requestId, retryAfterSeconds } = state;
    state.status = errorStatuses[error.code];
    state.failure = error;
    if (isServerFailure(error)) log.error({ err: error }, 'call failed');
    const audited = { log, principal: principal?.name, remoteAddress: incoming.remoteAddress };
    auditRefusal(audited, error, { method, route: routeOf(incoming.method) });
    const outcome = outcomeOf(
      error,
      publicMessage(error, requestId, { isAdmin: principal?.role === 'admin' }),
    );
    state.grpcStatus = outcome.status;
    return {
      ...outcome,
      trailers: {
        ...outcome.trailers,
        'x-request-id': requestId,
        ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      },
    };
  }

  #begin(incoming: IncomingCall): CallState {
    const { method: name, grpc } = incoming;
    const { calls, clock, options, metrics } = this.#context;
    const call = calls.beginOn({
      progress: () => ({ takenBytes: grpc.takenBytes, isWaiting: grpc.waitingBytes > 0 }),
      closed: grpc.closed,
      destroy: () => grpc.destroy(),
    });
    // When a shutdown no longer waits for the call, the call ends as if its client had cancelled
    // it.
    call.signal.addEventListener('abort', () => grpc.abort(call.signal.reason as QuireError));
    const requestId = createRequestId(clock, options.random ?? systemRandom);
    const log = this.#logOf(requestId, incoming);
    const startMs = clock.monotonicMs();
    const state: CallState = { call, startMs, requestId, log, status: 200, grpcStatus: 0 };
    this.#states.set(grpc, state);
    grpc.setHeader('x-request-id', requestId);
    const span = this.#spans.get(grpc);
    void call.outcome.then((outcome) => {
      runInSpan(span, () =>
        observeCallEnd({ clock, metrics }, state, {
          method,
          route: routeOf(name),
          log: state.log,
          end: outcome === 'finished' ? state.status : outcome,
        }),
      );
      endSpan(span, state, outcome);
    });
    return state;
  }

  #logOf(requestId: string, { headers, grpc }: IncomingCall): FastifyBaseLogger {
    const { traceparent } = this.#spans.get(grpc)?.headers ?? headers;
    const trace = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined;
    return (this.#context.options.logger ?? silent).child({ requestId, ...trace });
  }
}

/** Ends the span of a call; only failures of the server count as its failures. */
function endSpan(
  span: Span | undefined,
  { principal, requestId, status, grpcStatus }: CallState,
  outcome: Awaited<Call['outcome']>,
): void {
  const isFinished = outcome === 'finished';
  span?.set({
    'rpc.status_code': isFinished ? statusNames.get(grpcStatus) : undefined,
    'quire.principal': principal?.name,
    'quire.request_id': requestId,
  });
  if (!isFinished) span?.end(outcome);
  else span?.end(status >= 500 ? statusNames.get(grpcStatus) : undefined);
}

const nothing = (): void => undefined;
const silent = {
  level: 'silent',
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
  silent: nothing,
  child: () => silent,
} as unknown as FastifyBaseLogger;
