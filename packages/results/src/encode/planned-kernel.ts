import type { CellWriter } from './cell-writer.ts';
import { blockRows, type ColumnKernel, type Validity } from './column-kernel.ts';
import { writeAscii } from './write-number.ts';

const quote = 34;

/** How a kind of value whose text has a plain form most of the time is written. */
export interface CellPlan {
  /** Bytes of the plain text of a row's value, without quotes; negative when it has no plain form. Remembers it under `index`. */
  plan(row: number, index: number): number;
  /** Writes the text planned under `index`; returns the position behind it. */
  emit(bytes: Uint8Array, position: number, index: number): number;
}

export interface PlannedKernelOptions {
  /** Whether the text stands within quotes. */
  readonly isQuoted: boolean;
  readonly isValid: Validity;
  readonly nullText: string;
  /** Writes a value that has no plain form, quotes included. */
  readonly slow: CellWriter;
}

/** The kernel for a kind that has a plan: each value is taken apart once, when it is measured. */
export function plannedKernel(plan: CellPlan, { isQuoted, isValid, nullText, slow }: PlannedKernelOptions): ColumnKernel {
  /** Texts of what is null or has no plain form, by index in the block. */
  const texts = new Map<number, string>();
  const scratch = new Uint8Array(slow.widthMax);
  const quoteBytes = isQuoted ? 2 : 0;
  const slowText = (row: number): string => Buffer.from(scratch.subarray(0, slow.write(scratch, 0, row))).toString('latin1');
  return {
    measure(start, count, widths) {
      texts.clear();
      for (let index = 0; index < count; index += 1) {
        const row = start + index;
        const isNull = isValid !== undefined && !isValid(row);
        const planned = isNull ? -1 : plan.plan(row, index);
        const width = planned < 0 ? setText(texts, index, isNull ? nullText : slowText(row)) : planned + quoteBytes;
        widths[index] = (widths[index] ?? 0) + width;
      }
    },
    write(_start, count, bytes, positions) {
      for (let index = 0; index < count; index += 1) {
        let position = positions[index] ?? 0;
        const text = texts.size === 0 ? undefined : texts.get(index);
        if (text !== undefined) position = writeAscii(bytes, position, text);
        else if (isQuoted) {
          bytes[position] = quote;
          position = plan.emit(bytes, position + 1, index);
          bytes[position] = quote;
          position += 1;
        } else position = plan.emit(bytes, position, index);
        positions[index] = position;
      }
    },
  };
}

function setText(texts: Map<number, string>, index: number, text: string): number {
  texts.set(index, text);
  return text.length;
}

/** Numbers remembered for a block. */
export function blockNumbers(): Float64Array {
  return new Float64Array(blockRows);
}
