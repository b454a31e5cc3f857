import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  resourceAttributesEnvDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { installTracer } from '@quire/core/trace';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import { OtelTracer } from './otel-tracer.ts';
import { samplerOf, wholeNumberOf } from './otel-variables.ts';
import { readSpan } from './worker-spans.ts';

/**
 * Sends the spans of this process and its workers to a collector, in batches. The exporter reads
 * its endpoint and headers from the variables `OTEL_EXPORTER_OTLP_*` of the process.
 */
export function startExport(
  variables: Environment['variables'],
  { version, logger }: { readonly version: string; readonly logger: Pick<Logger, 'warn'> },
): AsyncDisposable {
  setGlobalErrorHandler((err) => logger.warn({ err }, 'spans could not be exported'));
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'quire', 'service.version': version }))
    .merge(
      detectResources({
        detectors: [
          serviceInstanceIdDetector,
          resourceAttributesEnvDetector,
          serviceNameEnvDetector,
        ],
      }),
    );
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    scheduledDelayMillis: wholeNumberOf(variables, 'OTEL_BSP_SCHEDULE_DELAY', 5000),
    exportTimeoutMillis: wholeNumberOf(variables, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
    maxQueueSize: wholeNumberOf(variables, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    maxExportBatchSize: wholeNumberOf(variables, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
  });
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(variables),
    spanProcessors: [processor],
  });
  const tracer = new OtelTracer(provider.getTracer('quire', version), (spans) => {
    for (const span of spans) processor.onEnd(readSpan(span, resource));
  });
  const installed = installTracer(tracer);
  return {
    [Symbol.asyncDispose]: async () => {
      installed[Symbol.dispose]();
      await provider
        .shutdown()
        .catch((err: unknown) => logger.warn({ err }, 'the last spans could not be exported'));
    },
  };
}
