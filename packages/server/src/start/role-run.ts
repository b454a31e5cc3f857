import type { ServerOptions, ServiceAddress } from '@quire/service';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import { readVersion } from '@quire/core/process';
import type { RoleHooks } from './started-role.ts';

/** A service that listens, as its operator wants to know it. */
export interface RunningService {
  readonly address: ServiceAddress;
  readonly settings: Settings;
  readonly usesQuickstartTokens: boolean;
  /** Of a controller: whether it serves the console. */
  readonly hasConsole?: boolean;
}

/** What every role is run with. */
export interface RoleRun<
  Running extends RunningService = RunningService,
> extends RoleHooks<Running> {
  readonly environment: Environment;
  readonly logger: Logger;
}

/** What the settings say of the HTTP server of every service; its port is its own. */
export function serverOptionsOf(
  { server, http, observability }: Settings,
  { environment, logger }: Pick<RoleRun, 'environment' | 'logger'>,
): Omit<ServerOptions, 'authenticate' | 'port'> {
  return {
    host: server.bindHost,
    trustedProxies: server.trustedProxies,
    version: readVersion(new URL('../../package.json', import.meta.url)),
    bodyBytesMax: http.bodyBytesMax,
    headerBytesMax: http.headerBytesMax,
    requestTimeoutMs: http.requestTimeoutMs,
    idleTimeoutMs: http.idleTimeoutMs,
    stallTimeoutMs: http.stallTimeoutMs,
    shutdownGraceMs: http.shutdownGraceMs,
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
