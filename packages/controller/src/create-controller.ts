import type { RequestListener } from 'node:http';
import { tableAdminComponents } from '@quire/api';
import { systemClock, systemRandom } from '@quire/core';
import type { FairSlots } from '@quire/core/wait';
import {
  createService,
  type Service,
  type ServiceAddress,
  type TlsCertificate,
} from '@quire/service';
import { BrokerClient } from './broker-client.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import type { ControllerOptions } from './controller-options.ts';
import { ExpiryJob } from './expiry-job.ts';
import { createPreviewSlots } from './preview/preview-slots.ts';
import { tableComponents } from './preview/table-schemas.ts';
import { controllerRoutes } from './routes/index.ts';
import { withBrokerTables } from './tables/broker-tables.ts';
import { noTableEngine } from './tables/no-table-engine.ts';
import { TableWatch } from './table-watch.ts';
import { deleteExpired } from './broker-calls.ts';

/** A controller: an HTTP service, and the expiry job, which runs from `listen` to `close`. */
export interface Controller extends Service {
  /** Applies changes of the brokers, of the schedule and of the shares of previews. */
  settingsChanged(): void;
}

/**
 * Creates a controller: it makes brokers delete expired results, and lets operators list and delete
 * them on all brokers at once.
 */
export function createController(options: ControllerOptions): Controller {
  const {
    clock = systemClock,
    random = systemRandom,
    metrics = new ControllerMetrics(),
    logger,
    queries,
  } = options;
  const client = new BrokerClient({
    authorization: options.authorization,
    clock,
    timeoutMs: () => options.brokerTimeoutMs,
    certificateAuthorities: options.certificateAuthorities,
    connector: options.connector,
  });
  const job = new ExpiryJob({
    deleteExpired: (url, signal) => deleteExpired(client, url, { signal }),
    schedule: () => options.schedule,
    clock,
    random,
    log: logger?.child({ part: 'expiry' }),
    onRun: (run) => metrics.observeRun(run),
  });
  const readTables = withBrokerTables(options.tables?.engine ?? noTableEngine, {
    client,
    clock,
    brokers: () => options.brokers,
  });
  const tables = options.tables && { ...options.tables, engine: readTables };
  const watch =
    options.tables &&
    new TableWatch(
      options.tables.engine,
      clock,
      async () => (await options.tables?.restreams.listProblems()) ?? [],
    );
  if (watch !== undefined) {
    const countProblems = async (): Promise<number | undefined> =>
      (await watch.readProblems())?.length;
    metrics.watchTables(() => watch.read(), countProblems);
  }
  const previewSlots = createPreviewSlots(options);
  metrics.watchPreviews(previewSlots);
  const service = createService({
    server: options,
    about,
    metrics,
    routes: (context) =>
      controllerRoutes({
        ...context,
        options,
        client,
        job,
        tables,
        readTables,
        watch,
        previewSlots,
      }),
    mounted: queries && { prefixes: ['/query', '/queries'], handler: () => queries.handler() },
  });
  return new RunningController(options, { client, job, service, previewSlots });
}

class RunningController implements Controller {
  readonly #options: ControllerOptions;
  readonly #client: BrokerClient;
  readonly #job: ExpiryJob;
  readonly #service: Service;
  readonly #previewSlots: FairSlots;
  #schedule: string;
  #isListening = false;
  #closing: Promise<void> | undefined;

  constructor(
    options: ControllerOptions,
    parts: {
      readonly client: BrokerClient;
      readonly job: ExpiryJob;
      readonly service: Service;
      readonly previewSlots: FairSlots;
    },
  ) {
    this.#options = options;
    this.#previewSlots = parts.previewSlots;
    this.#client = parts.client;
    this.#job = parts.job;
    this.#service = parts.service;
    this.#schedule = JSON.stringify(options.schedule);
  }

  get address(): ServiceAddress | undefined {
    return this.#service.address;
  }

  async listen(): Promise<ServiceAddress> {
    const address = await this.#service.listen();
    this.#startJob();
    return address;
  }

  async handler(): Promise<RequestListener> {
    const handler = await this.#service.handler();
    this.#startJob();
    return handler;
  }

  replaceCertificate(certificate: TlsCertificate): void {
    this.#service.replaceCertificate(certificate);
  }

  settingsChanged(): void {
    if (!this.#isListening) return;
    this.#previewSlots.startNext();
    this.#job.update(this.#options.brokers);
    const schedule = JSON.stringify(this.#options.schedule);
    if (schedule !== this.#schedule) this.#job.reschedule();
    this.#schedule = schedule;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #startJob(): void {
    if (this.#closing !== undefined) return;
    this.#isListening = true;
    this.#job.update(this.#options.brokers);
  }

  async #close(): Promise<void> {
    this.#isListening = false;
    await this.#job[Symbol.asyncDispose]();
    await Promise.all([this.#options.queries?.close(), this.#service.close()]);
    await this.#client[Symbol.asyncDispose]();
  }
}

const about = {
  title: 'Quire controller',
  description:
    'Manages a cluster of brokers. Every response whose status is not 2xx has the body ErrorBody. All paths accept a trailing slash.',
  tags: [
    { name: 'cluster', description: 'List and delete the results of all brokers.' },
    {
      name: 'tables',
      description:
        'Check and preview tables before they are created; create, read and delete them.',
    },
    { name: 'streams', description: 'Manage the consumption of tables.' },
    { name: 'tasks', description: 'Run tasks on tables, and read their results.' },
    { name: 'restream', description: 'Rebuild real-time tables from their streams.' },
    {
      name: 'pinot',
      description: 'The calls by which clients of Apache Pinot find tables and brokers.',
    },
    { name: 'service', description: 'Monitor the controller and read its documentation.' },
  ],
  components: [...tableComponents, ...tableAdminComponents],
};
