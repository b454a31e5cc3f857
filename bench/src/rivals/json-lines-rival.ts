import { createReadStream } from 'node:fs';
import type { Rival } from './rival.ts';

const newLine = 10;
const blockBytes = 1024 * 1024;

/**
 * One JSON array per line, read from the start up to the page: lines are counted, and those of the
 * page are passed on unparsed.
 */
export async function openJsonLinesRival(path: string): Promise<Rival> {
  return {
    page: async ({ offset, rowCount }) => {
      const lines: Buffer[] = [];
      let line = 0;
      for await (const block of createReadStream(path, { highWaterMark: blockBytes })) {
        const bytes = block as Buffer;
        const first = skipLines(bytes, offset - line);
        const end = skipLines(bytes, offset + rowCount - line);
        if (first.position < end.position) lines.push(bytes.subarray(first.position, end.position));
        line += end.lineCount;
        if (line === offset + rowCount) break;
      }
      return asArray(Buffer.concat(lines));
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Returns the start of the line after `count` line ends, or the end of the bytes, and the number of
 * line ends before it.
 */
function skipLines(bytes: Buffer, count: number): { position: number; lineCount: number } {
  let position = 0;
  for (let lineCount = 0; lineCount < count; lineCount += 1) {
    const end = bytes.indexOf(newLine, position);
    if (end < 0) return { position: bytes.length, lineCount };
    position = end + 1;
  }
  return { position, lineCount: Math.max(0, count) };
}

/** Converts `[1]⏎[2]⏎` to `[[1],[2]]`. */
function asArray(lines: Buffer): Buffer {
  const rows = lines.subarray(0, Math.max(0, lines.length - 1));
  for (let end = rows.indexOf(newLine); end >= 0; end = rows.indexOf(newLine, end + 1)) {
    rows[end] = 44;
  }
  return Buffer.concat([Buffer.from('['), rows, Buffer.from(']')]);
}
