import type { OutgoingHttpHeaders } from 'node:http';
import type { Clock, ObjectStore } from '@quire/core';
import type { ResultStore } from '@quire/results';
import { runChunkJob } from '@quire/table-server/consumption';
import type { Sabotage } from './cluster-plan.ts';

/** Returns an object with the members of another, some of them replaced. */
function overriding<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(name in members ? members : target, name);
      return typeof member === 'function' && !(name in members) ? member.bind(target) : member;
    },
  });
}

const shifted = (clock: Clock, byMs: number): Clock => ({
  nowMs: () => clock.nowMs() + byMs,
  monotonicMs: () => clock.monotonicMs(),
  sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
});

const onResults =
  (members: (results: ResultStore) => Partial<ResultStore>): NonNullable<Sabotage['results']> =>
  (results) =>
    overriding(results, members(results));

const onStore =
  (members: (store: ObjectStore) => Partial<ObjectStore>) =>
  (store: ObjectStore): ObjectStore =>
    overriding(store, members(store));

/**
 * Planted defects, at least one for each law, by the broken part; with the first seed whose ten
 * minutes find it today.
 */
export const plantedDefects: Readonly<Record<string, Sabotage & { readonly foundBySeed: number }>> =
  {
    'a page has rows of another result': {
      foundBySeed: 1,
      results: onResults((results) => {
        let last: string | undefined;
        return {
          open: (requestId, options) => {
            const swapped = last ?? requestId;
            last = requestId;
            return results.open(swapped, options).catch(() => results.open(requestId, options));
          },
        };
      }),
    },
    'a deletion is confirmed and does not happen': {
      foundBySeed: 1,
      results: onResults((results) => ({
        delete: async (requestId) => (await results.open(requestId)).entry,
      })),
    },
    'a renewal is confirmed and does not happen': {
      foundBySeed: 1,
      results: onResults((results) => ({
        renew: async (requestId, durationMs, options) => {
          const { entry } = await results.open(requestId, options);
          return { ...entry, expirationTimeMs: entry.submissionTimeMs + durationMs };
        },
      })),
    },
    'the clock of a cleaner is ten minutes ahead': {
      foundBySeed: 1,
      cleanerClock: (clock) => shifted(clock, 600_000),
    },
    'a sweep deletes commit records, and leaves their data': {
      foundBySeed: 1,
      store: onStore((store) => ({
        delete: async (key, options) => {
          if (!key.endsWith('.arrow')) await store.delete(key, options);
        },
      })),
    },
    'the quota is not kept': {
      foundBySeed: 9,
      cleanerSettings: (settings) => ({ ...settings, quota: undefined }),
    },
    'a put is confirmed before it happens': {
      foundBySeed: 1,
      store: (store, process) =>
        overriding(store, {
          put: async (key, body, options) => {
            const entry = { key, sizeBytes: 0, lastModifiedMs: process.clock.nowMs() };
            if (!(body instanceof Uint8Array)) return await store.put(key, body, options);
            void process.pause(20_000).then(() => store.put(key, body).catch(() => undefined));
            return { ...entry, sizeBytes: body.byteLength };
          },
        }),
    },
    'a proxy says not found of what a broker does not answer': {
      foundBySeed: 2,
      proxyListener: (listener) => (request, response) => {
        const writeHead = response.writeHead.bind(response);
        Object.assign(response, {
          writeHead: (status: number, headers?: OutgoingHttpHeaders) =>
            writeHead(status >= 502 ? 404 : status, headers),
        });
        listener(request, response);
      },
    },
    'what has expired is served until a sweep removes it': {
      foundBySeed: 1,
      resultsClock: (clock) => shifted(clock, -300_000),
    },
    'rows of a query that runs are those of the next page': {
      foundBySeed: 1,
      results: onResults((results) => ({
        grow: async (requestId) => {
          const growing = await results.grow(requestId);
          const page: typeof growing.page = (asked) =>
            growing.page({ ...asked, offset: asked.offset + 1 });
          return overriding(growing, { page });
        },
      })),
    },
    'brokers keep the settings that they were started with': {
      foundBySeed: 10,
      hasDeafBrokers: true,
    },
    'a disk confirms what it has not made durable': {
      foundBySeed: 3,
      disk: (disk) => {
        disk.isSyncHonest = false;
      },
    },
    'a merge of chunks leaves one out': {
      foundBySeed: 3,
      tables: {
        engineOptions: (options) => ({
          ...options,
          runChunkJob: (job, how) =>
            runChunkJob(
              job.kind === 'merge' && job.inputs.length > 1
                ? { ...job, inputs: job.inputs.slice(1) }
                : job,
              { clock: options.clock, ...how },
            ),
        }),
      },
    },
    'a stream gives the last message again': {
      foundBySeed: 3,
      tables: {
        stream: (stream) =>
          overriding(stream, {
            fetch: (partition, fromOffset, ...rest) =>
              stream.fetch(partition, Math.max(0, fromOffset - 1), ...rest),
          }),
      },
    },
    'files of tables that were deleted stay': {
      foundBySeed: 3,
      tables: { engineOptions: (options) => ({ ...options, graceMs: Infinity }) },
    },
    'retention deletes rows early': {
      foundBySeed: 3,
      tables: {
        engineOptions: (options) => ({ ...options, clock: shifted(options.clock, 35 * 60_000) }),
      },
    },
    'restream jobs are not found after a restart': {
      foundBySeed: 63,
      tables: { jobStore: onStore(() => ({ async *list() {} })) },
    },
    'a listing leaves out every third object': {
      foundBySeed: 1,
      store: onStore((store) => ({
        async *list(prefix, options) {
          let count = 0;
          for await (const entry of store.list(prefix, options)) {
            count += 1;
            if (count % 3 !== 0) yield entry;
          }
        },
      })),
    },
  };
