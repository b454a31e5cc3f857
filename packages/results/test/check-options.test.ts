import { isQuireError, type RequestId } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { beforeEach, describe, expect, test } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { type PageFormatName, ResultStore, type ResultStoreOptions } from '../src/index.ts';

const hourMs = 3_600_000;
let memory: MemoryObjectStore;

function resultsWith(options: Partial<ResultStoreOptions> = {}): ResultStore {
  return new ResultStore({
    store: memory,
    brokerId: 'b',
    expirationMs: hourMs,
    expirationMaxMs: 24 * hourMs,
    clock: new ManualClock({ nowMs: 1_700_000_000_000 }),
    ...options,
  });
}

async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return 'no error';
  } catch (error) {
    return isQuireError(error, 'INVALID_PARAMETER')
      ? error.message
      : `not invalid: ${String(error)}`;
  }
}

beforeEach(() => {
  memory = new MemoryObjectStore({ sizeMaxBytes: 1e6 });
});

const duration = 'expected an integer from 1 to 8640000000000000.';

describe('a store of results is not made with', () => {
  test.each<[Partial<Record<keyof ResultStoreOptions, unknown>>, string]>([
    [{ expirationMs: Number.NaN }, `expirationMs is NaN; ${duration}`],
    [{ expirationMs: 1.5 }, `expirationMs is 1.5; ${duration}`],
    [{ expirationMs: -1 }, `expirationMs is -1; ${duration}`],
    [{ expirationMs: 0 }, `expirationMs is 0; ${duration}`],
    [{ expirationMs: 1e300 }, `expirationMs is 1e+300; ${duration}`],
    [{ expirationMs: '1h' }, `expirationMs is '1h'; ${duration}`],
    [{ expirationMaxMs: Number.POSITIVE_INFINITY }, `expirationMaxMs is Infinity; ${duration}`],
    [{ compression: 'brotli' }, "compression is 'brotli'; expected 'none', 'zstd' or 'lz4'."],
    [{ batchSizeBytes: 0 }, 'batchSizeBytes is 0; expected an integer from 1 to 9007199254740991.'],
    [{ cacheBytesMax: -1 }, 'cacheBytesMax is -1; expected an integer from 0 to 9007199254740991.'],
    [
      { resultBytesMax: Number.NaN },
      'resultBytesMax is NaN; expected an integer from 0 to 9007199254740991.',
    ],
    [
      { stalenessMaxMs: -1 },
      'stalenessMaxMs is -1; expected an integer from 0 to 8640000000000000.',
    ],
  ])('a store of results is not made with: %o', async (options, message) => {
    expect(await messageOf(() => resultsWith(options as Partial<ResultStoreOptions>))).toBe(
      message,
    );
  });
});

test('a result is not created with a duration that has become wrong since, nor for nobody, nor by an id that nobody finds', async () => {
  let expirationMs = hourMs;
  const results = new ResultStore({
    store: memory,
    brokerId: 'b',
    expirationMaxMs: hourMs,
    get expirationMs() {
      return expirationMs;
    },
  });
  expirationMs = Number.NaN;
  expect(await messageOf(() => results.create(countingRows(1), { owner: 'o' }))).toBe(
    `expirationMs is NaN; ${duration}`,
  );
  const create = (options: object) => () =>
    resultsWith().create(countingRows(1), { owner: 'o', ...options });
  expect(await messageOf(create({ owner: undefined }))).toBe(
    'owner is undefined; expected the name of a principal.',
  );
  expect(await messageOf(create({ requestId: 'x' as RequestId }))).toBe(
    "requestId is 'x'; expected a UUID of version 7 in lower case.",
  );
  expect(await Array.fromAsync(memory.list(''))).toEqual([]);
});

test('calls say which parameter is wrong', async () => {
  const results = resultsWith();
  const result = await results.create(countingRows(10), { owner: 'o' });
  const { requestId } = result.entry;
  for (const durationMs of [Number.NaN, 1.5, -1, 0]) {
    expect(await messageOf(() => results.renew(requestId, durationMs))).toBe(
      `durationMs is ${durationMs}; ${duration}`,
    );
  }
  expect(await messageOf(() => results.deleteExpired(Number.NaN))).toContain(
    'cutoffMs is NaN; expected an integer',
  );
  const page = (offset: number, rowCount: number) => () => result.page({ offset, rowCount });
  expect(await messageOf(page(-1, 1))).toBe('offset is -1; expected an integer, 0 or more.');
  expect(await messageOf(page(0.5, 1))).toBe('offset is 0.5; expected an integer, 0 or more.');
  expect(await messageOf(page(0, -1))).toBe('rowCount is -1; expected an integer, 0 or more.');
  const encode = (): unknown =>
    result.page({ offset: 0, rowCount: 1 }).encode('xml' as PageFormatName);
  expect(await messageOf(encode)).toBe(
    "format is 'xml'; expected 'json', 'arrow', 'csv', 'ndjson' or 'parquet'.",
  );
  expect(await Array.fromAsync(results.list())).toEqual([result.entry]);
});
