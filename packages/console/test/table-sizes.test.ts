import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { sizeAgeMaxMs, TableSizes } from '../app/tables/table-sizes.ts';

/** Sizes whose reads are counted: the segments of each read are its number. */
function countedSizes() {
  const clock = new ManualClock();
  const sizes = new TableSizes(clock);
  let readCount = 0;
  const load = async () => {
    readCount += 1;
    return [
      { tableNameWithType: 'a', type: 'OFFLINE' as const, segmentCount: readCount, sizeBytes: 1 },
    ];
  };
  const read = async (name: string) => (await sizes.read(name, load))[0]?.segmentCount;
  return { clock, sizes, load, read };
}

test('the size of a table is read again after a minute, that of another table at once', async () => {
  const { clock, read } = countedSizes();
  expect([await read('a'), await read('b'), await read('a')]).toEqual([1, 2, 1]);
  await clock.advance(sizeAgeMaxMs - 1);
  expect(await read('a')).toBe(1);
  await clock.advance(1);
  expect([await read('a'), await read('a'), await read('b')]).toEqual([3, 3, 4]);
});

test('the size of a table that could not be read is read again at once', async () => {
  const { sizes, read } = countedSizes();
  const failed = sizes.read('a', () => Promise.reject(new Error('The server is busy.')));
  await expect(failed).rejects.toThrow('busy');
  expect(await read('a')).toBe(1);
});
