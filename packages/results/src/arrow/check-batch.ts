import { DataType, type Field, type Schema, Type } from 'apache-arrow';
import { QuireError } from '@quire/core';
import { type ArrowBatch, type ArrowColumn, type ArrowType, isValidAt } from './arrow-input.ts';
import type { ColumnBatch } from './column-batch.ts';
import { byteWidthOf } from './column-type.ts';
import { isStoredAs } from './stored-schema.ts';

/** Dictionaries that passed the check: a source usually has the same one in every batch. */
type CheckedDictionaries = WeakSet<object>;

/** Checks the batches of one source against its schema before any byte of them is written. */
export class BatchChecker {
  readonly #schema: Schema;
  readonly #dictionaries: CheckedDictionaries = new WeakSet();

  /**
   * Creates a checker.
   *
   * @param schema a stored schema (`storedSchemaOf`)
   */
  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * Returns the columns of a batch after checking them against the schema.
   *
   * Names, order, types and lengths must match. Nulls must be allowed, and buffers must be as long
   * as lengths and last offsets require.
   *
   * @throws INVALID_BATCH when they do not match, with the column's name
   */
  check(batch: ArrowBatch): ColumnBatch<ArrowColumn> {
    const { length: rowCount, children: columns, type } = batch.data;
    const { fields } = this.#schema;
    const names = (type.children ?? []).map(({ name }) => name);
    for (const [index, field] of fields.entries()) {
      const column = columns[index];
      if (column === undefined) throw invalid(field.name, 'is in the schema, but not in a batch');
      const name = names[index] ?? field.name;
      if (name !== field.name) {
        throw invalid(
          field.name,
          `is column ${index} of the schema, but the batch has '${name}' at that position`,
        );
      }
      if (column.length !== rowCount) {
        throw invalid(field.name, `has ${column.length} rows in a batch of ${rowCount}`);
      }
      checkColumn(field, column, field.name, this.#dictionaries);
    }
    if (columns.length > fields.length) {
      throw invalid(
        names[fields.length] ?? String(fields.length),
        'is in a batch, but not in the schema',
      );
    }
    return { rowCount, columns, release: () => batch[Symbol.dispose]?.() };
  }
}

function checkColumn(
  field: Field,
  column: ArrowColumn,
  path: string,
  dictionaries: CheckedDictionaries,
  parent?: Parent,
): void {
  const type = field.type as DataType;
  if (!isStoredAs(column.type, type)) {
    throw invalid(
      path,
      `is ${describe(type)} in the schema, but ${describe(column.type)} in a batch`,
    );
  }
  checkNulls(field, column, path, parent);
  if (column.type.typeId === (Type.Dictionary as number)) {
    checkDictionary(field, column, path, dictionaries);
  } else checkValues(type, column, path, dictionaries);
}

/** The parent column, and the parent row of each row; -1 for none. */
interface Parent {
  readonly column: ArrowColumn;
  readonly rowOf: (row: number) => number;
}

function checkNulls(
  field: Field,
  column: ArrowColumn,
  path: string,
  parent: Parent | undefined,
): void {
  if (DataType.isNull(field.type)) return;
  const { nullCount, nullBitmap, offset, length } = column;
  if (nullCount === 0) return;
  const neededBytes = Math.ceil((offset + length) / 8);
  const bitmapBytes = nullBitmap?.byteLength ?? 0;
  if (bitmapBytes < neededBytes) {
    throw invalid(path, `has a validity bitmap of ${bitmapBytes} bytes; expected ${neededBytes}`);
  }
  if (field.nullable) return;
  for (let row = 0; row < length; row += 1) {
    // Values in a null row of the parent are ignored.
    if (isValidAt(column, row) || (parent !== undefined && !isSeen(parent, row))) continue;
    throw invalid(path, 'has a null in a batch, but is not nullable in the schema');
  }
}

function isSeen({ column, rowOf }: Parent, row: number): boolean {
  const parentRow = rowOf(row);
  return parentRow >= 0 && isValidAt(column, parentRow);
}

function checkDictionary(
  field: Field,
  column: ArrowColumn,
  path: string,
  dictionaries: CheckedDictionaries,
): void {
  const { length, dictionary } = column;
  const indexes = (column.values ?? []) as ArrayLike<number | bigint>;
  if (indexes.length < length) {
    throw invalid(path, `has ${indexes.length} indexes in a batch; expected ${length}`);
  }
  const chunks = dictionary?.data ?? [];
  let size = 0;
  for (const chunk of chunks) {
    size += chunk.length;
    if (dictionaries.has(chunk)) continue;
    // An index may be null where the dictionary's value is not, and vice versa.
    checkColumn(field.clone({ nullable: true }), chunk, path, dictionaries);
    if (!field.nullable && chunk.nullCount > 0) {
      throw invalid(path, 'has a null in its dictionary, but is not nullable in the schema');
    }
    dictionaries.add(chunk);
  }
  for (let row = 0; row < length; row += 1) {
    const index = Number(indexes[row]);
    if (!(index >= 0 && index < size) && isValidAt(column, row)) {
      throw invalid(
        path,
        `has index ${index} in row ${row} of a batch, into a dictionary of ${size} values`,
      );
    }
  }
}

function checkValues(
  type: DataType,
  column: ArrowColumn,
  path: string,
  dictionaries: CheckedDictionaries,
): void {
  const { length, offset, children } = column;
  const childOf = (index: number, lengthMin: number, rowOf: Parent['rowOf']): void => {
    const child = children[index];
    const field = (type.children as readonly Field[])[index] as Field;
    const childPath = `${path}.${field.name}`;
    if (child === undefined || child.length < lengthMin) {
      throw invalid(childPath, `has ${child?.length ?? 0} rows in a batch; expected ${lengthMin}`);
    }
    checkColumn(field, child, childPath, dictionaries, { column, rowOf });
  };
  const byteWidth = byteWidthOf(type);
  if (DataType.isNull(type) || length === 0) return;
  if (byteWidth !== undefined) bufferOf(column.values, path, 'values', length * byteWidth);
  else if (DataType.isBool(type)) {
    bufferOf(column.values, path, 'values', Math.ceil((offset + length) / 8));
  } else if (DataType.isStruct(type)) {
    for (const index of type.children.keys()) childOf(index, length, (row) => row);
  } else if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    childOf(0, length * listSize, (row) => Math.floor(row / listSize));
  } else {
    const isLarge =
      DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
    const offsets = offsetsOf(column, path, isLarge ? 8 : 4);
    // The offsets in between are checked when `assembleColumn` copies them: a second pass would
    // take an extra tenth of that time.
    const end = Number(offsets[length]);
    if ((type.children as readonly Field[] | null | undefined)?.[0] === undefined) {
      bufferOf(column.values, path, 'values', end);
    } else childOf(0, end, (row) => rowWithValue(offsets, length, row));
  }
}

type Offsets = Int32Array | BigInt64Array;

function offsetsOf({ valueOffsets, length }: ArrowColumn, path: string, width: 4 | 8): Offsets {
  const offsets = bufferOf(valueOffsets, path, 'offsets', (length + 1) * width) as Offsets;
  if (offsets.BYTES_PER_ELEMENT === width) return offsets;
  throw invalid(
    path,
    `has offsets of ${offsets.BYTES_PER_ELEMENT} bytes in a batch; expected ${width}`,
  );
}

/**
 * Returns the row that value `value` belongs to, by bisection; -1 if it is before the first row or
 * after the last.
 */
function rowWithValue(offsets: Offsets, length: number, value: number): number {
  if (value < Number(offsets[0]) || value >= Number(offsets[length])) return -1;
  let [low, high] = [0, length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (Number(offsets[middle]) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function bufferOf(
  buffer: unknown,
  path: string,
  what: string,
  sizeBytesMin: number,
): ArrayBufferView {
  const sizeBytes = ArrayBuffer.isView(buffer) ? buffer.byteLength : 0;
  if (ArrayBuffer.isView(buffer) && sizeBytes >= sizeBytesMin) return buffer;
  if (sizeBytesMin === 0) return new Uint8Array(0);
  throw invalid(path, `has ${sizeBytes} bytes of ${what} in a batch; expected ${sizeBytesMin}`);
}

/** Returns the name of a type, which is the same in all copies of apache-arrow. */
function describe(type: ArrowType): string {
  return type.toString();
}

function invalid(column: string, what: string): QuireError {
  return new QuireError(
    'INVALID_BATCH',
    `Column '${column}' ${what}; nothing of the result is stored.`,
  );
}
