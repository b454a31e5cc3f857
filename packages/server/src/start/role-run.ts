import type { ServerOptions, ServiceAddress } from '@quire/service';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import { serverVersion } from '../server-version.ts';
import type { RoleHooks } from './started-role.ts';

/** A listening service, for display to its operator. */
export interface RunningService {
  readonly address: ServiceAddress;
  readonly settings: Settings;
  readonly usesQuickstartTokens: boolean;
  /** True if a controller serves the console. */
  readonly hasConsole?: boolean;
}

/** The dependencies of every role. */
export interface RoleRun<
  Running extends RunningService = RunningService,
> extends RoleHooks<Running> {
  readonly environment: Environment;
  readonly logger: Logger;
  /** Aborted when the process must end regardless of running work. */
  readonly stopAtOnce: AbortSignal;
}

/** Returns the options of every service's HTTP server from the settings, except its port. */
export function serverOptionsOf(
  { server, http, observability }: Settings,
  { environment, logger, stopAtOnce }: Pick<RoleRun, 'environment' | 'logger' | 'stopAtOnce'>,
): Omit<ServerOptions, 'authenticate' | 'port'> {
  return {
    host: server.bindHost,
    trustedProxies: server.trustedProxies,
    version: serverVersion,
    bodyBytesMax: http.bodyBytesMax,
    headerBytesMax: http.headerBytesMax,
    requestTimeoutMs: http.requestTimeoutMs,
    idleTimeoutMs: http.idleTimeoutMs,
    stallTimeoutMs: http.stallTimeoutMs,
    shutdownGraceMs: http.shutdownGraceMs,
    stopAtOnce,
    metricsEnabled: observability.metricsEnabled,
    docsEnabled: observability.docsEnabled,
    docsPublic: observability.docsPublic,
    basicOffered: http.basicOffered,
    corsOrigins: http.corsOrigins,
    logger,
    clock: environment.clock,
    random: environment.random,
  };
}
