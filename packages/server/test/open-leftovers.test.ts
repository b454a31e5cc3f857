import { type CallOptions, type Leftover, type ObjectStore, QuireError } from '@quire/core';
import { collect, ManualClock, SeededRandom } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { expect, test } from 'vitest';
import { openLeftovers } from '../src/cleaner/open-leftovers.ts';

const id = '0197a3c0-0000-7000-8000-000000000001';
const ours = `Broker_a_1/${id}/data.arrow?uploadId=1`;
const names = [
  ours,
  `Broker_a_1/notes.txt?uploadId=2`,
  `Broker_b_1/${id}/data.arrow?uploadId=3`,
  'x?uploadId=4',
];

/** A bucket with these uploads; `trouble` runs before each answer. */
class FakeBucket {
  readonly removed: string[] = [];
  readonly prefixes: string[] = [];
  trouble: (signal: AbortSignal | undefined) => Promise<void> = () => Promise.resolve();
  readonly leftovers = {
    list: (options: CallOptions & { readonly prefix: string }): AsyncGenerator<Leftover> =>
      this.#list(options),
    remove: async (name: string, { signal }: CallOptions): Promise<void> => {
      await this.trouble(signal);
      this.removed.push(name);
    },
  };

  async *#list({
    prefix,
    signal,
  }: CallOptions & { readonly prefix: string }): AsyncGenerator<Leftover> {
    this.prefixes.push(prefix);
    await this.trouble(signal);
    for (const key of names) {
      const [objectKey = ''] = key.split('?');
      if (!key.startsWith(prefix)) continue;
      yield { key, sizeBytes: 1, lastModifiedMs: 0, owner: 'unknown', objectKey };
    }
  }
}

function opened(bucket: FakeBucket, brokerId: string | undefined, clock = new ManualClock()) {
  const warnings: unknown[] = [];
  const leftovers = openLeftovers({
    backend: bucket as unknown as ObjectStore,
    brokerId,
    settings: { attemptsMax: 3, timeoutMs: 1000 },
    clock,
    random: new SeededRandom(1),
    logger: { warn: (...entry: unknown[]) => void warnings.push(entry) },
  });
  if (leftovers === undefined) throw new Error('A bucket has leftovers.');
  return { leftovers, warnings, clock };
}

/** Fails the first `count` calls. */
function failing(count: number, error: QuireError): () => Promise<void> {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0 ? Promise.reject(error) : Promise.resolve();
  };
}

async function keysOf(leftovers: ReturnType<typeof opened>['leftovers']): Promise<string[]> {
  return (await collect(leftovers.list())).map(({ key }) => key);
}

test('the uploads of results are listed: of one broker, or of all', async () => {
  const bucket = new FakeBucket();
  expect(await keysOf(opened(bucket, 'Broker_a_1').leftovers)).toEqual([ours]);
  expect(await keysOf(opened(bucket, undefined).leftovers)).toEqual([ours, names[2]]);
  expect(bucket.prefixes).toEqual(['Broker_a_1/', '']);
});

test('leftovers of stores that do not know their objects are all listed', async () => {
  const bucket = new FakeBucket();
  const staged = { key: '0a1b', sizeBytes: 1, lastModifiedMs: 0, owner: 'dead' } as const;
  bucket.leftovers.list = async function* () {
    yield staged;
  };
  expect(await keysOf(opened(bucket, 'Broker_a_1').leftovers)).toEqual(['0a1b']);
});

test('what fails is tried again, and no longer than the settings say', async () => {
  const bucket = new FakeBucket();
  const { leftovers, clock } = opened(bucket, undefined);
  const unavailable = new QuireError('STORE_UNAVAILABLE', 'Not now.');
  const outcomeOf = async (call: Promise<unknown>): Promise<unknown> => {
    let isOver = false;
    const outcome = call.then(
      () => 'done',
      (error: unknown) => (error as QuireError).code,
    );
    void outcome.then(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(100);
    }
    return outcome;
  };
  bucket.trouble = failing(2, unavailable);
  expect([await outcomeOf(leftovers.remove(ours)), bucket.removed]).toEqual(['done', [ours]]);
  bucket.trouble = failing(3, unavailable);
  expect(await outcomeOf(collect(leftovers.list()))).toBe('STORE_UNAVAILABLE');
  bucket.trouble = (signal) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  expect(await outcomeOf(leftovers.remove(ours))).toBe('STORE_TIMED_OUT');
});

test('who may not list uploads is told once, and finds none', async () => {
  const bucket = new FakeBucket();
  bucket.trouble = failing(9, new QuireError('STORE_MISCONFIGURED', 'No.'));
  const { leftovers, warnings } = opened(bucket, undefined);
  expect([await keysOf(leftovers), await keysOf(leftovers), warnings.length]).toEqual([[], [], 1]);
});

test('memory has no leftovers', async () => {
  await using backend = new MemoryObjectStore({ sizeMaxBytes: 1 });
  const settings = { attemptsMax: 1, timeoutMs: 1 };
  const logger = { warn: () => undefined };
  const options = {
    brokerId: undefined,
    settings,
    clock: new ManualClock(),
    random: new SeededRandom(1),
    logger,
  };
  expect(openLeftovers({ backend, ...options })).toBeUndefined();
});
