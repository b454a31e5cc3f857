import type { Clock } from '@quire/core';
import type { CallsUnderWay } from './calls-under-way.ts';
import type { ServiceAddress } from './create-service.ts';
import type { ServiceMetrics } from './service-metrics.ts';

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
