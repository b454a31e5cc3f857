import type { AdmittedCall, Principal } from '@quire/auth';
import { QuireError } from '@quire/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from './calls-under-way.ts';
import { traceOf } from './trace-context.ts';

/** What hooks find out about a call before its route runs. */
export interface CallContext {
  readonly call: Call;
  readonly startMs: number;
  principal?: Principal;
  /** How it counts for its principal; absent where nothing is limited. */
  admitted?: AdmittedCall;
  /** What went wrong after the response had begun. */
  failure?: unknown;
  /** What the line in the log says of the call beside what it says of each; no secrets. */
  notes?: Readonly<Record<string, unknown>>;
}

const contexts = new WeakMap<FastifyRequest, CallContext>();

export function setCallContext(request: FastifyRequest, context: CallContext): void {
  contexts.set(request, context);
}

/** The context of a call, if its first hook has run. */
export function findCallContext(request: FastifyRequest): CallContext | undefined {
  return contexts.get(request);
}

/** Returns what a service knows of a call. @throws INTERNAL when the call did not pass its hooks */
export function callContextOf(request: FastifyRequest): CallContext {
  const context = findCallContext(request);
  if (context === undefined) {
    throw new QuireError('INTERNAL', 'This call was not begun: its first hook did not run.');
  }
  return context;
}

/** Who calls. Only for routes that need credentials. */
export function principalOf(request: FastifyRequest): Principal {
  const { principal } = callContextOf(request);
  if (principal === undefined) {
    throw new QuireError('INTERNAL', 'This call has no credentials, but needs them.');
  }
  return principal;
}

/** Aborted when nobody waits for the response any more. */
export function signalOf(request: FastifyRequest): AbortSignal {
  return callContextOf(request).call.signal;
}

/**
 * Gives a call another id, for its response and for what is logged of it from now on: that of the
 * query that it is about to run.
 */
export function renameCall(request: FastifyRequest, reply: FastifyReply, id: string): void {
  request.id = id;
  request.log = reply.log = request.server.log.child({
    requestId: id,
    ...traceOf(request),
  });
  reply.header('x-request-id', id);
}
