import { writeOfTables } from '../directory/disk-problem.ts';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { plainKinds, type PipelineRow, type PlainRowReader, type SourceValue } from '@quire/tables';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { ColumnBuffer } from './column-buffer.ts';
import type { RowFile } from './manifest.ts';
import { movedRowGroup, readRowGroups } from './row-groups.ts';
import { elementsOf } from './parquet-schema.ts';
import { instantOf, type TableShape } from './table-columns.ts';

/** The maximum number of rows that are buffered before they are written. */
const rowsOfGroup = 65_536;
/**
 * The size at which fewer rows are written as well, estimated from the lengths of texts and lists.
 */
const bytesOfGroup = 32 * 1024 * 1024;
/** The number of rows between two checks of that size. */
const rowsOfCheck = 16;

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
      schema: [
        { name: 'root', num_children: shape.columns.length },
        ...shape.columns.flatMap(elementsOf),
      ],
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
    const count = this.#groupRowCount;
    return count >= rowsOfGroup || (count % rowsOfCheck === 0 && this.#groupBytes >= bytesOfGroup);
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
      const kind = row.kinds[index];
      if (kind === plainKinds.number) column.pushNumber(row.numbers[index] ?? 0);
      else if (kind === plainKinds.ascii) {
        column.pushBytes(row.bytes, row.starts[index] ?? 0, row.ends[index] ?? 0);
      } else {
        const isNull = column.isNullable && kind === plainKinds.absent;
        column.push(isNull ? null : row.valueAt(index));
      }
    }
    this.#count(this.#timeIndex < 0 ? null : row.valueAt(this.#timeIndex));
  }

  /** Buffers a row. */
  take({ fields, nullFields }: StoredRow): void {
    for (const column of this.#columns) {
      const value = fields[column.name] ?? null;
      const isNull = value === null || (column.isNullable && nullFields.includes(column.name));
      column.push(isNull ? null : value);
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

  /** The approximate size of the rows that are not written yet. */
  get #groupBytes(): number {
    let bytes = 0;
    for (const column of this.#columns) bytes += column.sizeBytes;
    return bytes;
  }

  async #writeGroup(): Promise<void> {
    if (this.#groupRowCount === 0) return;
    const startOffset = this.#output.offset;
    const rowCount = this.#groupRowCount;
    const columns = this.#columns.map((column) => column.write(this.#output));
    this.#groupRowCount = 0;
    this.#parquet.row_groups.push({
      columns,
      num_rows: BigInt(rowCount),
      total_byte_size: columns.reduce(
        (sum, { meta_data: meta }) => sum + (meta?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(this.#output.offset - startOffset),
    });
    this.#parquet.num_rows += BigInt(rowCount);
    await this.#flush();
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
