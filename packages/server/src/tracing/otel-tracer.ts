import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  createContextKey,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelSdkTracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { isQuireError } from '@quire/core';
import type { Span, SpanAttributes, SpanOptions, TraceHeaders, Tracer } from '@quire/core/trace';
import type { SpanMessage } from './worker-spans.ts';

const propagator = new W3CTraceContextPropagator();
const setter = {
  set: (carrier: Record<string, string>, key: string, value: string): void => {
    Object.assign(carrier, { [key]: value });
  },
};
const getter = {
  get: (carrier: TraceHeaders, key: string): string | undefined =>
    key === 'traceparent' ? carrier.traceparent : carrier.tracestate,
  keys: (carrier: TraceHeaders): string[] => Object.keys(carrier),
};

/** The context key that marks calls without spans. */
const hiddenCalls = createContextKey('quire.hidden-calls');

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Implements the port to traces with the OpenTelemetry SDK. It registers nothing globally, so that
 * a program that embeds servers can use its own SDK.
 */
export class OtelTracer implements Tracer {
  readonly #sdk: OtelSdkTracer;
  readonly #onReceived: (spans: readonly SpanMessage[]) => void;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(sdk: OtelSdkTracer, onReceived: (spans: readonly SpanMessage[]) => void) {
    this.#sdk = sdk;
    this.#onReceived = onReceived;
  }

  start(name: string, options: SpanOptions = {}): Span {
    const { kind = 'internal', parent, attributes, hidesCalls = false, startMs } = options;
    const inside =
      parent === undefined
        ? (this.#current.getStore() ?? ROOT_CONTEXT)
        : parent === null
          ? ROOT_CONTEXT
          : propagator.extract(ROOT_CONTEXT, parent, getter);
    const span = this.#sdk.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes: definedOf(attributes),
        ...(startMs !== undefined && { startTime: startMs }),
      },
      inside,
    );
    return new RecordedSpan(span, hidesCalls ? inside.setValue(hiddenCalls, true) : inside);
  }

  run<T>(span: Span, work: () => T): T {
    return span instanceof RecordedSpan ? this.#current.run(span.context, work) : work();
  }

  continue<T>(parent: TraceHeaders | null, work: () => T): T {
    if (parent === null) return this.#current.exit(work);
    return this.#current.run(propagator.extract(ROOT_CONTEXT, parent, getter), work);
  }

  current(): TraceHeaders | undefined {
    const context = this.#current.getStore();
    return context === undefined ? undefined : headersOf(context);
  }

  recordsCalls(): boolean {
    const context = this.#current.getStore();
    return context !== undefined && context.getValue(hiddenCalls) !== true;
  }

  receive(spans: unknown): void {
    this.#onReceived(spans as readonly SpanMessage[]);
  }
}

class RecordedSpan implements Span {
  readonly context: Context;
  readonly #span: OtelSpan;
  #hasEnded = false;

  constructor(span: OtelSpan, inside: Context) {
    this.#span = span;
    this.context = trace.setSpan(inside, span);
  }

  get headers(): TraceHeaders {
    return headersOf(this.context);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(definedOf(attributes));
  }

  end(error?: unknown, endMs?: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (error !== undefined) {
      this.#span.setAttribute('error.type', errorTypeOf(error));
      // The message may quote input of callers, so only the log contains it, under the same ids.
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end(endMs);
  }
}

function headersOf(context: Context): TraceHeaders {
  const headers: Record<string, string> = {};
  propagator.inject(context, headers, setter);
  return headers as unknown as TraceHeaders;
}

/** Returns the code of an error, or the status that a caller passes as a text. */
function errorTypeOf(error: unknown): string {
  if (isQuireError(error)) return error.code;
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.name : 'unknown';
}

function definedOf(attributes: SpanAttributes = {}): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
