import { isRecord } from '../../model/document.ts';
import type { SourceValue } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import { textOfDate, textOfDecimal, textOfTimestamp, textOfUtf8 } from './row-reading.ts';

/**
 * The maximum nesting depth of a value, and the most values of a row: elements may take no bytes at
 * all.
 */
const limits = { depth: 100, values: 1_000_000 };

/** Decodes values from the bytes of a block. @throws SourceProblem when they are malformed */
export class AvroDecoder {
  readonly #bytes: Buffer;
  #at = 0;
  #valuesLeft = limits.values;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Returns the next row. */
  row(type: AvroType): SourceValue {
    this.#valuesLeft = limits.values;
    return this.#value(type, 0);
  }

  #value(type: AvroType, depth: number): SourceValue {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw corrupt(`a row has more than ${limits.values} values`);
    if (depth > limits.depth) {
      throw corrupt(`a row is nested more than ${limits.depth} levels deep`);
    }
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
        return Object.fromEntries(
          type.fields.map((field) => [field.name, this.#value(field.type, depth + 1)]),
        );
      case 'array': {
        const elements: SourceValue[] = [];
        this.#eachOfBlocks(() => elements.push(this.#value(type.element, depth + 1)));
        return elements;
      }
      case 'map': {
        const entries: [string, SourceValue][] = [];
        this.#eachOfBlocks(() =>
          entries.push([this.#text(), this.#value(type.element, depth + 1)]),
        );
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

  /** Reads the elements of blocks; a negative count is followed by the size of its block. */
  #eachOfBlocks(read: () => void): void {
    for (let count = this.#long(); count !== 0n; count = this.#long()) {
      if (count < 0n) this.#long();
      for (let index = 0n; index < (count < 0n ? -count : count); index += 1n) read();
    }
  }

  #text(): string {
    return textOfUtf8(this.#take(this.count()));
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw corrupt('a value ends after its block');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Reads a length or an index. */
  count(): number {
    const value = this.#long();
    if (value < 0n || value > 0x7fffffffn) throw corrupt('a length is negative or too large');
    return Number(value);
  }

  /** Reads an integer in zigzag encoding, seven bits a byte. */
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
  if (logical === 'timestamp-millis' || logical === 'local-timestamp-millis') {
    return textOfTimestamp(value, 3);
  }
  if (logical === 'timestamp-micros' || logical === 'local-timestamp-micros') {
    return textOfTimestamp(value, 6);
  }
  return value;
}

/** Returns bytes, or the digits of a decimal: two's complement, big-endian. */
function decimalOr(
  bytes: Buffer,
  { logical, scale }: { readonly logical?: string; readonly scale: number },
): SourceValue {
  if (
    logical !== 'decimal' ||
    bytes.length === 0 ||
    bytes.length > 64 ||
    scale < 0 ||
    scale > 200
  ) {
    return new Uint8Array(bytes);
  }
  return textOfDecimal(BigInt(`0x${bytes.toString('hex')}`), bytes.length * 8, scale);
}

/** Reports whether the values of a type are decimals or null. */
export function isDecimal(type: AvroType): boolean {
  if (type.kind === 'union') return type.branches.some(isDecimal);
  return (type.kind === 'primitive' || type.kind === 'fixed') && type.logical === 'decimal';
}

/** A parsed Avro type: https://avro.apache.org/docs/1.12.0/specification. */
type AvroType =
  | {
      readonly kind: 'primitive';
      readonly name: string;
      readonly logical?: string;
      readonly scale: number;
    }
  | {
      readonly kind: 'record';
      readonly fields: { readonly name: string; readonly type: AvroType }[];
    }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | {
      readonly kind: 'fixed';
      readonly size: number;
      readonly logical?: string;
      readonly scale: number;
    }
  | { readonly kind: 'array' | 'map'; readonly element: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] };

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'];
const depthMax = 100;

/**
 * Parses the schema of a file; types may be recursive. @throws SourceProblem when it is not a
 * schema
 */
export function readAvroSchema(schema: unknown): AvroType {
  const named = new Map<string, AvroType>();
  const read = (given: unknown, namespace: string, depth: number): AvroType => {
    if (depth > depthMax) throw corrupt(`its schema is nested more than ${depthMax} levels deep`);
    if (typeof given === 'string') return primitiveOf(given) ?? known(named, given, namespace);
    if (Array.isArray(given)) {
      return { kind: 'union', branches: given.map((branch) => read(branch, namespace, depth + 1)) };
    }
    if (!isRecord(given)) throw corrupt('a type of its schema is neither text, list nor object');
    const { type, name, symbols, size, items, values, fields, logicalType, scale } = given;
    const logic = {
      ...(typeof logicalType === 'string' && { logical: logicalType }),
      scale: typeof scale === 'number' ? scale : 0,
    };
    const space = typeof given['namespace'] === 'string' ? given['namespace'] : namespace;
    const register = <Type extends AvroType>(made: Type): Type => {
      if (typeof name === 'string') {
        named.set(name.includes('.') || space === '' ? name : `${space}.${name}`, made);
      }
      return made;
    };
    switch (type) {
      case 'record':
      case 'error': {
        const record = register({
          kind: 'record' as const,
          fields: [] as { name: string; type: AvroType }[],
        });
        for (const field of Array.isArray(fields) ? (fields as readonly unknown[]) : []) {
          if (!isRecord(field) || typeof field['name'] !== 'string') {
            throw corrupt('a field of its schema has no name');
          }
          record.fields.push({ name: field['name'], type: read(field['type'], space, depth + 1) });
        }
        return record;
      }
      case 'enum':
        return register({
          kind: 'enum',
          symbols: Array.isArray(symbols) ? symbols.map(String) : [],
        });
      case 'fixed':
        if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
          throw corrupt('a fixed type has no size');
        }
        return register({ kind: 'fixed', size, ...logic });
      case 'array':
        return { kind: 'array', element: read(items, space, depth + 1) };
      case 'map':
        return { kind: 'map', element: read(values, space, depth + 1) };
      default:
        if (typeof type === 'string' && primitives.includes(type)) {
          return { kind: 'primitive', name: type, ...logic };
        }
        return read(type, space, depth + 1);
    }
  };
  return read(schema, '', 0);
}

function primitiveOf(name: string): AvroType | undefined {
  return primitives.includes(name) ? { kind: 'primitive', name, scale: 0 } : undefined;
}

function known(named: ReadonlyMap<string, AvroType>, name: string, namespace: string): AvroType {
  const type = named.get(namespace === '' ? name : `${namespace}.${name}`) ?? named.get(name);
  if (type === undefined) throw corrupt(`its schema has no type ‘${name.slice(0, 100)}’`);
  return type;
}

/** Creates the error for a malformed file. */
export function corrupt(what: string): SourceProblem {
  return new SourceProblem('FILE_CORRUPT', `It cannot be read as Avro: ${what}.`);
}
