import type { KnownPrincipal } from '@quire/auth';
import { StorageAdmission } from '@quire/cleaner';
import { BrokerMetrics, type BrokerOptions, createBroker } from '@quire/broker';
import { type LinkSigner, QuireError } from '@quire/core';
import { type Compression, ResultStore, type ResultStoreOptions } from '@quire/results';
import type { Settings } from '@quire/settings';
import { storeBackends } from '@quire/settings/store-backends';
import { openBrokerCleaner, planSweep, readHealthDetails, usageOf } from './broker-cleaner.ts';
import { AccessControl } from './access-control.ts';
import { openPageThreads } from './open-page-threads.ts';
import { listen } from './listen.ts';
import type { LiveSettings } from '../live-settings.ts';
import { type RoleRun, type RunningService, serverOptionsOf } from './role-run.ts';
import {
  isRemoteStore,
  isSharedStore,
  logRetry,
  openStore,
  signerOf,
  storeTypeOf,
} from '../stores/open-store.ts';
import { dialectsOf } from './sql-dialects.ts';
import { settingsInForce } from './settings-in-force.ts';
import { openQueryEngine } from '../queries/open-query-engine.ts';
import { engineKindOf } from '../engines/engine-kinds.ts';
import { EngineMonitor } from '../engines/engine-monitor.ts';

/** A listening broker, for display to its operator. */
export interface RunningBroker extends RunningService {
  readonly storeLocation: string;
  /** The tables that queries may read, in a phrase. */
  readonly tables: string;
}

export interface BrokerRun extends RoleRun<RunningBroker> {
  /** The additional principals besides those of the settings: other parts of this process. */
  readonly processPrincipals?: readonly KnownPrincipal[] | undefined;
}

/**
 * Creates a broker according to the settings, runs it until it is stopped, and closes its parts in
 * reverse order: running calls finish first, then queries, results and store are closed.
 *
 * @throws INVALID_SETTING when a part cannot be created with these settings, or the address cannot
 *   be listened on
 */
export async function runBroker(live: LiveSettings, run: BrokerRun): Promise<void> {
  const { environment, logger, processPrincipals } = run;
  const { clock, random } = environment;
  const settings = live.current;
  await using access = await AccessControl.open(live, { environment, logger, processPrincipals });
  const metrics = new BrokerMetrics();
  const { store: opened, backend } = await openStore(settings, {
    clock,
    random,
    onCall: metrics.observeStoreCall,
    onRetry: (event) => logRetry(logger, event),
  });
  await using store = opened;
  const links = linksOf(settings, signerOf(backend));
  await using engine = await openQueryEngine(live, { clock, random, metrics, logger });
  run.stopAtOnce.addEventListener('abort', () => engine.killAll(), { once: true });
  await using monitor = await EngineMonitor.open(settings, run);
  const admission = new StorageAdmission({ clock });
  await using pageThreads = openPageThreads(settings, { clock, logger, metrics });
  const isShared = isSharedStore(settings, backend);
  const parts = { store, admission, isShared, pageThreads, clock, random };
  await using results = createResultStore(live, parts);
  await using cleaner = openBrokerCleaner(live, {
    store,
    backend,
    results,
    admission,
    metrics,
    logger,
    environment,
  });
  await using broker = createBroker({
    engine: engine.engineFor({ results, store, backend }),
    results,
    ...serverOptionsOf(settings, run),
    ...access.options,
    port: settings.server.brokerPort,
    hostName: settings.server.brokerHostName,
    // Any broker serves the pages of a shared store, so responses do not name a broker.
    ...(!isShared && { advertised: { host: settings.server.brokerHostName } }),
    ...(links !== undefined && { links }),
    storeLocation: store.location,
    listTables: monitor?.listTables.bind(monitor) ?? engineKindOf(settings).listTables?.(settings),
    listFileTables: engine.listFileTables,
    storeType: storeTypeOf(settings),
    isStoreShared: isShared,
    ...dialectsOf(live),
    get pageRowCount() {
      return live.current.results.pageRowCount;
    },
    get queryTimeoutMs() {
      return live.current.query.timeoutMs;
    },
    get pageStreamsMax() {
      return live.current.limits.pageStreamsMax;
    },
    get reuse() {
      const { isReused, reuseAgeMaxMs: ageMaxMs } = live.current.results;
      return isReused ? { ageMaxMs } : undefined;
    },
    get rowsWaitMaxMs() {
      return live.current.query.rowsWaitMaxMs;
    },
    flight: flightOptionsOf(live, access),
    healthDetails: () => readHealthDetails(live, { cleaner, admission, engine, monitor }),
    usageOf: (name) => usageOf(admission, name, live.current.results.ownerTagKey),
    planSweep: () => planSweep(live, cleaner),
    settingsInForce: () => settingsInForce(live),
    queriesRunningMax: settings.query.concurrencyMax,
    queriesQueuedMax: settings.query.queueLengthMax,
    queryShares: settings.query,
    metrics,
  });
  const { bindHost: host, brokerPort: port } = settings.server;
  const address = await listen({
    service: broker,
    role: 'broker',
    host,
    port,
    portKey: 'engine.broker.client.queryPort',
  });
  access.guard(broker);
  cleaner.start();
  logger.info(
    {
      ...urlsOf(address),
      brokerId: results.brokerId,
      store: store.location,
      tables: settings.tables.map((table) => table.name),
    },
    'broker listens',
  );
  await run.onListening({
    address,
    settings,
    storeLocation: store.location,
    tables: engineKindOf(settings).describeTables(settings),
    usesQuickstartTokens: access.usesQuickstartTokens,
  });
  await run.untilStop;
  logger.info(
    { graceMs: settings.http.shutdownGraceMs },
    'broker is stopping: running calls may finish',
  );
}

/** Returns the addresses of a listening broker, for its log. */
function urlsOf({ url, endpointUrls }: RunningBroker['address']): Record<string, string> {
  const flightUrl = endpointUrls?.[0];
  return { url, ...(flightUrl !== undefined && { flightUrl }) };
}

/** Returns the options of Arrow Flight SQL, if the settings have a port for it. */
function flightOptionsOf(
  live: LiveSettings,
  { issueToken }: Pick<AccessControl, 'issueToken'>,
): BrokerOptions['flight'] {
  const { port, messageBytesMax } = live.current.flight;
  if (port === undefined) return undefined;
  return {
    port,
    messageBytesMax,
    get expirationMs() {
      return live.current.flight.expirationMs;
    },
    issueToken,
  };
}

/**
 * Returns the options of links. @throws INVALID_SETTING when they are enabled, and the store cannot
 * sign any
 */
function linksOf(
  { links, store }: Settings,
  signer: LinkSigner | undefined,
): BrokerOptions['links'] {
  if (!links.enabled) return undefined;
  if (signer !== undefined) return { signer, lifetimeMs: links.lifetimeMs };
  const signers = storeBackends.flatMap(({ name, signsLinks }) => (signsLinks ? [name] : []));
  throw new QuireError(
    'INVALID_SETTING',
    `engine.broker.links.enabled = true: the store ${store.protocol} cannot sign links, only ${signers.join(', ')} can.`,
  );
}

type ResultParts = Required<
  Pick<ResultStoreOptions, 'store' | 'admission' | 'clock' | 'random' | 'isShared' | 'pageThreads'>
>;

/** Returns the results of this broker; live settings are read at each use. */
function createResultStore(live: LiveSettings, parts: ResultParts): ResultStore {
  const { cacheBytesMax, ownerTagKey } = live.current.results;
  return new ResultStore({
    isReadingAhead: isRemoteStore(live.current),
    ...parts,
    brokerId: brokerIdOf(live.current),
    compression: compressionOf(live.current),
    cacheBytesMax,
    ownerTagKey,
    tempDirectory: live.current.store.tempDir,
    get expirationMs() {
      return live.current.results.expirationMs;
    },
    get expirationMaxMs() {
      return live.current.results.expirationMaxMs;
    },
    get resultBytesMax() {
      return live.current.results.resultBytesMax;
    },
    get stalenessMaxMs() {
      return live.current.results.stalenessMaxMs;
    },
  });
}

/**
 * Returns the compression of new results. For buckets, compressing takes less time than
 * transferring the saved bytes.
 */
function compressionOf(settings: Settings): Compression {
  const { compression } = settings.results;
  if (compression !== 'auto') return compression;
  return isRemoteStore(settings) ? 'zstd' : 'none';
}

/**
 * Returns the name of the broker's part of the store: that of the settings, or
 * `Broker_<host>_<port>` with characters that object keys allow.
 */
function brokerIdOf({ server }: Settings): string {
  if (server.brokerId !== undefined) return server.brokerId;
  return `Broker_${server.brokerHostName.replace(/[^A-Za-z0-9.-]/g, '-')}_${server.brokerPort}`;
}
