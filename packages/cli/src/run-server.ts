import type { RunningQuire } from '@quire/server';
import type { Role } from '@quire/server/roles';
import type { Environment } from './environment.ts';
import type { SettingsOptions } from './settings-options.ts';
import { StopRequests } from './stop-requests.ts';

/** The roles to run, and a callback for when they are ready. */
export interface ServerRun {
  readonly roles: readonly Role[] | undefined;
  readonly onReady?: (quire: RunningQuire) => Promise<void>;
}

/**
 * Runs a server until the first request to stop, which lets running calls finish, or until a part
 * of it fails.
 *
 * @throws ABORTED at the second request
 */
export async function runServer(
  { config, set }: SettingsOptions,
  environment: Environment,
  { roles, onReady }: ServerRun,
): Promise<void> {
  // Loaded on demand, so that the other commands start without a database and an HTTP server.
  const { startQuire } = await import('@quire/server');
  const { writeLog } = await import('./create-logger.ts');
  const { variables, directory, clock, random } = environment;
  using stop = new StopRequests(environment);
  const run = async (): Promise<void> => {
    const quire = await startQuire({
      file: config,
      set,
      roles,
      variables,
      directory,
      clock,
      random,
      log: writeLog(environment),
      stopAtOnce: stop.atOnce,
    });
    try {
      await onReady?.(quire);
      await Promise.race([stop.first, quire.ended]);
    } finally {
      await quire.close();
    }
  };
  await stop.orSecond(run());
}
