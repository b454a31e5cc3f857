import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { ServerProcess } from './server-process.ts';

/** A span as a collector passes it on, its attributes and those of its resource as objects. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentSpanId: string;
  /** The OTLP numbers of span kinds: 1 internal, 2 server, 3 client, 5 consumer. */
  readonly kind: number;
  readonly isFailed: boolean;
  readonly traceState?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

type WireValue = Readonly<Record<string, unknown>>;

interface WireAttribute {
  readonly key: string;
  readonly value: WireValue;
}

interface WireSpan extends Omit<CollectedSpan, 'attributes' | 'resource' | 'isFailed'> {
  readonly attributes?: readonly WireAttribute[];
  readonly status?: { readonly code?: number };
}

interface WireTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/**
 * A collector of OpenTelemetry, which receives spans by OTLP and passes them on to the test as
 * JSON: unknown fields are dropped.
 */
export class OtelCollector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = [];
  readonly #process: ServerProcess;
  readonly #stop: () => Promise<void>;

  private constructor(process: ServerProcess, spans: CollectedSpan[], stop: () => Promise<void>) {
    this.#process = process;
    this.spans = spans;
    this.#stop = stop;
  }

  static async start(path: string): Promise<OtelCollector> {
    const spans: CollectedSpan[] = [];
    const sink = createServer((request, response) => {
      void json(request).then((traces) => {
        spans.push(...spansOf(traces as WireTraces));
        response.setHeader('content-type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(sink, 'listening');
    const { port: sinkPort } = sink.address() as AddressInfo;
    const process = await ServerProcess.start({
      path,
      args: (port) => ['--config', `yaml:${configOf(port, sinkPort)}`],
    });
    return new OtelCollector(process, spans, async () => {
      sink.close();
      sink.closeAllConnections();
    });
  }

  /** The variables with which a server sends its spans here, at once. */
  get variables(): Readonly<Record<string, string>> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#process.port}`,
      OTEL_BSP_SCHEDULE_DELAY: '20',
    };
  }

  /** The spans of a trace that have arrived. */
  trace(traceId: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await this.#stop();
  }
}

function configOf(port: number, sinkPort: number): string {
  return JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlphttp: {
        endpoint: `http://127.0.0.1:${sinkPort}`,
        encoding: 'json',
        compression: 'none',
        sending_queue: { enabled: false },
      },
    },
    service: {
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlphttp'] } },
      telemetry: { metrics: { level: 'none' }, logs: { level: 'error' } },
    },
  });
}

function spansOf({ resourceSpans }: WireTraces): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes = [], status, ...span }) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        isFailed: status?.code === 2,
        attributes: valuesOf(attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

/** Numbers of 64 bits are texts in OTLP's JSON. */
function valuesOf(attributes: readonly WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value['intValue']) : Object.values(value)[0],
    ]),
  );
}

/** A span by its name, with its child spans by their names. */
export type SpanTree = readonly [name: string, ...children: SpanTree[]];

/** Returns the spans of a trace as trees, from those whose parents are not among them. */
export function treesOf(spans: readonly CollectedSpan[]): readonly SpanTree[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const treeOf = ({ name, spanId }: CollectedSpan): SpanTree => [
    name,
    ...spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .map(treeOf)
      // Spans start within the same millisecond: their times do not order them.
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ];
  return spans.filter(({ parentSpanId }) => !ids.has(parentSpanId)).map(treeOf);
}
