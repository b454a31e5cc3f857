import type { RequestListener } from 'node:http';
import { QuireError, systemClock } from '@quire/core';
import {
  createService,
  type Service,
  type ServiceAddress,
  type TlsCertificate,
} from '@quire/service';
import { parseBrokerUrl } from './brokers/broker-address.ts';
import { BrokerSet } from './brokers/broker-set.ts';
import { BrokerWatch } from './brokers/broker-watch.ts';
import { ProxyMetrics } from './proxy-metrics.ts';
import type { ProxyOptions } from './proxy-options.ts';
import { RouteCache } from './brokers/route-cache.ts';
import { proxyRoutes } from './routes/index.ts';

/**
 * Creates a proxy: one address for several brokers. It has no durable state: after a restart, or
 * next to other proxies, every result is found again.
 *
 * @throws INVALID_SETTING when the URL of a broker is not valid, or a name is given without a
 *   resolver
 */
export function createProxy(options: ProxyOptions): Service {
  return new ProxyService(options);
}

class ProxyService implements Service {
  readonly #service: Service;
  readonly #brokers: BrokerSet;
  readonly #watch: BrokerWatch;

  constructor(options: ProxyOptions) {
    const { clock = systemClock, metrics = new ProxyMetrics(), brokersName } = options;
    for (const url of [...options.brokers, ...(brokersName === undefined ? [] : [brokersName])]) {
      parseBrokerUrl(url);
    }
    if (brokersName !== undefined && options.resolveName === undefined) {
      throw new QuireError(
        'INVALID_SETTING',
        `The brokers' name ${brokersName} cannot be resolved: there is no resolver.`,
      );
    }
    const { connectionsMax, connector, certificateAuthorities, timeouts } = options;
    const brokers = new BrokerSet({
      connectionsMax,
      connector,
      connectTimeoutMs: timeouts.connectMs,
      certificateAuthorities,
    });
    const routes = new RouteCache(() => options.routesMax);
    const watch = new BrokerWatch({ options, brokers, routes, metrics, clock });
    metrics.watchBrokers(brokers, routes);
    this.#brokers = brokers;
    this.#watch = watch;
    this.#service = createService({
      server: options,
      about,
      metrics,
      bodies: 'stream',
      routes: ({ calls, startMs }) =>
        proxyRoutes({ options, clock, calls, metrics, brokers, watch, routes, startMs }),
    });
  }

  get address(): ServiceAddress | undefined {
    return this.#service.address;
  }

  /** Listens once it is known which brokers are up. */
  async listen(): Promise<ServiceAddress> {
    await this.#watch.start();
    return await this.#service.listen();
  }

  /** Resolves once it is known which brokers are up. */
  async handler(): Promise<RequestListener> {
    await this.#watch.start();
    return await this.#service.handler();
  }

  replaceCertificate(certificate: TlsCertificate): void {
    this.#service.replaceCertificate(certificate);
  }

  async close(): Promise<void> {
    await this.#service.close();
    await this.#watch.stop();
    await this.#brokers.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const about = {
  title: 'Quire proxy',
  description:
    'One address for many brokers: a new query is sent to a broker that is up, and every call about a result to the broker that holds ' +
    'it. Calls and answers are the same as those of the brokers. Every response whose status is not 2xx has the body ErrorBody.',
  tags: [
    { name: 'query', description: 'Run queries and read their results.' },
    { name: 'results', description: 'Manage stored results.' },
    { name: 'pinot', description: 'Calls of programs for Apache Pinot.' },
    { name: 'service', description: 'Monitor the proxy and read its documentation.' },
  ],
};
