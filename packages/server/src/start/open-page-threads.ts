import { availableParallelism } from 'node:os';
import type { BrokerMetrics } from '@quire/broker';
import type { Clock } from '@quire/core';
import { PageThreads } from '@quire/results';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';

/** The default maximum number of threads. */
const countMaxDefault = 16;

interface PageThreadsContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<BrokerMetrics, 'watchPageThreads'>;
}

/** Creates the threads of a broker's pages according to the settings; none starts yet. */
export function openPageThreads(
  { results: { pageThreadsMax } }: Settings,
  { clock, logger, metrics }: PageThreadsContext,
): PageThreads {
  const threads = new PageThreads({
    countMax: pageThreadsMax ?? Math.min(countMaxDefault, availableParallelism() - 1),
    clock,
    onDied: (error) => logger.warn({ err: error }, 'a thread that encoded a page has failed'),
  });
  metrics.watchPageThreads(() => threads.status);
  return threads;
}
