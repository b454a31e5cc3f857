import { writeLosslessJson } from '@quire/core';
import type { RelationType } from '@quire/core/table-engine';
import type { SourceValue } from '@quire/tables';
import type { ColumnChunk, SchemaElement } from 'hyparquet';
import type { ByteWriter } from 'hyparquet-writer';
import type { Digits, RowFile } from './manifest.ts';
import { NumberValues, type NumberType } from './number-values.ts';
import { OtherValues } from './other-values.ts';
import { writePages } from './parquet-pages.ts';
import { elementsOf } from './parquet-schema.ts';
import type { TableColumn } from './table-columns.ts';
import { TextValues } from './text-values.ts';

type Present = Exclude<SourceValue, null>;

/** The values of one column that are not written yet. */
export class ColumnBuffer {
  readonly name: string;
  readonly isNullable: boolean;
  readonly #column: TableColumn;
  readonly #elements: readonly SchemaElement[];
  readonly #values: NumberValues | TextValues | OtherValues;
  readonly #digits: { integer: number; scale: number } | undefined;
  #isMalformed = false;

  constructor(column: TableColumn) {
    this.name = column.name;
    this.isNullable = column.isNullable;
    this.#column = column;
    this.#elements = elementsOf(column);
    this.#values = valuesOf(column, this.#elements);
    if (column.type === 'BIG_DECIMAL') this.#digits = { integer: 1, scale: 0 };
  }

  get digits(): Digits | undefined {
    return this.#digits;
  }

  /** True if the column is of type JSON and some value is not. */
  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** The approximate size of the values that are not written yet. */
  get sizeBytes(): number {
    return this.#values.sizeBytes;
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

  /** Adds a value; null for a row without one. @throws RangeError or TypeError */
  push(value: SourceValue): void {
    const values = this.#values;
    if (value === null) {
      if (values instanceof OtherValues) values.push(null);
      else values.pushNull();
    } else if (values instanceof NumberValues) {
      values.push(value);
    } else if (values instanceof TextValues) {
      const stored = this.#store(value);
      if (typeof stored === 'string') values.push(stored);
      else values.pushBytes(stored as Uint8Array, 0, (stored as Uint8Array).byteLength);
    } else if (this.#column.isList) {
      const elements = Array.isArray(value) ? (value as readonly SourceValue[]) : [value];
      values.push(
        elements.flatMap((element) => (element === null ? [] : [this.#storeElement(element)])),
      );
    } else {
      values.push(this.#store(value));
    }
  }

  /** Adds a number that is of the column's type already. */
  pushNumber(value: number): void {
    if (this.#values instanceof NumberValues) this.#values.pushNumber(value);
    else this.push(value);
  }

  /** Adds a text in ASCII. */
  pushBytes(bytes: Buffer, start: number, end: number): void {
    if (this.#values instanceof TextValues) this.#values.pushBytes(bytes, start, end);
    else this.push(bytes.toString('latin1', start, end));
  }

  /** Writes the values since the last call as a column of a row group. */
  write(output: ByteWriter): ColumnChunk {
    const values = this.#values;
    if (values instanceof OtherValues) return values.write(output);
    const [element = { name: this.name }] = this.#elements;
    const startOffset = output.offset;
    const metadata = writePages(output, element, values.take());
    return { file_offset: BigInt(startOffset), meta_data: metadata };
  }

  /** Returns an element of a list as the Parquet library takes it. */
  #storeElement(value: Present): unknown {
    const { type } = this.#column;
    if (type === 'LONG') return BigInt(value as number);
    return type === 'TIMESTAMP' ? BigInt(Math.trunc(Number(value))) : this.#store(value);
  }

  /** Returns a value as text if the column's type is stored as text, otherwise unchanged. */
  #store(value: Present): Present {
    const { type } = this.#column;
    // Values that were not text before are written as JSON.
    if (type === 'JSON' && typeof value === 'string' && !this.#isMalformed) {
      this.#isMalformed = !isJson(value);
    }
    const stored = isTextual(type) ? textOf(value, type) : value;
    if (this.#digits !== undefined) noteDigits(this.#digits, stored as string);
    return stored;
  }
}

function valuesOf(
  { type, isList }: TableColumn,
  elements: readonly SchemaElement[],
): NumberValues | TextValues | OtherValues {
  if (isList || type === 'BOOLEAN') return new OtherValues(elements);
  return type === 'BYTES' || isTextual(type)
    ? new TextValues()
    : new NumberValues(type as NumberType);
}

function isTextual(type: RelationType): boolean {
  return type === 'STRING' || type === 'BIG_DECIMAL' || type === 'JSON' || type === 'MAP';
}

function textOf(value: Present, type: RelationType): string {
  if (typeof value === 'string') return value;
  const isJsonText = type === 'JSON' || type === 'MAP' || typeof value === 'object';
  return isJsonText ? writeLosslessJson(value) : String(value);
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
