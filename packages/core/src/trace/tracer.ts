/**
 * The headers of W3C Trace Context, with which another process continues a trace.
 *
 * https://www.w3.org/TR/trace-context/
 */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Attributes with names of the OpenTelemetry semantic conventions, or `quire.*`. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The options of a new span. */
export interface SpanOptions {
  /**
   * Default: `internal`, work of this process for itself. A `client` span is recorded only within
   * another span, so that periodic checks of other servers create no traces.
   */
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer' | undefined;
  /** Default: the span that is current. `null`: none, the span starts a trace of its own. */
  readonly parent?: TraceHeaders | null | undefined;
  readonly attributes?: SpanAttributes | undefined;
  /**
   * True to omit `client` spans within it, because a sweep may make a million calls. Default: no.
   */
  readonly hidesCalls?: boolean | undefined;
  /** The start time, in milliseconds since the epoch. Default: now. */
  readonly startMs?: number | undefined;
}

/** A running operation, as a trace shows it. */
export interface Span {
  /** The headers for calls that are part of the span. */
  readonly headers: TraceHeaders;
  set(attributes: SpanAttributes): void;
  /**
   * Ends the span, now or at `endMs` since the epoch, as failed if there is an error. Later calls
   * have no effect.
   */
  end(error?: unknown, endMs?: number): void;
}

/** Records spans, and tracks the current one of each chain of asynchronous calls. */
export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** Runs `work` with the span as the current one. */
  run<T>(span: Span, work: () => T): T;
  /** Runs `work` as a part of a span of another process; with `null`, outside of any span. */
  continue<T>(parent: TraceHeaders | null, work: () => T): T;
  /** Reports whether `client` spans are recorded: within a span that does not hide them. */
  recordsCalls(): boolean;
  /** Headers of the current span; undefined outside of any. */
  current(): TraceHeaders | undefined;
  /** Records spans that a worker of this process has finished, as its tracer sent them. */
  receive(spans: unknown): void;
}

let active: Tracer | undefined;

/**
 * Sends spans of this process to `tracer` until the returned object is disposed. Without a tracer
 * nothing is recorded. A process has one tracer, as it has one log, so that calls need not pass it.
 */
export function installTracer(tracer: Tracer): Disposable {
  const previous = active;
  active = tracer;
  return {
    [Symbol.dispose]: () => {
      active = previous;
    },
  };
}

/** Returns the tracer of this process; undefined while traces are off. */
export function activeTracer(): Tracer | undefined {
  return active;
}

/** Starts a span, which the caller ends; undefined if traces are off or it is not recorded. */
export function startSpan(name: string, options?: SpanOptions): Span | undefined {
  if (active === undefined || !isRecorded(active, options)) return undefined;
  return active.start(name, options);
}

function isRecorded(tracer: Tracer, options: SpanOptions | undefined): boolean {
  return options?.kind !== 'client' || tracer.recordsCalls();
}

/** Runs `work` with the span as the current one; without a span it just runs `work`. */
export function runInSpan<T>(span: Span | undefined, work: () => T): T {
  return span === undefined || active === undefined ? work() : active.run(span, work);
}

/**
 * Runs `work` as a part of a span of another process, if there is one and traces are on. With
 * `null` it runs outside of any span, which suits work that outlives the call that starts it.
 */
export function continueTrace<T>(parent: TraceHeaders | null | undefined, work: () => T): T {
  return parent === undefined || active === undefined ? work() : active.continue(parent, work);
}

/** Returns the headers for a call that is part of the current span, if any. */
export function traceHeaders(): TraceHeaders | undefined {
  return active?.current();
}

/**
 * Runs `work` in a span that ends with it. While traces are off it just runs `work`.
 *
 * @throws what `work` throws
 */
export function traced<T>(
  name: string,
  work: (span?: Span) => Promise<T>,
  options?: SpanOptions,
): Promise<T> {
  if (active === undefined || !isRecorded(active, options)) return work();
  return inSpan(active, active.start(name, options), work);
}

async function inSpan<T>(tracer: Tracer, span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await tracer.run(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Runs `work` in a span that ends when it returns. @throws what `work` throws */
export function tracedSync<T>(name: string, work: () => T): T {
  if (active === undefined) return work();
  const span = active.start(name);
  try {
    const result = active.run(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/**
 * Returns the same items, in a span from the request of the first until the last, or until the
 * reader stops. Time that the reader takes between two items is part of the span.
 */
export function tracedItems<T>(name: string, items: AsyncIterable<T>): AsyncIterable<T> {
  return active === undefined ? items : itemsInSpan(active, name, items);
}

async function* itemsInSpan<T>(
  tracer: Tracer,
  name: string,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  const span = tracer.start(name);
  let error: unknown;
  const iterator = items[Symbol.asyncIterator]();
  try {
    while (true) {
      // Each step separately: between two steps the caller's own span is current.
      const next = await tracer.run(span, () => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } catch (failure) {
    error = failure;
    throw failure;
  } finally {
    await iterator.return?.();
    span.end(error);
  }
}
