/**
 * The part of an Arrow schema that results use. Schemas and batches of any copy of apache-arrow
 * satisfy these interfaces, whatever its version and module kind. Classes are never checked,
 * because each copy of a library has its own.
 */
export interface ArrowSchema {
  readonly fields: readonly ArrowField[];
  readonly metadata: ReadonlyMap<string, string>;
}

/** A column of a schema in any version of apache-arrow. */
export interface ArrowField {
  readonly name: string;
  readonly nullable: boolean;
  readonly metadata: ReadonlyMap<string, string>;
  readonly type: ArrowType;
}

/**
 * A type by its number in the format (https://github.com/apache/arrow/blob/main/format/Schema.fbs),
 * with its parameters.
 */
export interface ArrowType {
  readonly typeId: number;
  toString(): string;
  readonly children?: readonly ArrowField[] | null;
}

/** Rows: `data` is a struct whose children are the columns. */
export interface ArrowBatch {
  readonly data: ArrowColumn;
  /**
   * Called once the rows are encoded and the columns are no longer read: the source may then reuse
   * their memory.
   */
  [Symbol.dispose]?(): void;
}

/**
 * Rows `[offset, offset + length)` of the validity bitmap and of booleans, and rows `[0, length)`
 * of all other buffers.
 */
export interface ArrowColumn {
  readonly type: ArrowType;
  readonly length: number;
  readonly offset: number;
  readonly nullCount: number;
  readonly nullBitmap?: Uint8Array | null | undefined;
  readonly values?: unknown;
  readonly valueOffsets?: unknown;
  readonly children: readonly ArrowColumn[];
  readonly dictionary?: { readonly data: readonly ArrowColumn[] } | null | undefined;
}

/** Reports whether a row of a column is not null. */
export function isValidAt({ nullBitmap, nullCount, offset }: ArrowColumn, row: number): boolean {
  if (nullCount === 0 || nullBitmap === undefined || nullBitmap === null) return true;
  const bit = offset + row;
  return (((nullBitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}
