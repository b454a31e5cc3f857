import type { NewMessage } from '../message-producer.ts';
import { lineBytesMax } from './read-lines.ts';
import { findLineEnd, readRange, type SegmentFile, withFile } from './segment-file.ts';
import { appendTime } from './write-times.ts';

const newlineBytes = Buffer.from('\n');

/**
 * Appends messages as lines, in one write, to a file whose last line is whole. Where that fails,
 * whole lines that came in stay.
 */
export async function appendLines(
  segment: SegmentFile,
  endOffset: number,
  messages: readonly NewMessage[],
  nowMs: number,
): Promise<void> {
  await appendTime(segment, { offset: endOffset, timeMs: nowMs });
  await withFile(segment.path, 'a', async (file) => {
    try {
      await file.appendFile(Buffer.concat(messages.flatMap(({ value }) => [value, newlineBytes])));
    } catch (error) {
      // A full disk takes a part; readers may have seen the whole lines of it.
      await repairTail(segment.path);
      throw error;
    }
  });
}

/**
 * Ends a file with a whole line, and tells its size. See `FileProducer` for what becomes of a line
 * without a newline.
 */
export async function repairTail(path: string): Promise<number> {
  return await withFile(path, 'a+', async (file) => {
    const { size } = await file.stat();
    const end = await findLineEnd(file, size);
    if (end === size) return size;
    if (size - end <= lineBytesMax && isObject((await readRange(file, end, size)).toString())) {
      await file.appendFile(newlineBytes);
      return size + 1;
    }
    await file.truncate(end);
    return end;
  });
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
