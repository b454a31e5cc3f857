import type { FetchLimits, StreamMessage } from '../message-stream.ts';
import { streamInvalid } from '../stream-errors.ts';
import { findLineStart, newline, readRange, withFile } from './segment-file.ts';
import type { Segment } from './topic-directory.ts';
import { readTimes } from './write-times.ts';

/** The maximum length of a line; a file with a longer line is not a stream. */
export const lineBytesMax = 64 * 1024 * 1024;

const carriageReturn = 0x0d;

interface Line {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * Returns the lines of one segment that start at or after an offset, as many as the limits allow,
 * and the next offset.
 */
export async function readLines(
  segment: Segment,
  fromOffset: number,
  limits: FetchLimits,
): Promise<{ readonly messages: readonly StreamMessage[]; readonly nextOffset: number }> {
  const { lines, nextOffset } = await withFile(segment.path, 'r', async (file) => {
    const end = segment.endOffset - segment.baseOffset;
    const start = await findLineStart(file, Math.min(fromOffset - segment.baseOffset, end), end);
    // The newline of a message does not count.
    for (let size = limits.bytesMax + 2; ; size *= 2) {
      const bytes = await readRange(file, start, Math.min(end, start + size));
      const cut = cutLines(bytes, segment.baseOffset + start, limits);
      if (cut.nextOffset > segment.baseOffset + start || bytes.byteLength < size) return cut;
      if (size > lineBytesMax) {
        throw streamInvalid(
          `The line at byte ${start} of ${segment.path} is longer than ${lineBytesMax} bytes.`,
        );
      }
    }
  });
  const times = await readTimes(
    segment,
    lines.map(({ offset }) => offset),
  );
  const messages = lines.map(({ offset, bytes }, index) => {
    return { offset, key: null, value: bytes, timestampMs: times[index] ?? null };
  });
  return { messages, nextOffset };
}

/** Returns the complete lines at the start of some bytes. */
function cutLines(
  bytes: Buffer,
  startOffset: number,
  { messagesMax, bytesMax }: FetchLimits,
): { readonly lines: readonly Line[]; readonly nextOffset: number } {
  const lines: Line[] = [];
  let at = 0;
  let takenBytes = 0;
  while (lines.length < messagesMax) {
    const end = bytes.indexOf(newline, at);
    if (end < 0) break;
    const line = bytes.subarray(at, bytes[end - 1] === carriageReturn && end > at ? end - 1 : end);
    takenBytes += line.byteLength;
    if (lines.length > 0 && takenBytes > bytesMax) break;
    if (line.byteLength > 0) lines.push({ offset: startOffset + at, bytes: line });
    at = end + 1;
  }
  return { lines, nextOffset: startOffset + at };
}
