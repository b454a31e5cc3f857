import type { HrTime, SpanContext } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

/** The context of a span as data. */
interface ContextMessage {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote: boolean;
  readonly traceState: string | undefined;
}

/**
 * A finished span, as a worker sends it to the process that exports it. So a server needs only one
 * connection to the collector, and finished spans survive if their worker is killed later.
 */
export interface SpanMessage {
  readonly context: ContextMessage;
  readonly parent: ContextMessage | undefined;
  readonly span: Pick<
    ReadableSpan,
    | 'name'
    | 'kind'
    | 'status'
    | 'attributes'
    | 'instrumentationScope'
    | 'droppedAttributesCount'
    | 'droppedEventsCount'
    | 'droppedLinksCount'
  > & { readonly startTime: HrTime; readonly endTime: HrTime; readonly duration: HrTime };
}

/** Writes a finished span as data. Spans of workers have neither events nor links. */
export function writeSpan(span: ReadableSpan): SpanMessage {
  const { name, kind, status, attributes, startTime, endTime, duration } = span;
  const { name: scope, version } = span.instrumentationScope;
  const { droppedAttributesCount, droppedEventsCount, droppedLinksCount } = span;
  return {
    context: writeContext(span.spanContext()),
    parent: span.parentSpanContext && writeContext(span.parentSpanContext),
    span: {
      name,
      kind,
      status,
      attributes,
      startTime,
      endTime,
      duration,
      instrumentationScope: { name: scope, ...(version !== undefined && { version }) },
      droppedAttributesCount,
      droppedEventsCount,
      droppedLinksCount,
    },
  };
}

/** Returns the span in a message, as a span of the exporting process. */
export function readSpan({ context, parent, span }: SpanMessage, resource: Resource): ReadableSpan {
  const spanContext = readContext(context);
  return {
    ...span,
    spanContext: () => spanContext,
    ...(parent !== undefined && { parentSpanContext: readContext(parent) }),
    links: [],
    events: [],
    ended: true,
    resource,
  };
}

function writeContext({ traceState, isRemote, ...context }: SpanContext): ContextMessage {
  const { traceId, spanId, traceFlags } = context;
  return {
    traceId,
    spanId,
    traceFlags,
    isRemote: isRemote === true,
    traceState: traceState?.serialize(),
  };
}

function readContext({ traceState, ...context }: ContextMessage): SpanContext {
  return {
    ...context,
    ...(traceState !== undefined && { traceState: new TraceState(traceState) }),
  };
}
