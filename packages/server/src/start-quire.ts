import { resolve } from 'node:path';
import { type Clock, QuireError, type Random, systemClock, systemRandom } from '@quire/core';
import type { ServiceAddress } from '@quire/service';
import { loadSettings, type Settings, settingsError } from '@quire/settings';
import { pino } from 'pino';
import { LiveSettings } from './live-settings.ts';
import { serverVersion } from './server-version.ts';
import { isRole, type Role, roles as allRoles, rolesByDefault } from './start/roles.ts';
import { runRoles, type RunningRoles } from './start/run-roles.ts';
import { StartedRole } from './start/started-role.ts';
import { openTracing } from './tracing/open-tracing.ts';

/**
 * The options of `startQuire`, which correspond to the command line and environment of `quire
 * start`.
 */
export interface StartQuireOptions {
  /** A properties file. Its live settings are read again when it changes. */
  readonly file?: string | undefined;
  /**
   * Settings by key, `{ 'engine.broker.client.queryPort': '0' }`, or as a list of `key=value`. They
   * override those of the file.
   */
  readonly set?: Readonly<Record<string, string>> | readonly string[] | undefined;
  /** The roles to run; default `server`, `broker`, `proxy` and `controller`, as in the command. */
  readonly roles?: readonly Role[] | undefined;
  /** Environment variables for settings, such as `process.env`; default: none. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** The directory that relative paths are resolved against; default: that of the process. */
  readonly directory?: string | undefined;
  /** Receives each line of the log, a JSON object with its newline. */
  readonly log?: ((line: string, settings: Settings['observability']) => void) | undefined;
  /** Aborted to end immediately the calls that `close` lets finish. */
  readonly stopAtOnce?: AbortSignal | undefined;
  /** The clock; default: the system's. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** Servers in this process. Disposing closes them. */
export interface RunningQuire extends AsyncDisposable {
  /** The address of each service; undefined for those that do not run. */
  readonly addresses: Readonly<
    Record<'broker' | 'proxy' | 'controller', ServiceAddress | undefined>
  >;
  /** The running roles, for display to the operator. */
  readonly roles: RunningRoles;
  /** The settings at the start. */
  readonly settings: Settings;
  /** Resolves when everything has ended. @throws the error that ended it without `close` */
  readonly ended: Promise<void>;
  /**
   * Lets running calls finish within `engine.broker.shutdown.grace`, and closes everything. May be
   * called twice.
   */
  close(): Promise<void>;
}

/**
 * Starts the roles of `quire start` in this process: settings, engine, store, cleaner,
 * authentication, TLS. Resolves once everything listens. It handles no signals and writes only to
 * `log`.
 *
 * @throws INVALID_SETTING with every problem of the settings, or when a role cannot run with them;
 *   nothing is running then
 */
export async function startQuire(options: StartQuireOptions = {}): Promise<RunningQuire> {
  const roles = parseRoles(options.roles ?? rolesByDefault);
  const { file: path, variables = {}, directory = resolve(), log, set = [] } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const environment = { variables, directory, clock, random };
  const overrides = Array.isArray(set)
    ? set
    : Object.entries(set).map(([key, value]) => `${key}=${value}`);
  const request = { path, environment: variables, overrides, workingDir: directory };
  const outcome = await loadSettings(request);
  if (!outcome.ok) throw settingsError(outcome.problems);
  const { settings, view } = outcome;
  const logger = pino(
    { level: settings.observability.logLevel, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => log?.(line, settings.observability) },
  );
  const started = new StartedRole<RunningRoles>(async ({ onListening, untilStop }) => {
    await using _tracing = await openTracing(variables, { version: serverVersion, logger });
    await using live = await LiveSettings.open({ request, settings, view, clock, logger });
    await runRoles(live, {
      roles,
      areRolesByDefault: options.roles === undefined,
      environment,
      logger,
      onReady: onListening,
      untilStop,
      stopAtOnce: options.stopAtOnce ?? new AbortController().signal,
    });
  });
  const running = await started.ready;
  const { broker, proxy, controller } = running;
  const close = (): Promise<void> => started.stop();
  return {
    addresses: { broker: broker?.address, proxy: proxy?.address, controller: controller?.address },
    roles: running,
    settings,
    ended: started.ended,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Parses roles; untyped JavaScript may pass anything. */
function parseRoles(names: readonly string[]): ReadonlySet<Role> {
  const wrong = names.find((name) => !isRole(name));
  if (wrong === undefined && names.length > 0) return new Set(names.filter(isRole));
  const given = wrong === undefined ? 'No role was given' : `There is no role '${wrong}'`;
  throw new QuireError(
    'INVALID_SETTING',
    `${given}; expected one or more of ${allRoles.join(', ')}.`,
  );
}
