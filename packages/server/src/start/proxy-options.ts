import { lookup } from 'node:dns/promises';
import { ProxyMetrics, type ProxyOptions, type ProxyTimeouts } from '@quire/proxy';
import type { Settings } from '@quire/settings';
import type { AccessControl } from './access-control.ts';
import type { LiveSettings } from '../live-settings.ts';
import { type RoleRun, serverOptionsOf } from './role-run.ts';

/** The options of a proxy that are not in the settings alone. */
export interface ProxyParts extends Pick<RoleRun, 'environment' | 'logger' | 'stopAtOnce'> {
  readonly access: AccessControl;
  readonly brokers: () => readonly string[];
  readonly brokersName: () => string | undefined;
  readonly certificateAuthorities: string | undefined;
  readonly authMode: ProxyOptions['authMode'];
  readonly port: number;
}

/**
 * Returns the options of a proxy with live settings as getters. Do not copy them: a copied getter
 * is not live.
 */
export function proxyOptionsOf(live: LiveSettings, parts: ProxyParts): ProxyOptions {
  const settings = live.current;
  const { access, certificateAuthorities, authMode, port } = parts;
  return {
    ...serverOptionsOf(settings, parts),
    ...access.options,
    certificateAuthorities,
    authMode,
    port,
    metrics: new ProxyMetrics(),
    get brokers() {
      return parts.brokers();
    },
    get brokersName() {
      return parts.brokersName();
    },
    // Uses the resolver of the operating system, which includes the hosts file.
    resolveName: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    get resolveIntervalMs() {
      return live.current.proxy.resolveIntervalMs;
    },
    get isStoreShared() {
      const { storeShared } = live.current.proxy;
      return storeShared === 'auto' ? storeShared : storeShared === 'true';
    },
    get routesMax() {
      return live.current.proxy.routesMax;
    },
    connectionsMax: settings.proxy.connectionsMax,
    get timeouts() {
      return timeoutsOf(live.current, settings);
    },
    get healthIntervalMs() {
      return live.current.proxy.healthIntervalMs;
    },
    get failuresMax() {
      return live.current.proxy.failuresMax;
    },
    healthDetails: () => ({ settingsProblems: live.problemCount }),
  };
}

function timeoutsOf({ proxy }: Settings, atStart: Settings): ProxyTimeouts {
  return {
    connectMs: atStart.proxy.connectTimeoutMs,
    queryMs: proxy.queryTimeoutMs,
    answerMs: proxy.answerTimeoutMs,
    healthMs: proxy.healthTimeoutMs,
  };
}
