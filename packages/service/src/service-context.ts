import type { Clock } from '@quire/core';
import type { CallsInProgress } from './calls-in-progress.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** The address of a service. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, or `https://host:port`. */
  readonly url: string;
  /** The URLs of its other protocols. */
  readonly endpointUrls?: readonly string[];
}

/** The parts of a service that its routes use. */
export interface ServiceContext {
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly calls: CallsInProgress;
  /** The time at which the service was created, by the monotonic clock. */
  readonly startMs: number;
  /** Returns the address; undefined before it listens. */
  address(): ServiceAddress | undefined;
}
