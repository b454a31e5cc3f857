import type { ResultStore } from '@quire/results';
import type { CallsInProgress } from '@quire/service';
import type { BrokerOptions } from './broker-options.ts';
import type { DescribingEngine } from './describing-engine.ts';
import type { PageLimiter } from './page-limiter.ts';
import type { PageStreams } from './page-streams.ts';
import type { QueryRunner } from './query-runner.ts';
import type { ResultReuse } from './result-reuse.ts';

/** The dependencies of the routes of one broker. */
export interface BrokerContext extends QueryRunner {
  readonly options: BrokerOptions;
  readonly engine: DescribingEngine;
  readonly results: ResultStore;
  readonly calls: CallsInProgress;
  readonly reuse: ResultReuse;
  readonly pageLimiter: PageLimiter;
  readonly pageStreams: PageStreams;
  /** The time at which the broker was created, by the monotonic clock. */
  readonly startMs: number;
  /**
   * Returns the address of this broker, once it listens: the name that others use, or the address
   * that it listens on.
   */
  address(): { readonly host: string; readonly port: number };
  /**
   * Returns the address at which others reach this broker, once it listens; undefined if any broker
   * can serve its results.
   */
  advertised(): { readonly host: string; readonly port: number } | undefined;
}
