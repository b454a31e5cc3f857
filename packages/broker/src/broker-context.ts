import type { ResultStore } from '@quire/results';
import type { CallsUnderWay } from '@quire/service';
import type { BrokerOptions } from './broker-options.ts';
import type { PageLimiter } from './page-limiter.ts';
import type { PageStreams } from './page-streams.ts';
import type { QueryRunner } from './query-runner.ts';
import type { ResultReuse } from './result-reuse.ts';

/** What the routes of one broker work with. */
export interface BrokerContext extends QueryRunner {
  readonly options: BrokerOptions;
  readonly results: ResultStore;
  readonly calls: CallsUnderWay;
  readonly reuse: ResultReuse;
  readonly pageLimiter: PageLimiter;
  readonly pageStreams: PageStreams;
  /** When the broker was made, by the monotonic clock. */
  readonly startMs: number;
  /**
   * Where this broker is, once it listens: the name that others know, or else the address that it
   * listens on.
   */
  address(): { readonly host: string; readonly port: number };
  /**
   * Where others reach this broker, once it listens; undefined when any broker can serve its
   * results.
   */
  advertised(): { readonly host: string; readonly port: number } | undefined;
}
