import { writeOfTables } from '../directory/full-disk.ts';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { crc32, zstdCompressSync } from 'node:zlib';
import { plainKinds, type PipelineRow, type PlainRowReader, type SourceValue } from '@quire/tables';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import type { Digits, RowFile } from './manifest.ts';
import { movedRowGroup, readRowGroups } from './row-groups.ts';
import { instantOf, type TableColumn, type TableShape } from './table-columns.ts';
import type { RelationType } from '@quire/core/table-engine';
import { writeLosslessJson } from '@quire/core';
import type { SchemaElement } from 'hyparquet';

/** The maximum number of rows that are buffered before they are written. */
const rowsOfGroup = 65_536;
/**
 * The size at which fewer rows are written as well, estimated from the lengths of texts and lists.
 */
const bytesOfGroup = 32 * 1024 * 1024;

type StoredRow = Pick<PipelineRow, 'fields' | 'nullFields'>;

/** Writes rows to a Parquet file, one group at a time. The file is used once a record names it. */
export class RowFileWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #fileName: string;
  readonly #handle: FileHandle;
  readonly #shape: TableShape;
  readonly #columns: readonly ColumnBuffer[];
  /** The index of the time column; -1 for none. */
  readonly #timeIndex: number;
  readonly #output: ByteWriter;
  readonly #parquet: ParquetWriter;
  #rowCount = 0;
  #groupRowCount = 0;
  #groupBytes = 0;
  #sizeBytes = 0;
  #checksum = 0;
  #minTimeMs = Infinity;
  #maxTimeMs = -Infinity;
  #isFinished = false;

  private constructor(path: string, fileName: string, handle: FileHandle, shape: TableShape) {
    this.#path = path;
    this.#fileName = fileName;
    this.#handle = handle;
    this.#shape = shape;
    this.#columns = shape.columns.map((column) => new ColumnBuffer(column));
    this.#timeIndex = shape.columns.findIndex(({ name }) => name === shape.time?.name);
    this.#output = Object.assign(new ByteWriter(), {
      flush: () => this.#flush(),
      finish: () => this.#flush(),
    });
    this.#parquet = new ParquetWriter({
      writer: this.#output,
      schema: parquetSchemaOf(shape.columns),
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      createdBy: 'quire',
    });
  }

  /** Creates the file, which must not exist. */
  static async create(path: string, fileName: string, shape: TableShape): Promise<RowFileWriter> {
    return new RowFileWriter(
      path,
      fileName,
      await writeOfTables(() => open(path, 'wx', 0o640)),
      shape,
    );
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** The approximate size of all rows so far, before compression. */
  get sizeBytes(): number {
    return this.#sizeBytes + this.#groupBytes;
  }

  /** True if `flush` is due. */
  get isFull(): boolean {
    return this.#groupRowCount >= rowsOfGroup || this.#groupBytes >= bytesOfGroup;
  }

  async write(rows: readonly StoredRow[]): Promise<void> {
    for (const row of rows) {
      this.take(row);
      if (this.isFull) await this.flush();
    }
  }

  /** Writes the rows so far as a row group. */
  async flush(): Promise<void> {
    await this.#writeGroup();
  }

  /**
   * Copies the groups of a finished file unchanged, which costs almost nothing.
   *
   * @returns false if they cannot be copied; then their rows must be written one by one
   */
  async appendFile(path: string, file: RowFile): Promise<boolean> {
    const groups = await readRowGroups(path, this.#parquet.schema);
    if (groups === undefined) return false;
    await this.#writeGroup();
    for (const stored of groups) {
      this.#parquet.row_groups.push(movedRowGroup(stored, this.#output.offset));
      this.#parquet.num_rows += stored.group.num_rows;
      this.#output.appendBytes(stored.bytes);
      await this.#flush();
    }
    this.#rowCount += file.rowCount;
    this.#minTimeMs = Math.min(this.#minTimeMs, file.minTimeMs ?? Infinity);
    this.#maxTimeMs = Math.max(this.#maxTimeMs, file.maxTimeMs ?? -Infinity);
    for (const column of this.#columns) column.appendFile(file);
    return true;
  }

  /** Makes the file durable. */
  async finish(): Promise<RowFile> {
    await this.#writeGroup();
    await this.#parquet.finish();
    await writeOfTables(() => this.#handle.sync());
    await this.#handle.close();
    this.#isFinished = true;
    return {
      file: this.#fileName,
      rowCount: this.#rowCount,
      sizeBytes: this.#sizeBytes,
      checksum: String(this.#checksum),
      columnNames: this.#columns.map(({ name }) => name),
      digits: Object.fromEntries(
        this.#columns.flatMap(({ name, digits }) => (digits === undefined ? [] : [[name, digits]])),
      ),
      malformedColumnNames: this.#columns.flatMap(({ name, isMalformed }) =>
        isMalformed ? [name] : [],
      ),
      minTimeMs: Number.isFinite(this.#minTimeMs) ? this.#minTimeMs : null,
      maxTimeMs: Number.isFinite(this.#maxTimeMs) ? this.#maxTimeMs : null,
    };
  }

  /** Removes the file unless it was finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#handle.close();
    await unlink(this.#path);
  }

  /** Buffers the row that a reader has read last. The columns must be those of the file. */
  takePlain(row: PlainRowReader): void {
    for (let index = 0; index < this.#columns.length; index += 1) {
      const column = this.#columns[index];
      if (column === undefined) continue;
      const isNull = column.isNullable && row.kinds[index] === plainKinds.absent;
      this.#groupBytes += column.push(isNull ? null : row.valueAt(index));
    }
    this.#count(this.#timeIndex < 0 ? null : row.valueAt(this.#timeIndex));
  }

  /** Buffers a row. */
  take({ fields, nullFields }: StoredRow): void {
    for (const column of this.#columns) {
      const value = fields[column.name] ?? null;
      const isNull = value === null || (column.isNullable && nullFields.includes(column.name));
      this.#groupBytes += column.push(isNull ? null : value);
    }
    const { time } = this.#shape;
    this.#count(time === undefined ? null : (fields[time.name] ?? null));
  }

  /** Counts a row with this value of the time column. */
  #count(timeValue: SourceValue): void {
    this.#rowCount += 1;
    this.#groupRowCount += 1;
    const { time } = this.#shape;
    const timeMs = time === undefined ? null : instantOf(timeValue, time);
    if (timeMs === null) return;
    this.#minTimeMs = Math.min(this.#minTimeMs, timeMs);
    this.#maxTimeMs = Math.max(this.#maxTimeMs, timeMs);
  }

  async #writeGroup(): Promise<void> {
    if (this.#groupRowCount === 0) return;
    const columnData = this.#columns.map((column) => column.take());
    const rowGroupSize = this.#groupRowCount;
    [this.#groupRowCount, this.#groupBytes] = [0, 0];
    await this.#parquet.write({ columnData, rowGroupSize });
  }

  async #flush(): Promise<void> {
    const bytes = this.#output.getBytes();
    this.#checksum = crc32(bytes, this.#checksum);
    for (let written = 0; written < bytes.byteLength;) {
      const { bytesWritten } = await writeOfTables(() => this.#handle.write(bytes, written));
      written += bytesWritten;
    }
    this.#sizeBytes += bytes.byteLength;
    this.#output.index = 0;
  }
}

/** The values of one column that are not written yet. */
class ColumnBuffer {
  readonly name: string;
  readonly isNullable: boolean;
  readonly #column: TableColumn;
  readonly #store: (value: Exclude<SourceValue, null>) => unknown;
  #values: unknown[] = [];
  #hasNegativeZero = false;
  readonly #digits: { integer: number; scale: number } | undefined;
  #isMalformed = false;

  constructor(column: TableColumn) {
    this.name = column.name;
    this.isNullable = column.isNullable;
    this.#column = column;
    this.#store = storedValues(column.type);
    if (column.type === 'BIG_DECIMAL') this.#digits = { integer: 1, scale: 0 };
  }

  get digits(): Digits | undefined {
    return this.#digits;
  }

  /** True if the column is of type JSON and some value is not. */
  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** Adopts the metadata of a file whose groups are copied. */
  appendFile({ digits, malformedColumnNames }: RowFile): void {
    const known = digits[this.name];
    if (this.#digits !== undefined && known !== undefined) {
      this.#digits.integer = Math.max(this.#digits.integer, known.integer);
      this.#digits.scale = Math.max(this.#digits.scale, known.scale);
    }
    this.#isMalformed ||= malformedColumnNames.includes(this.name);
  }

  /** Adds a value and returns its approximate size in bytes. */
  push(value: SourceValue): number {
    if (value === null) {
      this.#values.push(null);
      return 1;
    }
    if (!this.#column.isList) return this.#pushStored(this.#values, value);
    const elements = Array.isArray(value) ? (value as readonly SourceValue[]) : [value];
    const list: unknown[] = [];
    let bytes = 0;
    for (const element of elements) if (element !== null) bytes += this.#pushStored(list, element);
    this.#values.push(list);
    return bytes;
  }

  /** Returns the values since the last call, as a column of a row group. */
  take(): ColumnSource {
    const data = this.#values;
    const hasNegativeZero = this.#hasNegativeZero;
    this.#values = [];
    this.#hasNegativeZero = false;
    // The writer's dictionaries treat -0 as 0.
    return { name: this.name, data, ...(hasNegativeZero && { encoding: 'PLAIN' }) };
  }

  #pushStored(values: unknown[], value: Exclude<SourceValue, null>): number {
    const stored = this.#store(value);
    values.push(stored);
    if (stored === 0 && Object.is(stored, -0)) this.#hasNegativeZero = true;
    // Values that were not text before have been written as JSON.
    if (this.#column.type === 'JSON' && typeof value === 'string' && !this.#isMalformed) {
      this.#isMalformed = !isJson(value);
    }
    if (this.#digits !== undefined) noteDigits(this.#digits, stored as string);
    return typeof stored === 'string'
      ? stored.length
      : stored instanceof Uint8Array
        ? stored.byteLength
        : 8;
  }
}

function noteDigits(digits: { integer: number; scale: number }, text: string): void {
  const point = text.indexOf('.');
  const sign = text.startsWith('-') ? 1 : 0;
  digits.integer = Math.max(digits.integer, (point < 0 ? text.length : point) - sign);
  digits.scale = Math.max(digits.scale, point < 0 ? 0 : text.length - point - 1);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

type Primitive = Pick<SchemaElement, 'type' | 'converted_type'>;

const primitives: Readonly<Record<RelationType, Primitive>> = {
  INT: { type: 'INT32' },
  LONG: { type: 'INT64' },
  FLOAT: { type: 'FLOAT' },
  DOUBLE: { type: 'DOUBLE' },
  BIG_DECIMAL: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  BOOLEAN: { type: 'BOOLEAN' },
  TIMESTAMP: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  JSON: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  BYTES: { type: 'BYTE_ARRAY' },
  MAP: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/**
 * Returns the schema of a Parquet file with these columns. A list has three levels, as the Parquet
 * format requires.
 */
function parquetSchemaOf(columns: readonly TableColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap(({ name, type, isList }): SchemaElement[] =>
      isList
        ? [
            { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
            { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
            { name: 'element', repetition_type: 'OPTIONAL', ...primitives[type] },
          ]
        : [{ name, repetition_type: 'OPTIONAL', ...primitives[type] }],
    ),
  ];
}

/**
 * Returns the function that converts values of the pipeline to those that the Parquet writer takes.
 */
function storedValues(type: RelationType): (value: Exclude<SourceValue, null>) => unknown {
  switch (type) {
    case 'LONG':
      return (value) => BigInt(value as number);
    case 'TIMESTAMP':
      return (value) => BigInt(Math.trunc(Number(value)));
    case 'JSON':
    case 'MAP':
      return (value) => (typeof value === 'string' ? value : writeLosslessJson(value));
    case 'BIG_DECIMAL':
    case 'STRING':
      return String;
    case 'INT':
    case 'FLOAT':
    case 'DOUBLE':
    case 'BOOLEAN':
    case 'BYTES':
      return (value) => value;
  }
}
