import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanOptions, TraceHeaders, Tracer } from '../trace/tracer.ts';

/** A tracer that records a line when a span starts, with the span it is in, and when it ends. */
export class RecordingTracer implements Tracer {
  readonly lines: string[] = [];
  readonly #current = new AsyncLocalStorage<TraceHeaders>();

  start(name: string, { parent }: SpanOptions = {}): Span {
    const inside = parent === undefined ? this.current() : parent;
    this.lines.push(`${name} in ${inside?.traceparent ?? 'none'}`);
    return {
      headers: { traceparent: name },
      set: (attributes) => void this.lines.push(`${name} ${JSON.stringify(attributes)}`),
      end: (error) =>
        void this.lines.push(
          `${name} ${error instanceof Error ? `fails: ${error.message}` : 'ends'}`,
        ),
    };
  }

  run<T>(span: Span, work: () => T): T {
    return this.#current.run(span.headers, work);
  }

  continue<T>(parent: TraceHeaders | null, work: () => T): T {
    return parent === null ? this.#current.exit(work) : this.#current.run(parent, work);
  }

  current(): TraceHeaders | undefined {
    return this.#current.getStore();
  }

  recordsCalls(): boolean {
    return this.current() !== undefined;
  }

  receive(): void {}
}
