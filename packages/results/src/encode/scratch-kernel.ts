import { ByteSink } from './byte-sink.ts';
import type { CellWriter } from './cell-writer.ts';
import { blockRows, type ColumnKernel } from './column-kernel.ts';

/** The kernel for every kind whose width shows only when it is written: it writes aside and copies. */
export function scratchKernel(writer: CellWriter): ColumnKernel {
  const scratch = new ByteSink(blockRows * Math.max(16, writer.widthMax));
  const ends = new Int32Array(blockRows);
  const { write, widthMax, widthOf } = writer;
  return {
    measure(start, count, widths) {
      scratch.clear();
      scratch.reserve(widthMax * count);
      let position = 0;
      for (let index = 0; index < count; index += 1) {
        const row = start + index;
        if (widthOf !== undefined) {
          scratch.length = position;
          scratch.reserve(widthMax + widthOf(row));
        }
        const end = write(scratch.bytes, position, row);
        widths[index] = (widths[index] ?? 0) + end - position;
        ends[index] = end;
        position = end;
      }
      scratch.length = position;
    },
    write(_start, count, bytes, positions) {
      const source = scratch.bytes;
      let from = 0;
      for (let index = 0; index < count; index += 1) {
        const end = ends[index] ?? 0;
        let to = positions[index] ?? 0;
        if (end - from > 64) {
          bytes.set(source.subarray(from, end), to);
          to += end - from;
          from = end;
        } else {
          for (; from < end; from += 1) {
            bytes[to] = source[from] ?? 0;
            to += 1;
          }
        }
        positions[index] = to;
      }
    },
  };
}
