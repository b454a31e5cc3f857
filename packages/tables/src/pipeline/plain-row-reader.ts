import { parseLosslessJson } from '@quire/core';
import type { SourceValue } from '../row.ts';
import type { ColumnSpec } from './column-spec.ts';
import { type ColumnType, isInCalendar } from './column-type.ts';
import { isPlain } from './plain-value.ts';

/** The kinds of values that a plain row has, as stored in `PlainRowReader.kinds`. */
export const plainKinds = { absent: 0, number: 1, ascii: 2, text: 3, boolean: 4 } as const;

/** The columns of these types may have plain values, if they are not lists. */
const plainTypes: ReadonlySet<ColumnType | undefined> = new Set([
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'TIMESTAMP',
  'BOOLEAN',
  'STRING',
] as const);

/** The maximum number of fields whose names are known; rows with further ones are not plain. */
const fieldsMax = 1_000;
/** The maximum number of digits of a number that is computed here without rounding. */
const digitsMax = 15;

const powersOfTen = Array.from({ length: digitsMax + 1 }, (_, index) => 10 ** index);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A column whose plain values are stored as they are. */
export interface PlainColumn {
  readonly spec: ColumnSpec;
  /** Its value in rows that have none for it; undefined if such rows are not plain. */
  readonly absentValue: SourceValue | undefined;
}

/** A field that rows have had. */
interface Field {
  readonly name: Uint8Array;
  /** The index of its column; -1 for fields that are not stored. */
  readonly position: number;
  /** The row that had the field last, so that a repeated field is noticed. */
  row: number;
  /** The field that followed it last, which most likely follows it again. */
  next: Field | undefined;
}

/**
 * Reads JSON objects whose values need no step of a pipeline, directly from their bytes: one text
 * after the other, without an object for each. It reads only what it understands completely. Every
 * other text, valid or not, is not plain, and must be parsed and sent through the pipeline.
 *
 * The row that was read last is in `kinds`, `numbers` and so on, by the index of its column.
 */
export class PlainRowReader {
  readonly kinds: Uint8Array;
  /** The values of kind `number`, and 0 or 1 for those of kind `boolean`. */
  readonly numbers: Float64Array;
  /** The start of each value of kind `ascii` in `bytes`. */
  readonly starts: Int32Array;
  /** The end of each value of kind `ascii` in `bytes`. */
  readonly ends: Int32Array;
  /** The values of kind `text`. */
  readonly texts: string[];
  /** The bytes from which the last row was read. */
  bytes: Buffer = Buffer.alloc(0);
  /** The values of columns in rows that have none for them; undefined if these are not plain. */
  readonly absentValues: readonly (SourceValue | undefined)[];
  readonly #columns: readonly ColumnSpec[];
  /** The type of each column whose values may be plain. */
  readonly #types: readonly (ColumnType | undefined)[];
  readonly #fields = new Map<string, Field>();
  readonly #start: Field = { name: new Uint8Array(), position: -1, row: 0, next: undefined };
  #row = 0;
  /** The position of the next token. */
  #at = 0;
  #end = 0;

  constructor(columns: readonly PlainColumn[]) {
    this.#columns = columns.map(({ spec }) => spec);
    this.#types = this.#columns.map(plainTypeOf);
    this.absentValues = columns.map(({ absentValue }) => absentValue);
    this.kinds = new Uint8Array(columns.length);
    this.numbers = new Float64Array(columns.length);
    this.starts = new Int32Array(columns.length);
    this.ends = new Int32Array(columns.length);
    this.texts = columns.map(() => '');
  }

  /** Reads the object in `[start, end)`. Returns false if it is not plain. */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#row += 1;
    this.kinds.fill(plainKinds.absent);
    return this.#readObject() && this.#isComplete();
  }

  /** Returns the value of a column in the row that was read last. */
  valueAt(position: number): SourceValue {
    switch (this.kinds[position]) {
      case plainKinds.number:
        return this.numbers[position] ?? 0;
      case plainKinds.ascii:
        return this.bytes.toString('latin1', this.starts[position], this.ends[position]);
      case plainKinds.text:
        return this.texts[position] ?? '';
      case plainKinds.boolean:
        return this.numbers[position] === 1;
      default:
        return this.absentValues[position] ?? null;
    }
  }

  #readObject(): boolean {
    if (this.#skipSpace() !== 0x7b) return false; // {
    this.#at += 1;
    let field = this.#start;
    let byte = this.#skipSpace();
    if (byte === 0x7d) {
      this.#at += 1;
      return this.#skipSpace() === -1;
    }
    for (;;) {
      if (byte !== 0x22) return false; // "
      const next = this.#readField(field);
      if (next === undefined || next.row === this.#row) return false;
      next.row = this.#row;
      field = next;
      if (this.#skipSpace() !== 0x3a) return false; // :
      this.#at += 1;
      if (!this.#readValue(field.position)) return false;
      byte = this.#skipSpace();
      this.#at += 1;
      if (byte === 0x7d) return this.#skipSpace() === -1; // }
      if (byte !== 0x2c) return false; // ,
      byte = this.#skipSpace();
    }
  }

  /** Skips white space. Returns the byte after it, or -1 at the end. */
  #skipSpace(): number {
    const { bytes } = this;
    for (; this.#at < this.#end; this.#at += 1) {
      const byte = bytes[this.#at] ?? 0;
      if (byte > 0x20) return byte;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return 0;
    }
    return -1;
  }

  /** Reads a name, which most likely is that of the field that followed the previous one before. */
  #readField(previous: Field): Field | undefined {
    const { bytes } = this;
    const start = this.#at + 1;
    const expected = previous.next;
    if (expected !== undefined) {
      const { name } = expected;
      const { length } = name;
      let index = 0;
      while (index < length && bytes[start + index] === name[index]) index += 1;
      if (index === length && start + length < this.#end && bytes[start + length] === 0x22) {
        this.#at = start + length + 1;
        return expected;
      }
    }
    if (!this.#skipAscii()) return undefined;
    const name = bytes.subarray(start, this.#at - 1);
    const field = this.#fieldOf(name);
    previous.next = field;
    return field;
  }

  #fieldOf(bytes: Buffer): Field | undefined {
    const name = bytes.toString('latin1');
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    if (this.#fields.size >= fieldsMax || name in Object.prototype) return undefined;
    const position = this.#columns.findIndex((column) => column.name === name);
    const field = { name: Uint8Array.from(bytes), position, row: 0, next: undefined };
    this.#fields.set(name, field);
    return field;
  }

  #readValue(position: number): boolean {
    const byte = this.#skipSpace();
    if (byte === 0x22) return this.#readText(position);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.#readNumber(position);
    if (byte === 0x6e) return this.#skipWord('null');
    if (byte === 0x74) return this.#skipWord('true') && this.#setBoolean(position, 1);
    return byte === 0x66 && this.#skipWord('false') && this.#setBoolean(position, 0);
  }

  #setBoolean(position: number, value: number): boolean {
    if (position < 0) return true;
    if (this.#types[position] !== 'BOOLEAN') return false;
    this.kinds[position] = plainKinds.boolean;
    this.numbers[position] = value;
    return true;
  }

  #skipWord(word: string): boolean {
    if (this.#at + word.length > this.#end) return false;
    for (let index = 0; index < word.length; index += 1) {
      if (this.bytes[this.#at + index] !== word.charCodeAt(index)) return false;
    }
    this.#at += word.length;
    return true;
  }

  #readNumber(position: number): boolean {
    const { bytes } = this;
    const end = this.#end;
    const start = this.#at;
    let at = start;
    const isNegative = bytes[at] === 0x2d;
    if (isNegative) at += 1;
    const first = at;
    let value = 0;
    let byte = at < end ? (bytes[at] ?? 0) : 0;
    while (byte >= 0x30 && byte <= 0x39) {
      value = value * 10 + (byte - 0x30);
      at += 1;
      byte = at < end ? (bytes[at] ?? 0) : 0;
    }
    let digits = at - first;
    // Longer integers may be beyond those of a number.
    if (digits === 0 || digits > digitsMax || (digits > 1 && bytes[first] === 0x30)) return false;
    if (byte === 0x2e) {
      const whole = digits;
      at += 1;
      byte = at < end ? (bytes[at] ?? 0) : 0;
      while (byte >= 0x30 && byte <= 0x39) {
        value = value * 10 + (byte - 0x30);
        digits += 1;
        at += 1;
        byte = at < end ? (bytes[at] ?? 0) : 0;
      }
      if (digits === whole) return false;
      // A quotient of two exact numbers is rounded once, as if the text was parsed.
      if (digits <= digitsMax) value /= powersOfTen[digits - whole] ?? 1;
    }
    if (byte === 0x65 || byte === 0x45) {
      at += 1;
      byte = at < end ? (bytes[at] ?? 0) : 0;
      if (byte === 0x2b || byte === 0x2d) at += 1;
      const exponent = at;
      for (; at < end; at += 1) {
        byte = bytes[at] ?? 0;
        if (byte < 0x30 || byte > 0x39) break;
      }
      if (at === exponent) return false;
      digits = Infinity;
    }
    this.#at = at;
    if (position < 0) return true;
    if (digits > digitsMax) value = Number(bytes.toString('latin1', start, at));
    else if (isNegative) value = -value;
    const type = this.#types[position];
    if (type === 'FLOAT') value = Math.fround(value);
    if (!isOfType(value, type)) return false;
    this.kinds[position] = plainKinds.number;
    this.numbers[position] = value;
    return true;
  }

  /** Skips a text of printable ASCII characters without escapes; false at any other byte. */
  #skipAscii(): boolean {
    const { bytes } = this;
    for (let at = this.#at + 1; at < this.#end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === 0x22) {
        this.#at = at + 1;
        return true;
      }
      if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return false;
    }
    return false;
  }

  #readText(position: number): boolean {
    const start = this.#at;
    if (!this.#skipAscii()) return this.#decodeText(position);
    if (position < 0) return true;
    const lengthMax = this.#columns[position]?.maxLength ?? 0;
    if (this.#types[position] !== 'STRING' || this.#at - start - 2 > lengthMax) return false;
    this.kinds[position] = plainKinds.ascii;
    this.starts[position] = start + 1;
    this.ends[position] = this.#at - 1;
    return true;
  }

  /** Reads a text with other characters, or with escapes. */
  #decodeText(position: number): boolean {
    const start = this.#at;
    let at = start + 1;
    while (at < this.#end && this.bytes[at] !== 0x22) at += this.bytes[at] === 0x5c ? 2 : 1;
    if (at >= this.#end) return false;
    this.#at = at + 1;
    let text: string;
    try {
      text = parseLosslessJson(utf8.decode(this.bytes.subarray(start, at + 1))) as string;
    } catch (error) {
      // The decoder of the whole message explains what is wrong.
      if (error instanceof TypeError || error instanceof SyntaxError) return false;
      throw error;
    }
    if (position < 0) return true;
    const column = this.#columns[position];
    if (column === undefined || !isPlain(text, column)) return false;
    this.kinds[position] = plainKinds.text;
    this.texts[position] = text;
    return true;
  }

  #isComplete(): boolean {
    const { kinds, absentValues } = this;
    for (let index = 0; index < kinds.length; index += 1) {
      const isAbsent = kinds[index] === plainKinds.absent;
      if (isAbsent && absentValues[index] === undefined) return false;
    }
    return true;
  }
}

/** Reports whether a number needs no conversion, and is not one that later steps replace. */
function isOfType(value: number, type: ColumnType | undefined): boolean {
  if (Object.is(value, -0)) return false;
  switch (type) {
    case 'INT':
      return value === (value | 0);
    case 'LONG':
      return Number.isSafeInteger(value);
    // The pipeline refuses an integer of 32 bits, which is not a time in milliseconds.
    case 'TIMESTAMP':
      return isInCalendar(value) && Number.isSafeInteger(value) && value !== (value | 0);
    case 'FLOAT':
    case 'DOUBLE':
      return true;
    default:
      return false;
  }
}

function plainTypeOf({ type, isMultiValue }: ColumnSpec): ColumnType | undefined {
  return !isMultiValue && plainTypes.has(type) ? type : undefined;
}

/** Reports whether rows of these columns can be plain at all. */
export function havePlainTypes(columns: readonly ColumnSpec[]): boolean {
  return columns.some((column) => plainTypeOf(column) !== undefined);
}
