import type { OutgoingHttpHeaders } from 'node:http';
import type { Clock, ObjectStore } from '@quire/core';
import type { ResultStore } from '@quire/results';
import type { Sabotage } from './cluster.ts';

/** An object whose members are those of another, but for the given ones. */
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
  (members: (store: ObjectStore) => Partial<ObjectStore>): NonNullable<Sabotage['store']> =>
  (store) =>
    overriding(store, members(store));

/** One planted defect for each law of `Laws`, by what is broken. */
export const plantedDefects: Readonly<Record<string, Sabotage>> = {
  'a page has rows of another result': {
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
    results: onResults((results) => ({
      delete: async (requestId) => (await results.open(requestId)).entry,
    })),
  },
  'a renewal is confirmed and does not happen': {
    results: onResults((results) => ({
      renew: async (requestId, durationMs, options) => {
        const { entry } = await results.open(requestId, options);
        return { ...entry, expirationTimeMs: entry.submissionTimeMs + durationMs };
      },
    })),
  },
  'the clock of a cleaner is ten minutes ahead': {
    cleanerClock: (clock) => shifted(clock, 600_000),
  },
  'a sweep deletes commit records, and leaves their data': {
    store: onStore((store) => ({
      delete: async (key, options) => {
        if (!key.endsWith('.arrow')) await store.delete(key, options);
      },
    })),
  },
  'the quota is not kept': {
    cleanerSettings: (settings) => ({ ...settings, quota: undefined }),
  },
  'a put is confirmed before it happens': {
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
    resultsClock: (clock) => shifted(clock, -300_000),
  },
  'a listing leaves out every third object': {
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
