import { systemClock } from '@quire/core';
import { createService, type Service, type ServiceContext } from '@quire/service';
import type { BrokerContext } from './broker-context.ts';
import { BrokerMetrics } from './broker-metrics.ts';
import type { BrokerOptions } from './broker-options.ts';
import { type DescribingEngine, describingEngineOf } from './describing-engine.ts';
import { createFlightEndpoint } from './flight/flight-endpoint.ts';
import { PageLimiter } from './page-limiter.ts';
import { PageStreams } from './page-streams.ts';
import { brokerRoutes } from './routes/index.ts';
import { createQueryQueue } from './query-queue.ts';
import { ResultReuse } from './result-reuse.ts';
import { RunningQueries } from './running-queries.ts';

const pageStreamsMaxDefault = 128;

/**
 * Creates a broker: the HTTP service that runs queries, stores their results and serves pages of
 * them. When it has closed, unfinished calls have left nothing in the store.
 */
export function createBroker(options: BrokerOptions): Service {
  const clock = options.clock ?? systemClock;
  const metrics = options.metrics ?? new BrokerMetrics();
  const queue = createQueryQueue(options);
  const engine = engineOf(options);
  metrics.watchQueries(queue);
  const queries = new RunningQueries();
  metrics.watchGrowing(() => queries.growingCount);
  const pageStreams = new PageStreams(() => options.pageStreamsMax ?? pageStreamsMaxDefault);
  metrics.watchPageStreams(() => pageStreams.count);
  let context: BrokerContext | undefined;
  const contextOf = (service: ServiceContext): BrokerContext =>
    (context ??= {
      options,
      engine,
      reuse: new ResultReuse({ results: options.results, engine, clock }),
      results: options.results,
      clock,
      metrics,
      queue,
      queries,
      pageLimiter: new PageLimiter(clock, options.results.pageThreads?.countMax),
      pageStreams,
      calls: service.calls,
      startMs: service.startMs,
      address: () => addressOf(options, service),
      advertised: () =>
        options.advertised === undefined ? undefined : addressOf(options, service),
    });
  const { flight } = options;
  return createService({
    server: options,
    about,
    metrics,
    routes: (service) => brokerRoutes(contextOf(service)),
    ...(flight !== undefined && {
      endpoints: (service: ServiceContext) => [createFlightEndpoint(contextOf(service), flight)],
    }),
  });
}

function engineOf({ engine, results }: BrokerOptions): DescribingEngine {
  return 'execute' in engine ? describingEngineOf(engine, results) : engine;
}

function addressOf(
  { advertised, hostName, host, port }: BrokerOptions,
  service: ServiceContext,
): { host: string; port: number } {
  return {
    host: advertised?.host ?? hostName ?? host,
    port: advertised?.port ?? service.address()?.port ?? port,
  };
}

const about = {
  title: 'Quire broker',
  description:
    'Runs a query once, stores its whole answer, and serves any page of it. Integers in rows keep all their digits: use a ' +
    'lossless JSON parser. Every response whose status is not 2xx has the body ErrorBody. All paths accept a trailing slash.',
  tags: [
    { name: 'query', description: 'Run queries and read their results.' },
    { name: 'results', description: 'Manage stored results.' },
    {
      name: 'pinot',
      description: 'The calls of programs for the cursor API of Apache Pinot.',
    },
    { name: 'service', description: 'Monitor the broker and read its documentation.' },
  ],
};
