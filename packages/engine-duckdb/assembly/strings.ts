/*
 * Puts the strings of a DuckDB vector together as Arrow has them. A string's record in a vector takes 16 bytes: its length, then its bytes
 * when they are 12 at most, else 4 of them and the address of all. Addresses are those of the process, whose memory is not this
 * module's: `planStrings` finds the windows of it that hold the strings, the caller copies them in, `gatherStrings` takes the strings from there.
 */

/** Bytes of a record. */
const recordBytes: usize = 16;
/** The longest string that lies in its record. */
const inlineBytesMax: u32 = 12;
/** The smallest memory page of any system that DuckDB runs on, as a power of two. */
const pageBits: u64 = 12;

/**
 * Bytes of a window: where it starts and ends in the memory of the process, and its address here.
 */
const windowBytes: usize = 24;

/** What `planStrings` gives when the strings are too many bytes, or lie in too many places. */
const tooMuch: i32 = -1;

/** Bytes of a run: where it starts and ends in the memory of the process. */
const runBytes: usize = 16;

let windowCount: i32 = 0;
let runCount: i32 = 0;

/** How many windows the last plan has. */
export function countOfWindows(): i32 {
  return windowCount;
}

/**
 * In how many runs the strings of the last plan lie, in the order of their rows: one run behind the
 * other they are what the strings are together. -1 when some lie in their records, or there are
 * more runs than there is room for.
 */
export function countOfRuns(): i32 {
  return runCount;
}

/** Where free memory begins. */
export function addressOfFreeMemory(): usize {
  return __heap_base;
}

/**
 * Writes the offsets of `count` strings, from 0 on, and finds the windows that they lie in;
 * `places` tells for each row which one.
 *
 * A window grows only to a string in the same page or a neighbouring one: each of its pages holds a
 * byte of some string, so that all of it is mapped and can be read.
 *
 * @param bits Arrow's bitmap of rows that are not null; 0 when all are there
 * @returns the bytes of all strings, or -1 when they are more than `bytesMax`, or lie in more than
 * `windowsMax` windows
 */
export function planStrings(
  records: usize,
  bits: usize,
  count: i32,
  offsets: usize,
  places: usize,
  windows: usize,
  windowsMax: i32,
  runs: usize,
  runsMax: i32,
  bytesMax: u32,
): i32 {
  windowCount = 0;
  runCount = 0;
  let size: u32 = 0;
  let latest: i32 = 0;
  let runEnd: u64 = 0;
  store<u32>(offsets, 0);
  for (let row: i32 = 0; row < count; row += 1) {
    // A null's record is not initialized.
    if (bits === 0 || (load<u8>(bits + (row >> 3)) >> (<u8>row & 7)) & 1) {
      const record = records + <usize>row * recordBytes;
      const length = load<u32>(record);
      if (length > bytesMax - size) return tooMuch;
      size += length;
      if (length > inlineBytesMax) {
        const address = load<u64>(record, 8);
        const end = address + <u64>length;
        if (runCount >= 0) {
          if (address !== runEnd) {
            runCount = runCount === runsMax ? -1 : runCount + 1;
            if (runCount > 0) store<u64>(runs + <usize>(runCount - 1) * runBytes, address);
          }
          if (runCount > 0) store<u64>(runs + <usize>(runCount - 1) * runBytes, end, 8);
          runEnd = end;
        }
        if (windowCount === 0 || !grow(windows + <usize>latest * windowBytes, address, end)) {
          latest = 0;
          while (latest < windowCount && !grow(windows + <usize>latest * windowBytes, address, end))
            latest += 1;
          if (latest === windowCount) {
            if (windowCount === windowsMax) return tooMuch;
            store<u64>(windows + <usize>latest * windowBytes, address);
            store<u64>(windows + <usize>latest * windowBytes, end, 8);
            windowCount += 1;
          }
        }
        store<i32>(places + ((<usize>row) << 2), latest);
      } else if (length > 0) {
        runCount = -1;
      }
    }
    store<u32>(offsets + ((<usize>row) << 2), size, 4);
  }
  return size;
}

/** Makes a window cover `[start, end)` as well, when they touch. */
function grow(window: usize, start: u64, end: u64): bool {
  const windowStart = load<u64>(window);
  const windowEnd = load<u64>(window, 8);
  if (
    start >> pageBits > ((windowEnd - 1) >> pageBits) + 1 ||
    ((end - 1) >> pageBits) + 1 < windowStart >> pageBits
  )
    return false;
  if (start < windowStart) store<u64>(window, start);
  if (end > windowEnd) store<u64>(window, end, 8);
  return true;
}

/**
 * Writes the strings that were planned one behind the other; up to 16 bytes behind the last are
 * overwritten, too.
 */
export function gatherStrings(
  records: usize,
  count: i32,
  offsets: usize,
  places: usize,
  windows: usize,
  to: usize,
): void {
  let start = load<u32>(offsets);
  for (let row: i32 = 0; row < count; row += 1) {
    const end = load<u32>(offsets + ((<usize>row) << 2), 4);
    const length = end - start;
    const target = to + <usize>start;
    start = end;
    if (length === 0) continue;
    const record = records + <usize>row * recordBytes;
    if (length <= inlineBytesMax) {
      v128.store(target, v128.load(record, 4));
      continue;
    }
    const window = windows + <usize>load<i32>(places + ((<usize>row) << 2)) * windowBytes;
    const source = load<usize>(window, 16) + <usize>(load<u64>(record, 8) - load<u64>(window));
    v128.store(target, v128.load(source));
    for (let done: usize = 16; done < <usize>length; done += 16)
      v128.store(target + done, v128.load(source + done));
  }
}
