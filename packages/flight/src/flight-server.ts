import type { IncomingHttpHeaders } from 'node:http2';
import { QuireError } from '@quire/core';
import { flightMethods, flightService } from './flight-methods.ts';
import type { FlightProducer } from './flight-producer.ts';
import type { GrpcCall } from './grpc/grpc-call.ts';
import type { GrpcOutcome } from './grpc/grpc-status.ts';
import { GrpcServer, type GrpcServerOptions } from './grpc/grpc-server.ts';

/** A call before its request is read. */
export interface IncomingCall {
  /** The name of the call: `DoGet`. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly grpc: GrpcCall;
}

/** The options of a Flight server. */
export interface FlightServerOptions<Context> extends Omit<
  GrpcServerOptions,
  'handle' | 'explain'
> {
  readonly producer: FlightProducer<Context>;
  /** Identifies the caller before the request is read; an error that it throws ends the call. */
  readonly open: (call: IncomingCall) => Promise<Context>;
  /** Runs a call, for example in a span. By default, only runs it. */
  readonly around?: ((call: IncomingCall, run: () => Promise<void>) => Promise<void>) | undefined;
  /** Returns the outcome of a call that failed. Default: `outcomeOf`. */
  readonly explain?: (error: unknown, call: IncomingCall) => GrpcOutcome;
}

/**
 * Creates an Arrow Flight server whose answers a producer provides. It does not listen yet. Source:
 * https://arrow.apache.org/docs/format/Flight.html
 */
export function createFlightServer<Context>(options: FlightServerOptions<Context>): GrpcServer {
  const { producer, open, around = (_, run) => run(), explain, ...server } = options;
  const answer = async (incoming: IncomingCall): Promise<void> => {
    const { grpc: call } = incoming;
    const context = await open(incoming);
    const method = Object.hasOwn(flightMethods, incoming.method)
      ? flightMethods[incoming.method]
      : undefined;
    if (method === undefined) throw unknownMethod(call);
    await method(producer, call, {
      context,
      headers: call.headers,
      signal: call.signal,
      timeoutMs: call.timeoutMs,
      setHeader: (name, value) => call.setHeader(name, value),
    });
  };
  return new GrpcServer({
    ...server,
    handle: (call) => {
      const incoming = incomingOf(call);
      return around(incoming, () => answer(incoming));
    },
    ...(explain !== undefined && { explain: (error, call) => explain(error, incomingOf(call)) }),
  });
}

function incomingOf(call: GrpcCall): IncomingCall {
  const { headers, remoteAddress, path } = call;
  const prefix = `/${flightService}/`;
  const named = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  // Logs and metrics contain existing method names only, and no other text of clients.
  const method = Object.hasOwn(flightMethods, named) ? named : 'unknown';
  return { method, headers, remoteAddress, grpc: call };
}

function unknownMethod({ path }: GrpcCall): QuireError {
  const shown = JSON.stringify(path.slice(0, 120));
  return new QuireError(
    'UNSUPPORTED',
    `There is no method ${shown}; expected a method of ${flightService}.`,
  );
}
