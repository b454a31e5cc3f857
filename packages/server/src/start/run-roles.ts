import { createProcessPrincipal, type ProcessPrincipal } from '@quire/auth';
import type { TableEngine } from '@quire/core/table-engine';
import type { Logger } from 'pino';
import type { RunningCleaner } from '../cleaner/run-cleaner.ts';
import { engineKindOf } from '../engines/engine-kinds.ts';
import type { Environment } from '../environment.ts';
import { assertTransport, warnOfPlainTransport } from './check-transport.ts';
import type { LiveSettings } from '../live-settings.ts';
import type { RoleRun, RunningService } from './role-run.ts';
import type { Role } from './roles.ts';
import type { RunningBroker } from './run-broker.ts';
import type { RunningServer } from './run-server.ts';
import { StartedRole } from './started-role.ts';

/** The running parts of a process. */
export interface RunningRoles {
  readonly server?: RunningServer | undefined;
  readonly broker?: RunningBroker | undefined;
  readonly proxy?: RunningService | undefined;
  readonly controller?: RunningService | undefined;
  readonly cleaner?: RunningCleaner | undefined;
}

/** The roles of a process, and the signals for its end. */
export interface RolesRun {
  readonly roles: ReadonlySet<Role>;
  /** True if the roles are the default. */
  readonly areRolesByDefault: boolean;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly onReady: (running: RunningRoles) => Promise<void>;
  /** The process runs until this resolves. */
  readonly untilStop: Promise<void>;
  /** Aborted when the process must end regardless of running work. */
  readonly stopAtOnce: AbortSignal;
}

/** The roles to which callers with credentials connect. */
const services: readonly Role[] = ['broker', 'proxy', 'controller'];
/** A name that settings cannot contain. */
const processPrincipalName = '@process';

/**
 * Runs the roles of a process until it is stopped, or one of them fails: the table server first,
 * then the broker, then its callers; they end in the reverse order. Without brokers in the
 * settings, proxy and controller use the broker of their process, and the controller needs no token
 * for it.
 *
 * @throws INVALID_SETTING when a role cannot run with these settings
 */
export async function runRoles(live: LiveSettings, run: RolesRun): Promise<void> {
  const parts: StartedRole<unknown>[] = [];
  const started = <Ready>(part: StartedRole<Ready> | undefined): StartedRole<Ready> | undefined => {
    if (part !== undefined) parts.push(part);
    return part;
  };
  const isCalled = services.some((role) => run.roles.has(role));
  if (isCalled) assertTransport(live.current);
  const own = createProcessPrincipal(processPrincipalName, 'admin', run.environment.random);
  try {
    const server = await started(startServer(live, run))?.ready;
    const broker = await started(startBroker(live, run, own))?.ready;
    const brokers = broker === undefined ? undefined : [broker.address.url];
    const [proxy, controller, cleaner] = [
      started(startProxy(live, run, brokers)),
      started(
        startController(live, run, {
          brokers,
          own: broker === undefined ? undefined : own,
          tableEngine: server?.engine,
        }),
      ),
      started(startCleaner(live, run)),
    ];
    const running = {
      server,
      broker,
      proxy: await proxy?.ready,
      controller: await controller?.ready,
      cleaner: await cleaner?.ready,
    };
    if (isCalled) warnOfPlainTransport(live.current, run.logger);
    await run.onReady(running);
    await Promise.race([run.untilStop, ...parts.map(({ ended }) => ended)]);
  } finally {
    await stopInTurn(parts.toReversed());
  }
}

/** Stops all parts, even if some fail. @throws the error of the first one that failed */
async function stopInTurn(parts: readonly StartedRole<unknown>[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/**
 * Starts the table server. Without a directory it has nothing to serve, which is an error only if
 * the role was requested by name.
 */
function startServer(live: LiveSettings, run: RolesRun): StartedRole<RunningServer> | undefined {
  const isKeeper = engineKindOf(live.current).tablesRole === 'server';
  const hasTables = isKeeper && live.current.tableServer.dataDir !== undefined;
  if (!run.roles.has('server') || (!hasTables && run.areRolesByDefault)) return undefined;
  if (hasTables && !run.roles.has('controller')) {
    run.logger.warn(
      'the role server runs without the role controller in its process: its tables consume and are queried, and nothing can change them. ' +
        'Start both roles in one process: quire start --roles server,controller',
    );
  }
  return new StartedRole(async (hooks) => {
    const { runServer } = await import('./run-server.ts');
    await runServer(live, { ...contextOf(run, 'server'), ...hooks });
  });
}

function startBroker(
  live: LiveSettings,
  run: RolesRun,
  own: ProcessPrincipal,
): StartedRole<RunningBroker> | undefined {
  if (!run.roles.has('broker')) return undefined;
  return new StartedRole(async (hooks) => {
    const { runBroker } = await import('./run-broker.ts');
    const processPrincipals = run.roles.has('controller') ? [own.principal] : [];
    await runBroker(live, {
      ...contextOf(run, 'broker'),
      ...hooks,
      processPrincipals,
    });
  });
}

function startProxy(
  live: LiveSettings,
  run: RolesRun,
  brokers: readonly string[] | undefined,
): StartedRole<RunningService> | undefined {
  if (!run.roles.has('proxy')) return undefined;
  return new StartedRole(async (hooks) => {
    const { runProxy } = await import('./run-proxy.ts');
    await runProxy(live, { ...contextOf(run, 'proxy'), ...hooks, brokers });
  });
}

function startController(
  live: LiveSettings,
  run: RolesRun,
  parts: {
    readonly brokers: readonly string[] | undefined;
    readonly own: ProcessPrincipal | undefined;
    readonly tableEngine: TableEngine | undefined;
  },
): StartedRole<RunningService> | undefined {
  if (!run.roles.has('controller')) return undefined;
  return new StartedRole(async (hooks) => {
    const { runController } = await import('./run-controller.ts');
    // The token of the process's own principal is valid for the broker of this process only.
    const authorization = live.current.controller.brokers === undefined ? parts.own : undefined;
    const { brokers, tableEngine } = parts;
    await runController(live, {
      ...contextOf(run, 'controller'),
      ...hooks,
      brokers,
      authorization,
      tableEngine,
    });
  });
}

function startCleaner(live: LiveSettings, run: RolesRun): StartedRole<RunningCleaner> | undefined {
  if (!run.roles.has('cleaner')) return undefined;
  return new StartedRole(async (hooks) => {
    const { runCleaner } = await import('../cleaner/run-cleaner.ts');
    await runCleaner(live, { ...contextOf(run, 'cleaner'), ...hooks });
  });
}

/** Returns the context of log lines, which name the role if a process has several. */
function contextOf(
  { roles, environment, logger, stopAtOnce }: RolesRun,
  role: Role,
): Pick<RoleRun, 'environment' | 'logger' | 'stopAtOnce'> {
  const own = roles.size === 1 ? logger : logger.child({ role });
  return { environment, logger: own, stopAtOnce };
}
