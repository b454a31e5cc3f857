import type { AdmittedCall, Principal } from '@quire/auth';
import { QuireError } from '@quire/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from './calls-in-progress.ts';
import { traceOf } from './trace-context.ts';

/** The data that hooks collect about a call before its route runs. */
export interface CallContext {
  readonly call: Call;
  readonly startMs: number;
  principal?: Principal;
  /** The accounting of the call; absent if nothing is limited. */
  admitted?: AdmittedCall;
  /** The error that occurred after the response had started. */
  failure?: unknown;
  /** Additional members of the call's line in the log; no secrets. */
  notes?: Readonly<Record<string, unknown>>;
}

const contexts = new WeakMap<FastifyRequest, CallContext>();

export function setCallContext(request: FastifyRequest, context: CallContext): void {
  contexts.set(request, context);
}

/** Returns the context of a call, if its first hook has run. */
export function findCallContext(request: FastifyRequest): CallContext | undefined {
  return contexts.get(request);
}

/** Returns the context of a call. @throws INTERNAL when the call did not pass its hooks */
export function callContextOf(request: FastifyRequest): CallContext {
  const context = findCallContext(request);
  if (context === undefined) {
    throw new QuireError('INTERNAL', 'This call has no context: its first hook did not run.');
  }
  return context;
}

/** Returns the principal of a call; only for routes that need credentials. */
export function principalOf(request: FastifyRequest): Principal {
  const { principal } = callContextOf(request);
  if (principal === undefined) {
    throw new QuireError('INTERNAL', 'This call has no credentials, but needs them.');
  }
  return principal;
}

/** Returns a signal that is aborted when the client no longer waits for the response. */
export function signalOf(request: FastifyRequest): AbortSignal {
  return callContextOf(request).call.signal;
}

/**
 * Gives a call another id for its response and for later log lines: that of the query that it will
 * run.
 */
export function renameCall(request: FastifyRequest, reply: FastifyReply, id: string): void {
  request.id = id;
  request.log = reply.log = request.server.log.child({
    requestId: id,
    ...traceOf(request),
  });
  reply.header('x-request-id', id);
}
