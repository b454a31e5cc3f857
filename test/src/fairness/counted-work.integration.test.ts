import type { ErrorBody } from '@quire/api';
import { CallLimits, type Principal } from '@quire/auth';
import type { ControllerOptions } from '@quire/controller';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { cannedEngine, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';
import { until } from '../testkit/until.ts';

/** Work that continues until it is ended explicitly, independent of the call that started it. */
class StubbornWork {
  readonly #inProgress: (() => void)[] = [];
  startedCount = 0;

  readonly run = async <T>(answer: T): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#inProgress.push(resolve);
    this.startedCount += 1;
    await promise;
    return answer;
  };

  endOne(): void {
    this.#inProgress.shift()?.();
  }

  endAll(): void {
    for (const end of this.#inProgress.splice(0)) end();
  }
}

const callers: Readonly<Record<string, Principal>> = {
  'Bearer ann-token': { name: 'ann', role: 'admin' },
  'Bearer bob-token': { name: 'bob', role: 'admin' },
};

interface Kind {
  readonly kind: string;
  readonly options: (work: StubbornWork) => Partial<ControllerOptions>;
  readonly path: string;
  readonly body: string;
}

const kinds: readonly Kind[] = [
  {
    kind: 'preview',
    options: (work) => ({
      preview: {
        bodyBytesMax: 4096,
        limits: {},
        concurrencyMax: 8,
        run: () => work.run(Buffer.from('{}')),
      },
    }),
    path: '/tables/preview',
    body: '{}',
  },
  {
    kind: 'load of a file',
    options: (work) => ({
      tables: {
        engine: {
          ...cannedEngine,
          ingest: () => work.run({ segmentNames: ['s'], rowCount: 1, findings: [] }),
        },
        restreams: cannedRestreams,
      },
    }),
    path: '/ingestFromFile?tableNameWithType=trips_OFFLINE&batchConfigMapStr=%7B%22inputFormat%22%3A%22csv%22%7D',
    body: 'a\n1\n',
  },
  {
    kind: 'start of a restream',
    options: (work) => {
      const restreams: typeof cannedRestreams = Object.create(cannedRestreams);
      const start: typeof cannedRestreams.start = async (request) =>
        work.run(await cannedRestreams.start(request));
      return { tables: { engine: cannedEngine, restreams: Object.assign(restreams, { start }) } };
    },
    path: '/tables/orders_REALTIME/restream?destTableNameWithType=orders2_REALTIME',
    body: '{}',
  },
];

test.each(kinds)(
  'a $kind counts for its caller until it has ended, also when the caller hangs up',
  async ({ options, path, body }) => {
    const work = new StubbornWork();
    const limits = {
      callsPerSecondMax: Infinity,
      callsRunningMax: 2,
      failuresPerMinuteMax: Infinity,
    };
    await using controller = await TestController.start([], {
      ...options(work),
      limits: new CallLimits(() => limits, new ManualClock()),
      authenticate: async (header) => callers[header ?? '']!,
    });
    const post = (as: 'ann' | 'bob', signal?: AbortSignal): Promise<Response> =>
      controller.call(path, { method: 'POST', body, as, ...(signal !== undefined && { signal }) });

    const hangUp = new AbortController();
    const calls: Promise<unknown>[] = [];
    for (const count of [1, 2]) {
      calls.push(post('ann', hangUp.signal).catch(() => 'gone'));
      await until(() => work.startedCount === count, `work ${count} has started`);
    }
    hangUp.abort();
    expect(await Promise.all(calls)).toEqual(['gone', 'gone']);
    // Its calls have ended, but its work has not: the principal may read, and start nothing more.
    const expected =
      'ann has 1 call in progress, and 2 earlier calls whose queries or other work are still running (engine.auth.limit.concurrency = 2); try again in 1 s.';
    await until(async () => {
      const refused = await post('ann');
      const { error } = (await refused.json()) as ErrorBody;
      return (
        refused.status === 429 && refused.headers.get('retry-after') === '1' && error === expected
      );
    }, 'ann is refused for its work alone');
    expect((await controller.call('/metrics', { as: 'ann' })).status).toBe(200);
    const other = post('bob');
    await until(() => work.startedCount === 3, 'the work of bob has started');

    work.endOne();
    const again = (async () => {
      let answer = await post('ann');
      while (answer.status === 429) answer = await post('ann');
      return answer;
    })();
    await until(() => work.startedCount === 4, 'ann starts work again');
    work.endAll();
    expect([(await other).status, (await again).status]).toEqual([200, 200]);
  },
);
