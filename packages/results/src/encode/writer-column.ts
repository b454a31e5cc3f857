import type { Data } from 'apache-arrow';
import { ByteSink } from './byte-sink.ts';
import type { CellWriter } from './cell-writer.ts';
import { bytesView } from './column-reader.ts';
import {
  columnBytes,
  firstBitAt,
  firstItemAt,
  kindAt,
  kindBoolean,
  kindJsonList,
  kindJsonListOfSize,
  kindReadyText,
  nullLengthAt,
  nullTextAt,
  offsetsAt,
  prefixAt,
  prefixLengthAt,
  quotedAt,
  scaleAt,
  validityAt,
  valuesAt,
  widthAt,
} from './row-writer-layout.ts';
import type { RowWriter } from './row-writer.ts';

/** A column of one batch as the row writer reads it, a range of rows at a time. */
export interface WriterColumn {
  /**
   * True if cells are preformatted to determine their size: for few rows at first, because they may
   * be large.
   */
  readonly isWrittenAside: boolean;
  /**
   * Returns an upper bound of the bytes that staging rows `[start, end)` takes, without the
   * column's description.
   */
  inputBytesMax(start: number, end: number): number;
  /** Returns an upper bound of the bytes of their cells. */
  outputBytesMax(start: number, end: number): number;
  /** Copies the rows into the writer's memory and describes them at the address `column`. */
  stage(writer: RowWriter, column: number, start: number, end: number): void;
}

/** The text format of the cells of a column. */
export interface CellText {
  readonly kind: number;
  /** True if text that is not a number is quoted. */
  readonly isQuoted: boolean;
  /** The text of a null; up to four ASCII characters. */
  readonly nullText: string;
}

/** The overhead of a piece: bits of the bytes at both ends, and the writer's rounding. */
const pieceBytes = 16;
const bitsBytesMax = (rowCount: number): number => (rowCount >> 3) + pieceBytes;
const offsetsBytesMax = (rowCount: number): number => rowCount * 4 + pieceBytes;

/** Returns a column of fixed-width values; `cellBytesMax` includes quotes. */
export function fixedColumn(
  data: Data,
  text: CellText & { readonly widthBytes: number; readonly scale?: number },
  cellBytesMax: number,
): WriterColumn {
  const values = bytesView(data);
  const { widthBytes } = text;
  const cellBytes = Math.max(cellBytesMax, text.nullText.length);
  return {
    isWrittenAside: false,
    inputBytesMax: (start, end) =>
      (end - start) * widthBytes + pieceBytes + bitsBytesMax(end - start),
    outputBytesMax: (start, end) => (end - start) * cellBytes,
    stage(writer, column, start, end) {
      describe(writer, column, text, data, start, end);
      writer.describe(column, valuesAt, writer.stage(values, start * widthBytes, end * widthBytes));
      writer.describe(column, scaleAt, text.scale ?? 0);
      writer.describe(column, widthAt, widthBytes);
    },
  };
}

/** Returns a column of booleans, which are bits. */
export function booleanColumn(data: Data, text: Omit<CellText, 'kind'>): WriterColumn {
  const bits = bytesView(data);
  return {
    isWrittenAside: false,
    inputBytesMax: (start, end) => 2 * bitsBytesMax(end - start),
    outputBytesMax: (start, end) => (end - start) * 5,
    stage(writer, column, start, end) {
      describe(writer, column, { ...text, kind: kindBoolean }, data, start, end);
      writer.describe(
        column,
        valuesAt,
        stageBits(writer, bits, data.offset + start, data.offset + end),
      );
    },
  };
}

/**
 * Returns a column of text or bytes; each byte becomes at most `expansion` bytes, plus two quotes.
 */
export function textColumn(data: Data, text: CellText, expansion: number): WriterColumn {
  const values = bytesView(data);
  const offsets = shortOffsetsOf(data);
  const lengthOf = (start: number, end: number): number =>
    ((offsets[end] ?? 0) - (offsets[start] ?? 0)) >>> 0;
  const rowBytes = Math.max(2, text.nullText.length);
  return {
    isWrittenAside: false,
    inputBytesMax: (start, end) =>
      lengthOf(start, end) + pieceBytes + offsetsBytesMax(end - start) + bitsBytesMax(end - start),
    outputBytesMax: (start, end) => lengthOf(start, end) * expansion + (end - start) * rowBytes,
    stage(writer, column, start, end) {
      describe(writer, column, text, data, start, end);
      const first = offsets[start] ?? 0;
      const address = writer.stage(values, first >>> 0, (offsets[end] ?? 0) >>> 0);
      writer.describe(column, valuesAt, address - first);
      writer.describe(column, offsetsAt, writer.stage(bytesOf(offsets), start * 4, (end + 1) * 4));
    },
  };
}

/** The text before each item of a list; the row writer replaces the first one with a bracket. */
const comma = Uint8Array.of(44);

/**
 * Returns a column of JSON arrays of the cells of `items`; with `listSize` if all have that many.
 */
export function jsonListColumn(
  data: Data,
  nullText: string,
  items: WriterColumn,
  listSize: number | undefined,
): WriterColumn {
  const offsets = listSize === undefined ? shortOffsetsOf(data) : undefined;
  const itemOf = (row: number): number => offsets?.[row] ?? row * (listSize ?? 0);
  const text = {
    kind: listSize === undefined ? kindJsonList : kindJsonListOfSize,
    isQuoted: false,
    nullText,
  };
  return {
    isWrittenAside: items.isWrittenAside,
    inputBytesMax: (start, end) =>
      columnBytes +
      2 * pieceBytes +
      offsetsBytesMax(end - start) +
      bitsBytesMax(end - start) +
      items.inputBytesMax(itemOf(start), itemOf(end)),
    outputBytesMax: (start, end) =>
      (end - start) * 4 +
      itemOf(end) -
      itemOf(start) +
      items.outputBytesMax(itemOf(start), itemOf(end)),
    stage(writer, column, start, end) {
      describe(writer, column, text, data, start, end);
      const itemColumn = writer.reserve(columnBytes);
      writer.describe(itemColumn, prefixAt, writer.stage(comma, 0, comma.length));
      writer.describe(itemColumn, prefixLengthAt, comma.length);
      items.stage(writer, itemColumn, itemOf(start), itemOf(end));
      writer.describe(column, valuesAt, itemColumn);
      if (offsets === undefined) {
        writer.describe(column, firstItemAt, 0);
        writer.describe(column, widthAt, listSize ?? 0);
        return;
      }
      writer.describe(column, firstItemAt, itemOf(start));
      writer.describe(column, offsetsAt, writer.stage(bytesOf(offsets), start * 4, (end + 1) * 4));
    },
  };
}

/**
 * Returns a column of cells that a closure writes in their final form; those of nulls are ignored.
 */
export function preformattedColumn(data: Data, nullText: string, writer: CellWriter): WriterColumn {
  const sink = new ByteSink(1024);
  const text = { kind: kindReadyText, isQuoted: false, nullText };
  let first = 0;
  let offsets = new Int32Array(1);
  // Rows are requested repeatedly with a smaller end until they fit: cells that are already written
  // are reused.
  const writeRows = (start: number, end: number): void => {
    if (start >= first && end < first + offsets.length) return;
    sink.clear();
    first = start;
    offsets = new Int32Array(end - start + 1);
    for (let row = start; row < end; row += 1) {
      sink.writeCell(writer, row);
      offsets[row - start + 1] = sink.length;
    }
  };
  const lengthOf = (start: number, end: number): number => {
    writeRows(start, end);
    return (offsets[end - first] ?? 0) - (offsets[start - first] ?? 0);
  };
  return {
    isWrittenAside: true,
    inputBytesMax: (start, end) =>
      lengthOf(start, end) + pieceBytes + offsetsBytesMax(end - start) + bitsBytesMax(end - start),
    outputBytesMax: (start, end) => lengthOf(start, end) + (end - start) * nullText.length,
    stage(rowWriter, column, start, end) {
      describe(rowWriter, column, text, data, start, end);
      const from = offsets[start - first] ?? 0;
      const address = rowWriter.stage(sink.bytes, from, from + lengthOf(start, end));
      rowWriter.describe(column, valuesAt, address - from);
      rowWriter.describe(
        column,
        offsetsAt,
        rowWriter.stage(bytesOf(offsets), (start - first) * 4, (end - first + 1) * 4),
      );
    },
  };
}

/** Describes the common part of all kinds: the kind, and the null rows. */
function describe(
  writer: RowWriter,
  column: number,
  text: CellText,
  data: Data,
  start: number,
  end: number,
): void {
  const { nullBitmap, nullCount, offset } = data;
  const hasNulls = nullCount > 0 && nullBitmap !== undefined;
  writer.describe(column, kindAt, text.kind);
  writer.describe(column, quotedAt, text.isQuoted ? 1 : 0);
  writer.describe(
    column,
    validityAt,
    hasNulls ? stageBits(writer, nullBitmap, offset + start, offset + end) : 0,
  );
  writer.describe(column, firstBitAt, (offset + start) & 7);
  writer.describe(column, nullLengthAt, text.nullText.length);
  let characters = 0;
  for (let index = 0; index < text.nullText.length; index += 1) {
    characters |= text.nullText.charCodeAt(index) << (8 * index);
  }
  writer.describe(column, nullTextAt, characters);
}

function stageBits(writer: RowWriter, bits: Uint8Array, start: number, end: number): number {
  return writer.stage(bits, start >> 3, (end + 7) >> 3);
}

/**
 * Returns 32-bit offsets; for 64-bit ones, the lower half, because the writer's addresses have no
 * more.
 */
function shortOffsetsOf(data: Data): Int32Array {
  const offsets = data.valueOffsets as Int32Array | BigInt64Array;
  return offsets instanceof Int32Array
    ? offsets
    : Int32Array.from(offsets, (offset) => Number(BigInt.asIntN(32, offset)));
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
