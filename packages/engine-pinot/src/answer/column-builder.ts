import { QuireError } from '@quire/core';
import { Data, DataType, type Field } from 'apache-arrow';
import { GrowingBytes } from './growing-bytes.ts';
import type { JsonBytes } from './json-bytes.ts';
import { parseTimestamp } from './parse-timestamp.ts';

type Numbers = Int32Array | Float32Array | Float64Array | BigInt64Array;

/** A typed array that grows to the index that is written. */
class GrowingArray<Values extends Numbers> {
  values: Values;
  readonly #create: (length: number) => Values;

  constructor(create: (length: number) => Values, capacity: number) {
    this.#create = create;
    this.values = create(capacity);
  }

  set(index: number, value: Values extends BigInt64Array ? bigint : number): void {
    if (index >= this.values.length) this.grow(index);
    (this.values as { [index: number]: number | bigint })[index] = value;
  }

  grow(index: number): void {
    const larger = this.#create(Math.max(index + 1, this.values.length * 2));
    (larger as Float64Array).set(this.values as Float64Array);
    this.values = larger;
  }

  /** Returns the first `length` values, as a copy. */
  finish(length: number): Values {
    return this.values.slice(0, length) as Values;
  }
}

/** Collects the cells of one column, and returns them as Arrow. */
export interface ColumnBuilder {
  append(json: JsonBytes): void;
  finish(): Data;
}

const noBytes = new Uint8Array(0);
const [openBrace, closeBrace, openBracket, closeBracket, colon, comma] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c,
];

/** The encoding of the bytes in lists of BYTES, which differs between releases of Apache Pinot. */
export type BytesText = 'hex' | 'base64';

/**
 * @param bytesText for lists only: single values are hexadecimal in every release
 * @param cells the initial number of cells
 */
export function columnBuilder(field: Field, bytesText: BytesText, cells: number): ColumnBuilder {
  const type = field.type as DataType;
  if (DataType.isInt(type)) {
    return type.bitWidth === 32 ? intBuilder(field, cells) : longBuilder(field, cells);
  }
  if (DataType.isFloat(type)) {
    return floatBuilder(field, type.ArrayType as typeof Float32Array | typeof Float64Array, cells);
  }
  if (DataType.isBool(type)) return booleanBuilder(field);
  if (DataType.isTimestamp(type)) return timestampBuilder(field, cells);
  if (DataType.isList(type)) {
    return listBuilder(field, type.children[0] as Field, bytesText, cells);
  }
  if (DataType.isMap(type)) return mapBuilder(field, type.children[0] as Field, cells);
  if (DataType.isBinary(type)) return bytesBuilder(field, cells);
  return textBuilder(field, cells);
}

/** The validity and the number of cells. */
class Validity {
  length = 0;
  nullCount = 0;
  #bitmap = new Uint8Array(64);

  add(isValid: boolean): void {
    const index = this.length;
    if (index >> 3 >= this.#bitmap.length) {
      const larger = new Uint8Array(this.#bitmap.length * 2);
      larger.set(this.#bitmap);
      this.#bitmap = larger;
    }
    if (isValid) this.#bitmap[index >> 3] = (this.#bitmap[index >> 3] ?? 0) | (1 << (index & 7));
    else this.nullCount += 1;
    this.length += 1;
  }

  bitmap(): Uint8Array {
    return this.nullCount === 0 ? noBytes : this.bits();
  }

  /** Returns the bits. Columns of booleans use it for their values as well. */
  bits(): Uint8Array {
    return this.#bitmap.slice(0, Math.ceil(this.length / 8));
  }
}

interface Buffers {
  readonly valueOffsets?: Int32Array;
  readonly values?: ArrayBufferView;
  readonly children?: Data[];
}

function dataOf(
  field: Field,
  validity: Validity,
  { valueOffsets, values, children }: Buffers,
): Data {
  // The numbers are Arrow's buffer types: offsets, values, validity.
  return new Data(
    field.type as DataType,
    0,
    validity.length,
    validity.nullCount,
    { 0: valueOffsets, 1: values, 2: validity.bitmap() },
    children,
  );
}

type Read = (json: JsonBytes, row: number) => void;

/** Builds a column of values of a fixed width, including null. */
function fixedWidthBuilder(
  field: Field,
  read: Read,
  values: (length: number) => ArrayBufferView,
): ColumnBuilder {
  const validity = new Validity();
  return {
    append: (json) => {
      const isValid = !json.takeNull();
      if (isValid) read(json, validity.length);
      validity.add(isValid);
    },
    finish: () => dataOf(field, validity, { values: values(validity.length) }),
  };
}

function intBuilder(field: Field, cells: number): ColumnBuilder {
  const column = new GrowingArray((length) => new Int32Array(length), cells);
  const read: Read = (json, row) => {
    const short = json.takeShortNumber();
    if ((short | 0) === short) return column.set(row, short);
    const text = Number.isNaN(short) ? json.readNumber() : String(short);
    const value = Number(text);
    if ((value | 0) !== value) throw notOfType(field, text);
    return column.set(row, value);
  };
  return fixedWidthBuilder(field, read, (length) => padded(column, length));
}

function longBuilder(field: Field, cells: number): ColumnBuilder {
  const column = new GrowingArray((length) => new BigInt64Array(length), cells);
  const set = safeIntegerSetter(column);
  const read: Read = (json, row) => {
    const short = json.takeShortNumber();
    if (Number.isInteger(short)) return set(row, short);
    const text = Number.isNaN(short) ? json.readNumber() : String(short);
    if (text.length > 15) return column.set(row, parseLong(field, text));
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw notOfType(field, text);
    return set(row, value);
  };
  return fixedWidthBuilder(field, read, (length) => padded(column, length));
}

/**
 * Writes integers that a double represents exactly as two 32-bit halves; a bigint for each would
 * take most of the time.
 */
function safeIntegerSetter(
  column: GrowingArray<BigInt64Array>,
): (row: number, value: number) => void {
  let words = new Int32Array(column.values.buffer);
  return (row, value) => {
    if (row >= column.values.length) column.grow(row);
    if (words.buffer !== column.values.buffer) words = new Int32Array(column.values.buffer);
    words[row * 2] = value % 2 ** 32;
    words[row * 2 + 1] = Math.floor(value / 2 ** 32);
  };
}

function parseLong(field: Field, text: string): bigint {
  if (!/^-?\d{1,19}$/.test(text)) throw notOfType(field, text);
  const value = BigInt(text);
  if (BigInt.asIntN(64, value) !== value) throw notOfType(field, text);
  return value;
}

function floatBuilder(
  field: Field,
  Values: typeof Float32Array | typeof Float64Array,
  cells: number,
): ColumnBuilder {
  const column = new GrowingArray<Float32Array | Float64Array>(
    (length) => new Values(length),
    cells,
  );
  const read: Read = (json, row) => {
    const short = json.takeShortNumber();
    if (!Number.isNaN(short)) return column.set(row, short);
    const text = json.readNumber();
    const value = Number(text);
    if (Number.isNaN(value) && text !== 'NaN') throw notOfType(field, text);
    return column.set(row, value);
  };
  return fixedWidthBuilder(field, read, (length) => padded(column, length));
}

function timestampBuilder(field: Field, cells: number): ColumnBuilder {
  const column = new GrowingArray((length) => new BigInt64Array(length), cells);
  const set = safeIntegerSetter(column);
  const read: Read = (json, row) => {
    const text = json.readString();
    const value = parseTimestamp(text);
    if (value === undefined) throw notOfType(field, text);
    return set(row, value);
  };
  return fixedWidthBuilder(field, read, (length) => padded(column, length));
}

function booleanBuilder(field: Field): ColumnBuilder {
  const [validity, values] = [new Validity(), new Validity()];
  return {
    append: (json) => {
      const isValid = !json.takeNull();
      values.add(isValid && json.readBoolean());
      validity.add(isValid);
    },
    finish: () => dataOf(field, validity, { values: values.bits() }),
  };
}

/**
 * Text is kept; any other value, which may be of a type of a newer Apache Pinot, is stored as its
 * JSON.
 */
function textBuilder(field: Field, cells: number): ColumnBuilder {
  return variableWidthBuilder(field, cells, (json, target) => {
    if (json.isString()) json.readStringInto(target);
    else target.appendText(json.readRaw());
  });
}

function bytesBuilder(field: Field, cells: number): ColumnBuilder {
  return variableWidthBuilder(field, cells, (json, target) => {
    const text = json.readString();
    if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) throw notOfType(field, text);
    target.appendHex(text);
  });
}

function base64Builder(field: Field, cells: number): ColumnBuilder {
  return variableWidthBuilder(field, cells, (json, target) => {
    const bytes = Buffer.from(json.readString(), 'base64');
    target.append(bytes, 0, bytes.length);
  });
}

/** The usual maximum length of texts. */
const textBytesUsual = 24;

function variableWidthBuilder(
  field: Field,
  cells: number,
  read: (json: JsonBytes, target: GrowingBytes) => void,
): ColumnBuilder {
  const validity = new Validity();
  const offsets = new GrowingArray((length) => new Int32Array(length), cells);
  const bytes = new GrowingBytes(cells * textBytesUsual);
  return {
    append: (json) => {
      const isValid = !json.takeNull();
      if (isValid) read(json, bytes);
      validity.add(isValid);
      offsets.set(validity.length, bytes.length);
    },
    finish: () =>
      dataOf(field, validity, {
        valueOffsets: offsets.finish(validity.length + 1),
        values: bytes.finish(),
      }),
  };
}

function listBuilder(
  field: Field,
  item: Field,
  bytesText: BytesText,
  cells: number,
): ColumnBuilder {
  const validity = new Validity();
  const offsets = new GrowingArray((length) => new Int32Array(length), cells);
  const isBase64 = bytesText === 'base64' && DataType.isBinary(item.type);
  const items = isBase64 ? base64Builder(item, cells) : columnBuilder(item, bytesText, cells);
  let count = 0;
  return {
    append: (json) => {
      const isValid = !json.takeNull();
      if (isValid) {
        if (!json.take(openBracket)) throw json.unexpected('a list');
        while (!json.take(closeBracket)) {
          items.append(json);
          count += 1;
          if (!json.take(comma) && json.peek() !== closeBracket) {
            throw json.unexpected("',' or ']'");
          }
        }
      }
      validity.add(isValid);
      offsets.set(validity.length, count);
    },
    finish: () =>
      dataOf(field, validity, {
        valueOffsets: offsets.finish(validity.length + 1),
        children: [items.finish()],
      }),
  };
}

function mapBuilder(field: Field, entries: Field, cells: number): ColumnBuilder {
  const [validity, entryValidity] = [new Validity(), new Validity()];
  const offsets = new GrowingArray((length) => new Int32Array(length), cells);
  const [keyField, valueField] = (entries.type as DataType).children as [Field, Field];
  const keys = textBuilder(keyField, cells);
  const values = variableWidthBuilder(valueField, cells, (json, target) =>
    target.appendText(json.readRaw()),
  );
  return {
    append: (json) => {
      const isValid = !json.takeNull();
      if (isValid) {
        if (!json.take(openBrace)) throw json.unexpected('an object');
        while (!json.take(closeBrace)) {
          keys.append(json);
          if (!json.take(colon)) throw json.unexpected("':'");
          values.append(json);
          entryValidity.add(true);
          if (!json.take(comma) && json.peek() !== closeBrace) throw json.unexpected("',' or '}'");
        }
      }
      validity.add(isValid);
      offsets.set(validity.length, entryValidity.length);
    },
    finish: () => {
      const children = [
        dataOf(entries, entryValidity, { children: [keys.finish(), values.finish()] }),
      ];
      return dataOf(field, validity, {
        valueOffsets: offsets.finish(validity.length + 1),
        children,
      });
    },
  };
}

/** Returns the first `length` values. Nulls at the end were not written and are zeros. */
function padded<Values extends Int32Array | Float32Array | Float64Array | BigInt64Array>(
  column: GrowingArray<Values>,
  length: number,
): Values {
  if (length > column.values.length) column.grow(length - 1);
  return column.finish(length);
}

function notOfType(field: Field, text: string): QuireError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new QuireError(
    'UNEXPECTED_RESPONSE',
    `Apache Pinot returned '${shown}' in column '${field.name}'; expected ${field.type}.`,
  );
}
