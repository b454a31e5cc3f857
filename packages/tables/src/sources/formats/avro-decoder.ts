import type { SourceValue } from '../../row.ts';
import { type AvroType, corrupt } from './avro-schema.ts';
import { textOfDate, textOfTimestamp } from './time-text.ts';

/** Deepest nesting of a value, and most values of a row: elements may take no bytes at all. */
const limits = { depth: 100, values: 1_000_000 };

/** Takes values out of the bytes of a block. @throws SourceProblem where they are not as the format wants them */
export class AvroDecoder {
  readonly #bytes: Buffer;
  #at = 0;
  #valuesLeft = limits.values;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The next row. */
  row(type: AvroType): SourceValue {
    this.#valuesLeft = limits.values;
    return this.#value(type, 0);
  }

  #value(type: AvroType, depth: number): SourceValue {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw corrupt(`a row has more than ${limits.values} values`);
    if (depth > limits.depth) throw corrupt(`a row is nested more than ${limits.depth} deep`);
    switch (type.kind) {
      case 'primitive':
        return this.#primitive(type);
      case 'fixed':
        return decimalOr(this.#take(type.size), type);
      case 'enum':
        return type.symbols[this.count()] ?? null;
      case 'union': {
        const branch = type.branches[this.count()];
        if (branch === undefined) throw corrupt('a value has none of the types of its union');
        return this.#value(branch, depth + 1);
      }
      case 'record':
        return Object.fromEntries(type.fields.map((field) => [field.name, this.#value(field.type, depth + 1)]));
      case 'array': {
        const elements: SourceValue[] = [];
        this.#eachOfBlocks(() => elements.push(this.#value(type.element, depth + 1)));
        return elements;
      }
      case 'map': {
        const entries: [string, SourceValue][] = [];
        this.#eachOfBlocks(() => entries.push([this.#text(), this.#value(type.element, depth + 1)]));
        return Object.fromEntries(entries);
      }
      default:
        return type satisfies never;
    }
  }

  #primitive(type: Extract<AvroType, { kind: 'primitive' }>): SourceValue {
    switch (type.name) {
      case 'null':
        return null;
      case 'boolean':
        return this.#take(1)[0] === 1;
      case 'int':
        return type.logical === 'date' ? textOfDate(Number(this.#long())) : Number(this.#long());
      case 'long':
        return timeOr(this.#long(), type.logical);
      case 'float':
        return this.#take(4).readFloatLE();
      case 'double':
        return this.#take(8).readDoubleLE();
      case 'string':
        return this.#text();
      default:
        return decimalOr(this.#take(this.count()), type);
    }
  }

  /** Elements come in blocks; a negative count is followed by the size of its block. */
  #eachOfBlocks(read: () => void): void {
    for (let count = this.#long(); count !== 0n; count = this.#long()) {
      if (count < 0n) this.#long();
      for (let index = 0n; index < (count < 0n ? -count : count); index += 1n) read();
    }
  }

  #text(): string {
    return this.#take(this.count()).toString('utf8');
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw corrupt('a value ends after its block');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** A length or an index. */
  count(): number {
    const value = this.#long();
    if (value < 0n || value > 0x7fffffffn) throw corrupt('a length is negative or too large');
    return Number(value);
  }

  /** An integer in zigzag, seven bits a byte. */
  #long(): bigint {
    let bits = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] ?? 0;
      bits |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (bits >> 1n) ^ -(bits & 1n));
    }
    throw corrupt('an integer has more than 64 bits');
  }
}

function timeOr(value: bigint, logical: string | undefined): SourceValue {
  if (logical === 'timestamp-millis' || logical === 'local-timestamp-millis') return textOfTimestamp(value, 3);
  if (logical === 'timestamp-micros' || logical === 'local-timestamp-micros') return textOfTimestamp(value, 6);
  return value;
}

/** Bytes, or the digits of a decimal: two's complement, the high byte first. */
function decimalOr(bytes: Buffer, { logical, scale }: { readonly logical?: string; readonly scale: number }): SourceValue {
  if (logical !== 'decimal' || bytes.length === 0 || bytes.length > 64 || scale < 0 || scale > 200) return new Uint8Array(bytes);
  const value = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const split = digits.length - scale;
  return `${value < 0n ? '-' : ''}${digits.slice(0, split)}${scale > 0 ? `.${digits.slice(split)}` : ''}`;
}
