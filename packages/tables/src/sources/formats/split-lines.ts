import { SourceProblem } from '../source-problem.ts';

const lineFeed = 10;

/** Cuts bytes into lines without holding more than one. @throws SourceProblem ROW_TOO_LONG when one has more than `rowBytesMax` bytes */
export async function* splitLines(bytes: AsyncIterable<Uint8Array>, rowBytesMax: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      length += part.length;
      if (length > rowBytesMax) throw new SourceProblem('ROW_TOO_LONG', `A line is longer than ${rowBytesMax} bytes.`);
      parts.push(part);
      if (end < 0) break;
      yield Buffer.concat(parts).toString('utf8').trim();
      [parts, length] = [[], 0];
      start = end + 1;
    }
  }
  if (length > 0) yield Buffer.concat(parts).toString('utf8').trim();
}
