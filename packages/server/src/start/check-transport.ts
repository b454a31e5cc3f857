import { isLoopback } from '@quire/auth';
import { QuireError } from '@quire/core';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';

type TransportSettings = Pick<Settings, 'server' | 'tls'>;

/**
 * Reports whether services listen beyond this machine without TLS, with HTTP or Arrow Flight SQL.
 */
function isPlainBeyondMachine({ server, tls }: TransportSettings): boolean {
  return tls.certificateFile === undefined && !isLoopback(server.bindHost);
}

/**
 * Restricts services without TLS to this machine, if the settings require that.
 *
 * @throws INVALID_SETTING when `engine.tls.required` is set and they would listen beyond it
 */
export function assertTransport(settings: TransportSettings): void {
  if (!settings.tls.isRequired || !isPlainBeyondMachine(settings)) return;
  throw new QuireError(
    'INVALID_SETTING',
    `engine.bind.host = ${settings.server.bindHost}: expected a loopback address such as 127.0.0.1, because engine.tls.required = true and there is no certificate. ` +
      'Set engine.tls.certificate.file and engine.tls.key.file to listen elsewhere.',
  );
}

/**
 * Logs a warning if services listen beyond this machine without TLS, because a proxy in front of
 * them must encrypt then.
 */
export function warnOfPlainTransport(settings: TransportSettings, logger: Logger): void {
  if (!isPlainBeyondMachine(settings)) return;
  logger.warn(
    { host: settings.server.bindHost, setting: 'engine.tls.certificate.file' },
    'services listen beyond this machine without TLS: credentials and rows can be read in transit, unless a proxy or balancer in front encrypts them',
  );
}
