import type { IncomingHttpHeaders } from 'node:http';
import { routePatterns } from '@quire/api';
import { activeTracer, type Span, type TraceHeaders } from '@quire/core/trace';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const spans = new WeakMap<FastifyRequest, Span>();

/** The paths of calls that are made every few seconds and have no span. */
const routineRoutes: ReadonlySet<string | undefined> = new Set([
  routePatterns.health,
  routePatterns.metrics,
]);

/**
 * Creates a span for each call, as part of the trace that the caller names. Without a tracer it
 * adds no hook, so that calls cost nothing more.
 *
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function addCallSpans(server: FastifyInstance): void {
  const tracer = activeTracer();
  if (tracer === undefined) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions;
    if (routineRoutes.has(route)) return done();
    const { method, headers, host, port, protocol, raw, ip } = request;
    const span = tracer.start(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: callerTraceOf(headers),
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.path': raw.url?.split('?', 1)[0],
        'url.scheme': protocol,
        'server.address': host.replace(/:\d+$/, ''),
        'server.port': port ?? undefined,
        'client.address': ip,
        'network.protocol.version': raw.httpVersion,
        'user_agent.original': headers['user-agent'],
      },
    });
    spans.set(request, span);
    tracer.run(span, done);
  });
  // The body is read outside of the span: its events are those of the connection.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else tracer.run(span, done);
  });
}

/** Returns the span of a call; undefined when it has none. */
export function callSpanOf(request: FastifyRequest): Span | undefined {
  return spans.get(request);
}

/** Ends the span of a call, if it has one: with its status, or because its response was cut off. */
export function endCallSpan(
  request: FastifyRequest,
  end: number | string,
  principal: string | undefined,
): void {
  const span = spans.get(request);
  if (span === undefined) return;
  span.set({
    'http.response.status_code': typeof end === 'number' ? end : undefined,
    'quire.principal': principal,
    'quire.request_id': request.id,
  });
  span.end(typeof end === 'string' ? end : end >= 500 ? String(end) : undefined);
}

/** Returns the trace that a caller names in the headers of its call; null without one. */
export function callerTraceOf(headers: IncomingHttpHeaders): TraceHeaders | null {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string') return null;
  const tracestate = [headers['tracestate'] ?? []].flat().join(',');
  return { traceparent, ...(tracestate !== '' && { tracestate }) };
}
