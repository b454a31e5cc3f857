import {
  AlwaysOffSampler,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { installTracer } from '@quire/core/trace';
import { OtelTracer } from './otel-tracer.ts';
import { type SpanMessage, writeSpan } from './worker-spans.ts';

/**
 * Records the spans of a worker, as parts of the parent process's traces, and sends each when it
 * ends.
 */
export function traceWorker(send: (spans: readonly SpanMessage[]) => void): void {
  const exporter = {
    export: (
      spans: readonly Parameters<typeof writeSpan>[0][],
      done: (result: { code: 0 }) => void,
    ) => {
      send(spans.map(writeSpan));
      done({ code: 0 });
    },
    shutdown: async () => undefined,
  };
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  installTracer(new OtelTracer(provider.getTracer('quire'), () => undefined));
}
