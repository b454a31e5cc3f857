import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** One file of a partition: the lines from `baseOffset`. */
export interface SegmentFile {
  readonly path: string;
  readonly partition: number;
  /** Offset of the file's first byte. */
  readonly baseOffset: number;
}

const segmentPattern = /^(0|[1-9]\d{0,9})(?:\.([1-9]\d{0,15}))?\.jsonl$/;

/**
 * Parses the name of a segment in a topic's directory: `3.jsonl` starts partition 3, `3.4096.jsonl`
 * continues at byte 4096.
 */
export function parseSegmentName(directory: string, name: string): SegmentFile | undefined {
  const [, partition, base = '0'] = segmentPattern.exec(name) ?? [];
  if (partition === undefined || !Number.isSafeInteger(Number(base))) return undefined;
  return { path: join(directory, name), partition: Number(partition), baseOffset: Number(base) };
}

/** Returns the segment of a partition that starts at an offset. */
export function segmentFileAt(
  directory: string,
  partition: number,
  baseOffset: number,
): SegmentFile {
  const name = baseOffset === 0 ? `${partition}.jsonl` : `${partition}.${baseOffset}.jsonl`;
  return { path: join(directory, name), partition, baseOffset };
}

/** Returns the path of the file with the write times of a segment's lines. */
export function timesPathOf({ path }: SegmentFile): string {
  return path.replace(/\.jsonl$/, '.times');
}

/** Runs with an open file, and closes it. */
export async function withFile<T>(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Returns the bytes `[start, end)` of a file; fewer at its end. */
export async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, end - start));
  let filled = 0;
  while (filled < buffer.byteLength) {
    const { bytesRead } = await file.read(
      buffer,
      filled,
      buffer.byteLength - filled,
      start + filled,
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export const newline = 0x0a;
const scanBytes = 64 * 1024;

/**
 * Returns the end of the last complete line in the first `size` bytes; `knownEnd` is an earlier
 * result for the same file, from which the search starts.
 */
export async function findLineEnd(file: FileHandle, size: number, knownEnd = 0): Promise<number> {
  for (let end = size; end > knownEnd; end -= scanBytes) {
    const start = Math.max(knownEnd, end - scanBytes);
    const at = (await readRange(file, start, end)).lastIndexOf(newline);
    if (at >= 0) return start + at + 1;
  }
  return knownEnd;
}

/**
 * Returns the first start of a line at or after a byte of the first `end` bytes, which end with a
 * newline.
 */
export async function findLineStart(file: FileHandle, from: number, end: number): Promise<number> {
  if (from === 0) return 0;
  for (let start = from - 1; start < end; start += scanBytes) {
    const at = (await readRange(file, start, Math.min(end, start + scanBytes))).indexOf(newline);
    if (at >= 0) return start + at + 1;
  }
  return end;
}
