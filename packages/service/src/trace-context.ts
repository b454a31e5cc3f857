import type { FastifyReply, FastifyRequest } from 'fastify';
import { callSpanOf } from './call-spans.ts';

/** The trace of a call, with OpenTelemetry's names for logs. */
export interface TraceIds {
  readonly trace_id: string;
  /** The span of the call, or of the caller if spans are not exported. */
  readonly span_id: string;
}

/** Version, trace, span and flags; later versions may append more. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * Parses a `traceparent` header; returns undefined for an invalid one, which counts as missing.
 *
 * W3C Trace Context, section 3.2.
 */
export function parseTraceparent(header: string): TraceIds | undefined {
  const [, version, traceId = '', spanId = '', rest] = pattern.exec(header.trim()) ?? [];
  const isKnown = version === '00' ? rest === undefined : version !== undefined && version !== 'ff';
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { trace_id: traceId, span_id: spanId };
}

/** Returns the trace of a request: that of its own span, or otherwise that of its caller. */
export function traceOf(request: FastifyRequest): TraceIds | undefined {
  const { traceparent } = callSpanOf(request)?.headers ?? request.headers;
  // A repeated header is not valid either; Node joins the values with a comma.
  return typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined;
}

/** Adds the trace of a call to each of its log lines. */
export function logTrace(request: FastifyRequest, reply: FastifyReply): void {
  const trace = traceOf(request);
  if (trace !== undefined) request.log = reply.log = request.log.child({ ...trace });
}
