import { QuireError } from '@quire/core';
import { createProxy } from '@quire/proxy';
import type { Settings } from '@quire/settings';
import { readAuthorities } from '../read-pem.ts';
import { AccessControl } from './access-control.ts';
import { listen } from './listen.ts';
import type { LiveSettings } from '../live-settings.ts';
import { proxyOptionsOf } from './proxy-options.ts';
import type { RoleRun } from './role-run.ts';

export interface ProxyRun extends RoleRun {
  /** The brokers if the settings have none: those of the same process. */
  readonly brokers?: readonly string[] | undefined;
}

/**
 * Creates a proxy according to the settings, and runs it until it is stopped: running calls may
 * finish first.
 *
 * @throws INVALID_SETTING when it has no brokers, a part cannot be created with these settings, or
 *   the address cannot be listened on
 */
export async function runProxy(live: LiveSettings, run: ProxyRun): Promise<void> {
  const { environment, logger } = run;
  const settings = live.current;
  const { brokers: listed, brokersName } = settings.proxy;
  if (listed === undefined && brokersName === undefined && (run.brokers ?? []).length === 0) {
    throw new QuireError(
      'INVALID_SETTING',
      'proxy.brokers or proxy.brokers.dns must be set: the proxy has no broker.',
    );
  }
  await using access = await AccessControl.open(live, { environment, logger });
  const certificateAuthorities = await readAuthorities(settings);
  await using proxy = createProxy(
    proxyOptionsOf(live, {
      ...run,
      access,
      brokers: () => brokersNow(live.current, run),
      brokersName: () => live.current.proxy.brokersName,
      certificateAuthorities,
      authMode: settings.proxy.authMode,
      port: settings.server.proxyPort,
    }),
  );
  const { bindHost: host, proxyPort: port } = settings.server;
  const address = await listen({
    service: proxy,
    role: 'proxy',
    host,
    port,
    portKey: 'proxy.port',
  });
  access.guard(proxy);
  logger.info(
    { url: address.url, brokers: brokersNow(settings, run), name: brokersName },
    'proxy listens',
  );
  await run.onListening({ address, settings, usesQuickstartTokens: access.usesQuickstartTokens });
  await run.untilStop;
  logger.info(
    { graceMs: settings.http.shutdownGraceMs },
    'proxy is stopping: running calls may finish',
  );
}

/**
 * Returns the brokers of the settings, or those of the process if the settings have neither brokers
 * nor a DNS name.
 */
function brokersNow({ proxy }: Settings, run: ProxyRun): readonly string[] {
  return proxy.brokers ?? (proxy.brokersName === undefined ? (run.brokers ?? []) : []);
}
