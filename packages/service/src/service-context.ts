import type { Clock } from '@quire/core';
import type { CallsUnderWay } from './calls-under-way.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** Where a service listens. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, or `https://host:port`. */
  readonly url: string;
  /** The URLs of its other ways in. */
  readonly doorUrls?: readonly string[];
}

/** What the routes of a service know of it. */
export interface ServiceContext {
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly calls: CallsUnderWay;
  /** When the service was made, by the monotonic clock. */
  readonly startMs: number;
  /** Where it listens; undefined before it does. */
  address(): ServiceAddress | undefined;
}
