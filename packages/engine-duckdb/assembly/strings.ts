/* Converts the strings of a DuckDB vector to Arrow's layout. The record of a string takes 16 bytes:
   its length, then its bytes if there are at most 12, otherwise the first 4 of them and the address
   of all. Addresses are those of the process, whose memory this module cannot read. `planStrings`
   finds the windows of that memory that contain the strings, the caller copies them in, and
   `gatherStrings` takes the strings from there. */

/** The size of a record, in bytes. */
const recordBytes: usize = 16;
/** The longest string that is stored in its record. */
const inlineBytesMax: u32 = 12;
/** The smallest memory page of any system that DuckDB runs on, as a power of two. */
const pageBits: u64 = 12;

/**
 * The size of a window, in bytes: its start and end in the memory of the process, and its address
 * here.
 */
const windowBytes: usize = 24;

/** The result of `planStrings` if the strings have too many bytes, or are in too many places. */
const tooMuch: i32 = -1;

/** The size of a run, in bytes: its start and end in the memory of the process. */
const runBytes: usize = 16;

let windowCount: i32 = 0;
let runCount: i32 = 0;

/** Returns the number of windows of the last plan. */
export function countOfWindows(): i32 {
  return windowCount;
}

/**
 * Returns the number of runs of the last plan, in the order of rows: concatenated, they are all
 * strings. -1 if some strings are stored in their records, or there are more runs than fit.
 */
export function countOfRuns(): i32 {
  return runCount;
}

/** Returns the start of free memory. */
export function addressOfFreeMemory(): usize {
  return __heap_base;
}

/**
 * Writes the offsets of `count` strings, starting at 0, and finds the windows that contain them;
 * `places` receives the window of each row.
 *
 * A window is extended only to a string in the same page or a neighbouring one. So each of its
 * pages contains a byte of some string, is mapped and can be read.
 *
 * @param bits Arrow's bitmap of rows that are not null; 0 if no row is null
 * @returns the bytes of all strings, or -1 if they are more than `bytesMax`, or are in more than
 *   `windowsMax` windows
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
    // The record of a null is not initialized.
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

/** Extends a window to `[start, end)` if they touch. */
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
 * Writes the planned strings one after another. Up to 16 bytes after the last one are overwritten.
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
