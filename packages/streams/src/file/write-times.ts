import type { FileHandle } from 'node:fs/promises';
import { isMissingFile } from '@quire/core/process';
import { readRange, type SegmentFile, timesPathOf, withFile } from './segment-file.ts';

/** The time at which the lines from an offset were written, until the next entry. */
interface TimeEntry {
  readonly offset: number;
  readonly timeMs: number;
}

/** The size of an entry: two little-endian doubles, so that entries can be found by bisection. */
const entryBytes = 16;
const readEntriesMax = 256;

/**
 * Records the current time for the lines that are about to be written to a segment from an offset.
 * If the producer dies before it writes the lines, the next entry has the same offset. Times never
 * decrease.
 */
export async function appendTime(segment: SegmentFile, entry: TimeEntry): Promise<void> {
  await withFile(timesPathOf(segment), 'a+', async (file) => {
    const { size } = await file.stat();
    const count = Math.floor(size / entryBytes);
    if (size > count * entryBytes) await file.truncate(count * entryBytes);
    const last = count === 0 ? undefined : await readEntry(file, count - 1);
    const bytes = Buffer.alloc(entryBytes);
    bytes.writeDoubleLE(entry.offset, 0);
    bytes.writeDoubleLE(Math.max(entry.timeMs, last?.timeMs ?? entry.timeMs), 8);
    await file.appendFile(bytes);
  });
}

/**
 * Returns the write times of lines by their ascending offsets; null for lines before the first
 * entry.
 */
export async function readTimes(
  segment: SegmentFile,
  offsets: readonly number[],
): Promise<readonly (number | null)[]> {
  const [first] = offsets;
  if (first === undefined) return [];
  const times = await withTimes(segment, async (file, count) => {
    const found: (number | null)[] = [];
    let index = (await partitionPoint(file, count, ({ offset }) => offset <= first)) - 1;
    let entries = await readEntries(file, index, count);
    let current = index < 0 ? undefined : entries.shift();
    for (const offset of offsets) {
      for (;;) {
        if (entries.length === 0 && index + 1 < count) {
          entries = await readEntries(file, index + 1, count);
        }
        const [next] = entries;
        if (next === undefined || next.offset > offset) break;
        current = entries.shift();
        index += 1;
      }
      found.push(current?.timeMs ?? null);
    }
    return found;
  });
  return times ?? offsets.map(() => null);
}

/**
 * Returns the offset of the first lines written at or after a time, according to the segment's
 * entries; undefined if there are none.
 */
export async function findTime(segment: SegmentFile, timeMs: number): Promise<number | undefined> {
  return await withTimes(segment, async (file, count) => {
    const index = await partitionPoint(file, count, (entry) => entry.timeMs < timeMs);
    return index === count ? undefined : (await readEntry(file, index)).offset;
  });
}

/** Runs with the entries of a segment; undefined if there are none. */
async function withTimes<T>(
  segment: SegmentFile,
  use: (file: FileHandle, count: number) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await withFile(timesPathOf(segment), 'r', async (file) =>
      use(file, Math.floor((await file.stat()).size / entryBytes)),
    );
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** Returns the number of leading entries that meet a condition. */
async function partitionPoint(
  file: FileHandle,
  count: number,
  isBefore: (entry: TimeEntry) => boolean,
): Promise<number> {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBefore(await readEntry(file, middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function readEntry(file: FileHandle, index: number): Promise<TimeEntry> {
  const bytes = await readRange(file, index * entryBytes, (index + 1) * entryBytes);
  return { offset: bytes.readDoubleLE(0), timeMs: bytes.readDoubleLE(8) };
}

async function readEntries(file: FileHandle, from: number, count: number): Promise<TimeEntry[]> {
  const start = Math.max(0, from);
  const bytes = await readRange(
    file,
    start * entryBytes,
    Math.min(count, start + readEntriesMax) * entryBytes,
  );
  return Array.from({ length: Math.floor(bytes.byteLength / entryBytes) }, (_, index) => {
    return {
      offset: bytes.readDoubleLE(index * entryBytes),
      timeMs: bytes.readDoubleLE(index * entryBytes + 8),
    };
  });
}
