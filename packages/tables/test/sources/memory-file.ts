import type { SourceFile, SourceRow } from '../../src/index.ts';
import { previewLimits } from '../../src/preview/sample.ts';
import { ByteBudget, SourceProblem } from '../../src/sources/source-file.ts';
import { openRows } from '../../src/sources/formats/read-rows.ts';
import type { RowReading } from '../../src/sources/formats/row-reading.ts';

/** A file that is generated while it is read, and counts the bytes that are read. */
export class MadeFile implements SourceFile {
  readonly uri: string;
  readonly sizeBytes: number;
  readonly #chunks: () => Iterable<Uint8Array>;
  readBytes = 0;

  constructor(uri: string, sizeBytes: number, chunks: () => Iterable<Uint8Array>) {
    this.uri = uri;
    this.sizeBytes = sizeBytes;
    this.#chunks = chunks;
  }

  async *read({ range }: Parameters<SourceFile['read']>[0]): AsyncGenerator<Uint8Array> {
    let position = 0;
    for (const chunk of this.#chunks()) {
      const [start, end] = [
        Math.max((range?.start ?? 0) - position, 0),
        Math.min((range?.end ?? Infinity) - position, chunk.length),
      ];
      if (start < end) {
        this.readBytes += end - start;
        yield chunk.subarray(start, end);
      }
      position += chunk.length;
      if (position >= (range?.end ?? Infinity)) return;
    }
  }
}

/** Creates a file of these bytes, which is read in chunks of one size. */
export function fileOf(uri: string, content: string | Uint8Array, chunkBytes = 7): MadeFile {
  const bytes = Buffer.from(content);
  return new MadeFile(uri, bytes.length, function* chunks() {
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      yield bytes.subarray(start, start + chunkBytes);
    }
  });
}

/** Returns the rows of a file, and the reason if reading ended early. */
export async function readFileRows(file: SourceFile, options: Partial<RowReading> = {}) {
  const rows: SourceRow[] = [];
  const problems: string[] = [];
  const reading: RowReading = {
    file,
    rowsMax: 1000,
    rowBytesMax: previewLimits.rowBytesMax,
    digitsMax: previewLimits.digitsMax,
    budget: new ByteBudget(previewLimits.bytesMax),
    signal: new AbortController().signal,
    csv: {},
    onProblem: (code) => problems.push(code),
    ...options,
  };
  try {
    const opened = await openRows(reading, undefined);
    for await (const row of opened.rows) rows.push(row);
  } catch (error) {
    if (!(error instanceof SourceProblem)) throw error;
    problems.push(error.code);
  }
  return { rows, problems };
}
