import { type AuthorizationProvider, noAuthorization } from '@quire/auth';
import { readConsoleFiles } from '@quire/console';
import { ControllerMetrics, type ControllerOptions, createController } from '@quire/controller';
import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import { createProxy } from '@quire/proxy';
import type { Settings } from '@quire/settings';
import type { LiveSettings } from '../live-settings.ts';
import { readAuthorities } from '../read-pem.ts';
import { AccessControl } from './access-control.ts';
import { listen } from './listen.ts';
import { openAuthorization } from './open-authorization.ts';
import { openRestreams } from './open-restreams.ts';
import { previewsIn, workerKind as previewKind } from '../tables/preview-kind.ts';
import type { WorkerEnd } from '../workers/worker-process.ts';
import { WorkerPool, type WorkerPoolStatus, workersHealth } from '../workers/worker-pool.ts';
import { engineKindOf } from '../engines/engine-kinds.ts';
import { EngineMonitor } from '../engines/engine-monitor.ts';
import { proxyOptionsOf } from './proxy-options.ts';
import { type RoleRun, serverOptionsOf } from './role-run.ts';
import { settingsInForce } from './settings-in-force.ts';
import { dialectsOf } from './sql-dialects.ts';

export interface ControllerRun extends RoleRun {
  /**
   * The provider of the Authorization for calls to brokers if the settings have none: the brokers
   * of the same process know it.
   */
  readonly authorization?: AuthorizationProvider | undefined;
  /** The brokers if the settings have none: those of the same process. */
  readonly brokers?: readonly string[] | undefined;
  /** The tables of the table server of the same process. */
  readonly tableEngine?: TableEngine | undefined;
}

/**
 * Creates a controller according to the settings, and runs it until it is stopped: the expiry job
 * ends first, then running calls.
 *
 * @throws INVALID_SETTING when it has neither brokers nor tables, a part cannot be created with
 *   these settings, or the address cannot be listened on
 */
export async function runController(live: LiveSettings, run: ControllerRun): Promise<void> {
  const { environment, logger } = run;
  const { clock } = environment;
  const settings = live.current;
  const brokersNow = (): readonly string[] => live.current.controller.brokers ?? run.brokers ?? [];
  assertHasWork(settings, run, brokersNow());
  warnOfTablesElsewhere(settings, run);
  await using access = await AccessControl.open(live, { environment, logger });
  const authorization = saysAuthorization(settings)
    ? await openAuthorization(settings, clock)
    : (run.authorization ?? noAuthorization);
  const certificateAuthorities = await readAuthorities(settings);
  const metrics = new ControllerMetrics();
  const onKilled = ({ reason }: WorkerEnd): void => metrics.observeKilledWorker(reason);
  await using previews = WorkerPool.open(previewKind, settings, { clock, logger, onKilled });
  metrics.watchWorkers(() => previews.status);
  const kind = engineKindOf(settings);
  await using ownTables =
    kind.tablesRole === 'controller' ? await kind.openTableEngine(live, run) : undefined;
  const tableEngine = run.tableEngine ?? ownTables?.engine;
  await using monitor =
    ownTables === undefined ? undefined : await EngineMonitor.open(settings, run);
  await using tables =
    tableEngine === undefined
      ? undefined
      : await openRestreams(live, tableEngine, { ...run, metrics });
  tables?.restreams.run();
  const site = await openConsole(live, {
    environment,
    logger,
    stopAtOnce: run.stopAtOnce,
    access,
    brokers: brokersNow,
    certificateAuthorities,
  });
  await using controller = createController({
    ...serverOptionsOf(settings, run),
    ...access.options,
    authorization,
    certificateAuthorities,
    get brokers() {
      return brokersNow();
    },
    get brokerTimeoutMs() {
      return live.current.controller.brokerTimeoutMs;
    },
    get schedule() {
      const { controller: own, cleaner } = live.current;
      return {
        periodMs: own.cleanerPeriodMs,
        initialDelayMs: own.cleanerInitialDelayMs,
        cron: cleaner.schedule,
      };
    },
    ...site,
    dialectOf: dialectsOf(live).dialects?.defaultOf,
    settingsInForce: () => settingsInForce(live),
    healthDetails: () => readHealthDetails(live, previews, monitor),
    port: settings.server.controllerPort,
    preview: {
      bodyBytesMax: settings.preview.bodyBytesMax,
      uploadDirectory: settings.store.tempDir,
      get limits() {
        return live.current.preview;
      },
      get concurrencyMax() {
        return live.current.preview.concurrencyMax;
      },
      get waitingMax() {
        return live.current.preview.waitingMax;
      },
      get principalWaitingMax() {
        return live.current.preview.principalWaitingMax;
      },
      run: previewsIn(previews, live),
    },
    tables,
    metrics,
  });
  const { bindHost: host, controllerPort: port } = settings.server;
  const address = await listen({
    service: controller,
    role: 'controller',
    host,
    port,
    portKey: 'controller.port',
  });
  access.guard(controller);
  live.onApplied(() => controller.settingsChanged());
  logger.info({ url: address.url, brokers: brokersNow() }, 'controller listens');
  await run.onListening({
    address,
    settings,
    usesQuickstartTokens: access.usesQuickstartTokens,
    hasConsole: site.console !== undefined,
  });
  await run.untilStop;
  logger.info(
    { graceMs: settings.http.shutdownGraceMs },
    'controller is stopping: running calls may finish',
  );
}

/** True if the settings define the Authorization for the controller's calls to brokers. */
/**
 * Checks that a controller has brokers, or tables, or both. @throws INVALID_SETTING when it has
 * neither
 */
function assertHasWork(
  settings: Settings,
  { tableEngine }: ControllerRun,
  brokers: readonly string[],
): void {
  const { tablesRole } = engineKindOf(settings);
  const keepsTables =
    tableEngine !== undefined ||
    (tablesRole === 'controller' && settings.tableServer.dataDir !== undefined);
  if (brokers.length > 0 || keepsTables) return;
  throw new QuireError(
    'INVALID_SETTING',
    'controller.brokers or engine.tables.data.dir must be set, the latter with the role server in this process: the controller has neither brokers nor tables to manage.',
  );
}

/**
 * Logs a warning if the tables of a table server cannot be changed, because its controller is not
 * in the same process.
 */
function warnOfTablesElsewhere(settings: Settings, { tableEngine, logger }: ControllerRun): void {
  const isServed = engineKindOf(settings).tablesRole === 'server';
  if (!isServed || settings.tableServer.dataDir === undefined || tableEngine !== undefined) return;
  logger.warn(
    'engine.tables.data.dir is set, but the role server runs in another process or not at all: this controller ' +
      'can neither list nor change its tables. Start both roles in one process: quire start --roles server,controller',
  );
}

/** Returns the health of a controller's engine, preview processes and settings. */
async function readHealthDetails(
  live: LiveSettings,
  { status }: { readonly status: WorkerPoolStatus },
  monitor: EngineMonitor | undefined,
): ReturnType<NonNullable<ControllerOptions['healthDetails']>> {
  return {
    ...(monitor !== undefined && { engine: await monitor.read() }),
    settingsProblems: live.problemCount,
    workers: workersHealth(status),
  };
}

function saysAuthorization({ controller }: Settings): boolean {
  const { authProviderClass, authUrl, authToken } = controller;
  return authProviderClass !== undefined || authUrl !== undefined || authToken !== undefined;
}

interface ConsoleContext extends Pick<RoleRun, 'environment' | 'logger' | 'stopAtOnce'> {
  readonly access: AccessControl;
  readonly brokers: () => readonly string[];
  readonly certificateAuthorities: string | undefined;
}

/**
 * Returns the parts of the console: its files, and a proxy in front of the controller's own brokers
 * for its queries. Callers must be known to the controller; the broker decides about their
 * permissions. Empty if the settings disable the console, or this clone has not built it.
 */
async function openConsole(
  live: LiveSettings,
  context: ConsoleContext,
): Promise<Pick<ControllerOptions, 'console' | 'queries'>> {
  if (!live.current.controller.consoleEnabled) return {};
  const files = await readConsoleFiles();
  if (files === undefined) {
    context.logger.warn(
      'the console is not available: it is not built; run `npm run console` first',
    );
    return {};
  }
  const queries = createProxy(
    proxyOptionsOf(live, {
      ...context,
      brokersName: () => undefined,
      authMode: 'check',
      port: 0, // it is mounted, and does not listen itself
    }),
  );
  return {
    console: {
      files,
      hasQuickstartTokens: context.access.usesQuickstartTokens,
      // The brokers are expected to have the engine of these settings.
      readsResults:
        live.current.engine.modulePath !== undefined || engineKindOf(live.current).readsResults,
      dialects: dialectsOf(live).dialects?.known,
    },
    queries,
  };
}
