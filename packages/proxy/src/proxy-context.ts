import type { Clock } from '@quire/core';
import type { CallsInProgress } from '@quire/service';
import type { BrokerSet } from './brokers/broker-set.ts';
import type { BrokerWatch } from './brokers/broker-watch.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import type { ProxyOptions } from './proxy-options.ts';
import type { RouteCache } from './brokers/route-cache.ts';

/** The dependencies of the routes of one proxy. */
export interface ProxyContext {
  readonly options: ProxyOptions;
  readonly clock: Clock;
  readonly calls: CallsInProgress;
  readonly metrics: ProxyMetrics;
  readonly brokers: BrokerSet;
  readonly watch: BrokerWatch;
  readonly routes: RouteCache;
  /** The time at which the proxy was created, by the monotonic clock. */
  readonly startMs: number;
}
