import { crc32 } from 'node:zlib';
import { isQuireError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import { readObject } from '../store/read-object.ts';
import { collect } from '../testing/index.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { casesOf } from './conformance-case.ts';
import type { OpenStoreFixture, StoreCase } from './store-fixture.ts';
import { chunksOf, patternBytes } from '../testing/byte-sources.ts';

type Model = Map<string, Uint8Array>;

type Step =
  | {
      readonly verb: 'put';
      readonly key: string;
      readonly length: number;
      readonly seed: number;
      readonly chunkBytes: number;
    }
  | { readonly verb: 'failing put'; readonly key: string; readonly length: number }
  | { readonly verb: 'get'; readonly key: string; readonly start: number; readonly length: number }
  | { readonly verb: 'head' | 'delete'; readonly key: string }
  | { readonly verb: 'list'; readonly prefix: string; readonly after: string | undefined };

// No key is below another, which stores may refuse; many are similar, so that stores may confuse
// them.
const keys = ['a-b', 'a.b', 'a/b', 'a/b-c', 'a/c/d', 'a/c/e', 'a0', 'b/c/d/e', 'b/c/d/f', 'c'];
const texts = [...keys, '', 'a', 'a/', 'a/c', 'a/c/', 'b', 'b/c/d/', 'd'];

const key = fc.constantFrom(...keys);
const length = fc.oneof(fc.nat(40), fc.constantFrom(1_000_000, 4_200_000));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant('put'),
      key,
      length,
      seed: fc.nat(50),
      chunkBytes: fc.integer({ min: 7, max: 2e6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('failing put'), key, length }) },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('get'),
      key,
      start: fc.nat(50),
      length: fc.oneof(fc.nat(50), fc.nat(4_200_000)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ verb: fc.constantFrom('head', 'delete'), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant('list'),
      prefix: fc.constantFrom(...texts),
      after: fc.option(fc.constantFrom(...texts), { nil: undefined }),
    }),
  },
);

/** The maximum number of chunks of a source; more would test nothing new. */
const chunksMax = 2000;

/** The outcome of a call as plain data: its answer, or its error code. */
type Outcome = unknown;

/** A store behaves like a map from keys to bytes under any sequence of calls. */
export const modelCases = (runCount: number): readonly StoreCase[] =>
  casesOf<OpenStoreFixture>('any sequence of calls', (test) => {
    test('has the same outcome as with a map', async (open) => {
      const sequences = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });
      await fc.assert(
        fc.asyncProperty(sequences, async (steps) => {
          await using fixture = await open();
          const model: Model = new Map();
          for (const each of [...steps, { verb: 'list', prefix: '', after: undefined } as const]) {
            expect({ ...each, outcome: await tryStep(fixture.store, each) }).toEqual({
              ...each,
              outcome: predict(model, each),
            });
          }
          expect(await fixture.leftovers()).toEqual([]);
        }),
        { numRuns: runCount, seed: 20260101 },
      );
    });
  });

async function tryStep(store: ObjectStore, each: Step): Promise<Outcome> {
  try {
    return await runStep(store, each);
  } catch (error) {
    return isQuireError(error) ? error.code : error;
  }
}

async function runStep(store: ObjectStore, each: Step): Promise<Outcome> {
  switch (each.verb) {
    case 'put': {
      const chunkBytes = Math.max(each.chunkBytes, Math.ceil(each.length / chunksMax));
      const { key: name, sizeBytes } = await store.put(
        each.key,
        chunksOf(patternBytes(each.length, each.seed), chunkBytes),
      );
      return [name, sizeBytes];
    }
    case 'failing put':
      return store.put(each.key, failingAfter(each.length));
    case 'get':
      return crc32(
        await readObject(store, each.key, {
          range: { start: each.start, end: each.start + each.length },
        }),
      );
    case 'head':
      return (await store.head(each.key)).sizeBytes;
    case 'delete':
      return store.delete(each.key);
    case 'list':
      return (await collect(store.list(each.prefix, { after: each.after }))).map((entry) => [
        entry.key,
        entry.sizeBytes,
      ]);
  }
}

function predict(model: Model, each: Step): Outcome {
  switch (each.verb) {
    case 'put':
      model.set(each.key, patternBytes(each.length, each.seed));
      return [each.key, each.length];
    case 'failing put':
      return sourceFailure;
    case 'get':
      return predictRange(model.get(each.key), each.start, each.start + each.length);
    case 'head':
      return model.get(each.key)?.byteLength ?? 'OBJECT_NOT_FOUND';
    case 'delete':
      model.delete(each.key);
      return undefined;
    case 'list':
      return [...model]
        .filter(
          ([name]) =>
            name.startsWith(each.prefix) && (each.after === undefined || name > each.after),
        )
        .map(([name, bytes]) => [name, bytes.byteLength] as const)
        .toSorted(([left], [right]) => (left < right ? -1 : 1));
  }
}

function predictRange(bytes: Uint8Array | undefined, start: number, end: number): Outcome {
  if (end <= start) return 'INVALID_PARAMETER';
  if (bytes === undefined) return 'OBJECT_NOT_FOUND';
  return end > bytes.byteLength ? 'OBJECT_SHORT_READ' : crc32(bytes.subarray(start, end));
}

const sourceFailure = new Error('the source failed');

async function* failingAfter(goodBytes: number): AsyncGenerator<Uint8Array> {
  yield patternBytes(goodBytes);
  throw sourceFailure;
}
