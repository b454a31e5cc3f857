import { activeTracer, traceHeaders } from '@quire/core/trace';
import { type FairSlots, type PrincipalShare, Slots } from '@quire/core/wait';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type RegistryContentType,
} from 'prom-client';

/** The maximum number of principals with their own label, so that a scrape has few series. */
const principalsShownMax = 20;
/** Buckets from a cached page to a long query, in seconds. */
const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/** The last line of OpenMetrics. */
const endOfFile = '# EOF\n';

/** A histogram of durations. */
export interface DurationHistogram<T extends string> {
  observe(labels: Partial<Record<T, string | number>>, seconds: number): void;
}

/** The format of the metrics, and whether an admin reads them. */
export interface RenderOptions {
  readonly isAdmin: boolean;
  readonly isOpenMetrics?: boolean;
}

/** Metrics as text, and its media type. */
export interface RenderedMetrics {
  readonly text: string;
  readonly contentType: string;
}

/** Returns the labels of an exemplar: the current trace, when it is exported. */
function sampledTrace(): { readonly trace_id: string; readonly span_id: string } | undefined {
  const [, trace_id = '', span_id = '', flags] = traceHeaders()?.traceparent.split('-') ?? [];
  return flags === '01' ? { trace_id, span_id } : undefined;
}

/** Sets the format of a registry. The library's types declare that the format never changes. */
function setContentType(registry: Registry, contentType: RegistryContentType): void {
  (registry as Registry<RegistryContentType>).setContentType(contentType);
}

/**
 * Renders a registry in one of its formats. Rendering as OpenMetrics renames its counters
 * permanently, so their names for the other format are restored.
 */
async function renderAs(registry: Registry, contentType: RegistryContentType): Promise<string> {
  const names = registry.getMetricsAsArray().map((metric) => [metric, metric.name] as const);
  setContentType(registry, contentType);
  try {
    return await registry.metrics();
  } finally {
    for (const [metric, name] of names) metric.name = name;
  }
}

let processRegistry: Registry | undefined;
/** Rendered one at a time, because the format is a state of the registry. */
const processRenderings = new Slots(1);

/**
 * Returns the metrics of this process, which all of its services share: the library observes the
 * garbage collector and the event loop for as long as the process runs, so a registry per service
 * would never be released.
 */
function metricsOfProcess(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/**
 * The metrics of every service, in a separate registry, by Prometheus conventions. Labels never
 * contain ids or SQL, and principals only in metrics for admins. A service with more metrics
 * extends this class.
 */
export class ServiceMetrics {
  /**
   * True if histograms have exemplars, the traces of single observations, because traces are on.
   * Only OpenMetrics shows them.
   */
  readonly hasExemplars = activeTracer() !== undefined;
  /** The registry for metrics of components beside the service. */
  readonly registry = new Registry();
  readonly #ofProcess = metricsOfProcess();
  /** The metrics whose labels name principals. */
  readonly #ofPrincipals = new Registry();
  readonly #calls: DurationHistogram<'method' | 'route' | 'status'>;
  readonly #stalled: Counter<'route'>;

  constructor() {
    // A registry must have this format before a histogram with exemplars is created.
    if (this.hasExemplars) setContentType(this.registry, Registry.OPENMETRICS_CONTENT_TYPE);
    this.#calls = this.histogram(
      'quire_http_request_duration_seconds',
      'Calls, by their duration.',
      ['method', 'route', 'status'],
    );
    this.#stalled = this.counter(
      'quire_http_responses_stalled_total',
      'Connections closed because their clients received nothing of a response for too long.',
      ['route'],
    );
  }

  readonly #renderings = new Slots(1);

  /**
   * Returns all metrics in the text format of Prometheus, or as OpenMetrics; those that name
   * principals only for admins.
   */
  render({ isAdmin, isOpenMetrics = false }: RenderOptions): Promise<RenderedMetrics> {
    const shown = isAdmin ? [this.registry, this.#ofPrincipals] : [this.registry];
    // Rendered one at a time, because the format is a state of the registry.
    return this.#renderings.run(async () => {
      const contentType = isOpenMetrics
        ? Registry.OPENMETRICS_CONTENT_TYPE
        : Registry.PROMETHEUS_CONTENT_TYPE;
      const texts = await Promise.all([
        processRenderings.run(() => renderAs(this.#ofProcess, contentType)),
        ...shown.map((registry) => renderAs(registry, contentType)),
      ]);
      if (!isOpenMetrics) return { text: texts.join(''), contentType };
      return { text: `${texts.join('').replaceAll(endOfFile, '')}${endOfFile}`, contentType };
    });
  }

  /** Counts a call that has ended; `route` is its pattern, so that there are few of them. */
  observeCall(call: { method: string; route: string; status: number; durationMs: number }): void {
    this.#calls.observe(
      { method: call.method, route: call.route, status: call.status },
      call.durationMs / 1000,
    );
  }

  /** Counts a response that was aborted because its client received nothing of it. */
  observeStalled(route: string): void {
    this.#stalled.inc({ route });
  }

  /** Creates a histogram of durations, in seconds. */
  protected histogram<T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
  ): DurationHistogram<T> {
    const enableExemplars = this.hasExemplars;
    const histogram = new Histogram({
      name,
      help,
      labelNames,
      buckets: durationBuckets,
      registers: [this.registry],
      enableExemplars,
    });
    if (!enableExemplars) return histogram;
    return {
      observe: (labels, value) => {
        const trace = sampledTrace();
        // The library's types require the labels of an exemplar to be those of the histogram.
        const exemplarLabels = trace as Partial<Record<T, string>> | undefined;
        histogram.observe({ labels, value, ...(exemplarLabels && { exemplarLabels }) });
      },
    };
  }

  protected counter<T extends string>(
    name: string,
    help: string,
    labelNames: readonly T[],
  ): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** Creates a gauge whose value is read at each scrape. */
  protected gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collect = async (): Promise<void> => gauge.set(await read());
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }

  /**
   * Creates gauges of running and waiting work in shared slots, read at each scrape:
   * `<name>_running` and `<name>_queued`, and for admins the same by principal. The busiest
   * principals have their own labels; all others share one.
   */
  protected slotGauges(
    name: string,
    work: string,
    slots: Pick<FairSlots, 'takenCount' | 'waitingCount' | 'principals'>,
  ): void {
    this.gauge(`${name}_running`, `${work} that are running.`, () => slots.takenCount);
    this.gauge(`${name}_queued`, `${work} that are waiting to start.`, () => slots.waitingCount);
    const byPrincipal = (
      suffix: string,
      help: string,
      countOf: (share: PrincipalShare) => number,
    ): void => {
      const collect = (): void => {
        gauge.reset();
        const counted = slots.principals.map((share) => ({
          principal: share.principal,
          count: countOf(share),
        }));
        const ordered = counted
          .filter(({ count }) => count > 0)
          .toSorted((left, right) => right.count - left.count);
        for (const { principal, count } of ordered.slice(0, principalsShownMax)) {
          gauge.set({ principal }, count);
        }
        const others = ordered.slice(principalsShownMax).reduce((sum, { count }) => sum + count, 0);
        if (others > 0) gauge.set({ principal: 'all others' }, others);
      };
      const gauge: Gauge<'principal'> = new Gauge({
        name: `${name}_${suffix}_by_principal`,
        help,
        labelNames: ['principal'],
        registers: [this.#ofPrincipals],
        collect,
      });
    };
    byPrincipal(
      'running',
      `${work} that are running, by principal.`,
      ({ takenCount }) => takenCount,
    );
    byPrincipal(
      'queued',
      `${work} that are waiting to start, by principal.`,
      ({ waitingCount }) => waitingCount,
    );
  }
}
