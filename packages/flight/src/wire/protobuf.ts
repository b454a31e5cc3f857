import { QuireError } from '@quire/core';

/** The encodings of fields. Groups (3 and 4) occur in no message of this package. */
const wireTypes = { varint: 0, fixed64: 1, delimited: 2, fixed32: 5 } as const;
type WireType = (typeof wireTypes)[keyof typeof wireTypes];

/**
 * The maximum number of elements, more than any real message has, because a few bytes can announce
 * many.
 */
const elementCountMax = 16_384;

/** Writes and reads one field of a message. */
export interface Field<Value> {
  readonly number: number;
  /** Returns the value of a message that lacks the field. */
  readonly initial: () => Value;
  readonly write: (writer: Writer, value: Value) => void;
  /** Reads an occurrence of the field; `before` is the result of the earlier occurrences. */
  readonly read: (reader: Reader, wireType: number, before: Value) => Value;
}

type Fields<Message> = { readonly [Name in keyof Message]: Field<Message[Name]> };

/** Encodes and decodes one kind of message. */
export interface MessageCodec<Message> {
  /** Encodes a message; absent fields have their default values, and are not written. */
  encode(message: Partial<Message>): Uint8Array;
  /**
   * Decodes a message; fields that the codec does not know are skipped.
   *
   * @throws INVALID_BODY when the bytes are not a valid message
   */
  decode(bytes: Uint8Array): Message;
}

/** The type of the messages of a codec. */
export type MessageOf<Codec> = Codec extends MessageCodec<infer Message> ? Message : never;

/**
 * Creates the codec of a message from its fields. Source:
 * https://protobuf.dev/programming-guides/encoding/
 */
export function message<Message>(fields: Fields<Message>): MessageCodec<Message> {
  const named = Object.entries(fields) as [keyof Message & string, Field<unknown>][];
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]));
  return {
    encode: (values) => {
      const writer = new Writer();
      for (const [name, field] of named) {
        if (values[name] !== undefined) field.write(writer, values[name]);
      }
      return writer.bytes();
    },
    decode: (bytes) => {
      const values: Record<string, unknown> = {};
      for (const [name, field] of named) values[name] = field.initial();
      const reader = new Reader(bytes);
      while (!reader.isAtEnd) {
        const tag = reader.uint32();
        const known = byNumber.get(tag >>> 3);
        if (tag >>> 3 === 0) throw malformed('has a field number of 0');
        if (known === undefined) reader.skip(tag & 7);
        else values[known.name] = known.field.read(reader, tag & 7, values[known.name]);
      }
      return values as Message;
    },
  };
}

/** Writes and reads a single value, and knows the default. */
interface Scalar<Value> {
  readonly wireType: WireType;
  readonly initial: Value;
  readonly write: (writer: Writer, value: Value) => void;
  readonly read: (reader: Reader) => Value;
}

const noBytes = new Uint8Array(0);
const scalars = {
  bool: scalar(
    wireTypes.varint,
    false,
    (writer, value) => writer.varint(value ? 1n : 0n),
    (reader) => reader.varint() !== 0n,
  ),
  uint32: scalar(
    wireTypes.varint,
    0,
    (writer, value) => writer.varint(BigInt(value)),
    (reader) => Number(BigInt.asUintN(32, reader.varint())),
  ),
  int32: scalar(
    wireTypes.varint,
    0,
    (writer, value) => writer.varint(BigInt.asUintN(64, BigInt(value))),
    (reader) => Number(BigInt.asIntN(32, reader.varint())),
  ),
  uint64: scalar(
    wireTypes.varint,
    0n,
    (writer, value) => writer.varint(value),
    (reader) => reader.varint(),
  ),
  int64: scalar(
    wireTypes.varint,
    0n,
    (writer, value) => writer.varint(BigInt.asUintN(64, value)),
    (reader) => BigInt.asIntN(64, reader.varint()),
  ),
  sfixed64: scalar(
    wireTypes.fixed64,
    0n,
    (writer, value) => writer.fixed64((view) => view.setBigInt64(0, value, true)),
    (reader) => reader.fixed64().getBigInt64(0, true),
  ),
  double: scalar(
    wireTypes.fixed64,
    0,
    (writer, value) => writer.fixed64((view) => view.setFloat64(0, value, true)),
    (reader) => reader.fixed64().getFloat64(0, true),
  ),
  text: scalar(
    wireTypes.delimited,
    '',
    (writer, value) => writer.delimited(Buffer.from(value, 'utf8')),
    (reader) => decodeText(reader.delimited()),
  ),
  bytes: scalar<Uint8Array>(
    wireTypes.delimited,
    noBytes,
    (writer, value) => writer.delimited(value),
    (reader) => reader.delimited(),
  ),
};

function scalar<Value>(
  wireType: WireType,
  initial: Value,
  write: Scalar<Value>['write'],
  read: Scalar<Value>['read'],
): Scalar<Value> {
  return { wireType, initial, write, read };
}

export const bool = (number: number): Field<boolean> => single(number, scalars.bool);
export const uint32 = (number: number): Field<number> => single(number, scalars.uint32);
/** Used for enumerations as well. */
export const int32 = (number: number): Field<number> => single(number, scalars.int32);
export const uint64 = (number: number): Field<bigint> => single(number, scalars.uint64);
export const int64 = (number: number): Field<bigint> => single(number, scalars.int64);
export const text = (number: number): Field<string> => single(number, scalars.text);
export const bytes = (number: number): Field<Uint8Array> => single(number, scalars.bytes);

export const optionalBool = (number: number) => optional(number, scalars.bool);
export const optionalInt32 = (number: number) => optional(number, scalars.int32);
export const optionalSfixed64 = (number: number) => optional(number, scalars.sfixed64);
export const optionalDouble = (number: number) => optional(number, scalars.double);
export const optionalText = (number: number) => optional(number, scalars.text);
export const optionalBytes = (number: number) => optional(number, scalars.bytes);

/** A field of another message, which may be absent. */
export const embedded = <Message>(number: number, codec: MessageCodec<Message>) =>
  optional(number, embeddedScalar(codec));

/** A field with any number of texts. */
export const texts = (number: number) => repeated(number, scalars.text);
/** A field with any number of unsigned integers, packed or not. */
export const uint32s = (number: number): Field<readonly number[]> => {
  const loose = repeated(number, scalars.uint32);
  return {
    ...loose,
    write: (writer, values) => {
      if (values.length === 0) return;
      const packed = new Writer();
      for (const value of values) packed.varint(BigInt(value));
      writer.tag(number, wireTypes.delimited);
      writer.delimited(packed.bytes());
    },
    read: (reader, wireType, before) => {
      if (wireType !== wireTypes.delimited) return loose.read(reader, wireType, before);
      const packed = new Reader(reader.delimited());
      const values = [...before];
      while (!packed.isAtEnd) values.push(scalars.uint32.read(packed));
      return limited(values, number);
    },
  };
};
/** A field with any number of other messages. */
export const messages = <Message>(number: number, codec: MessageCodec<Message>) =>
  repeated(number, embeddedScalar(codec));

/** A field with values by their names. */
export function textMap<Value>(
  number: number,
  codec: MessageCodec<Value>,
): Field<ReadonlyMap<string, Value>> {
  const entry = message({ key: text(1), value: embedded(2, codec) });
  const entries = messages(number, entry);
  return {
    number,
    initial: () => new Map(),
    write: (writer, values) =>
      entries.write(
        writer,
        [...values].map(([key, value]) => ({ key, value })),
      ),
    read: (reader, wireType, before) => {
      const [{ key, value } = { key: '', value: undefined }] = entries.read(reader, wireType, []);
      const after = new Map(before).set(key, value ?? codec.decode(noBytes));
      if (after.size > elementCountMax) throw tooMany(number);
      return after;
    },
  };
}

function single<Value>(number: number, kind: Scalar<Value>): Field<Value> {
  return {
    number,
    initial: () => kind.initial,
    write: (writer, value) => {
      const isDefault =
        value === kind.initial || (value instanceof Uint8Array && value.length === 0);
      if (!isDefault) writeOne(writer, number, kind, value);
    },
    read: (reader, wireType) => readOne(reader, wireType, number, kind),
  };
}

function optional<Value>(number: number, kind: Scalar<Value>): Field<Value | undefined> {
  return {
    number,
    initial: () => undefined,
    write: (writer, value) => {
      if (value !== undefined) writeOne(writer, number, kind, value);
    },
    read: (reader, wireType) => readOne(reader, wireType, number, kind),
  };
}

function repeated<Value>(number: number, kind: Scalar<Value>): Field<readonly Value[]> {
  return {
    number,
    initial: () => [],
    write: (writer, values) => {
      for (const value of values) writeOne(writer, number, kind, value);
    },
    read: (reader, wireType, before) => {
      // The array belongs to this message: `initial` has created it.
      (before as Value[]).push(readOne(reader, wireType, number, kind));
      return limited(before, number);
    },
  };
}

function embeddedScalar<Message>(codec: MessageCodec<Message>): Scalar<Message> {
  return {
    wireType: wireTypes.delimited,
    initial: undefined as Message,
    write: (writer, value) => writer.delimited(codec.encode(value)),
    read: (reader) => codec.decode(reader.delimited()),
  };
}

function writeOne<Value>(writer: Writer, number: number, kind: Scalar<Value>, value: Value): void {
  writer.tag(number, kind.wireType);
  kind.write(writer, value);
}

function readOne<Value>(
  reader: Reader,
  wireType: number,
  number: number,
  kind: Scalar<Value>,
): Value {
  if (wireType !== kind.wireType) {
    throw malformed(`has field ${number} with wire type ${wireType} instead of ${kind.wireType}`);
  }
  return kind.read(reader);
}

function limited<Value>(values: readonly Value[], number: number): readonly Value[] {
  if (values.length > elementCountMax) throw tooMany(number);
  return values;
}

/** Writes the parts of a message one after another. */
export class Writer {
  readonly #parts: Uint8Array[] = [];

  tag(number: number, wireType: WireType): void {
    this.varint(BigInt((number << 3) | wireType));
  }

  varint(value: bigint): void {
    const part: number[] = [];
    let rest = value;
    while (rest > 0x7fn) {
      part.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    part.push(Number(rest));
    this.#parts.push(Uint8Array.from(part));
  }

  fixed64(fill: (view: DataView) => void): void {
    const part = new Uint8Array(8);
    fill(new DataView(part.buffer));
    this.#parts.push(part);
  }

  delimited(part: Uint8Array): void {
    this.varint(BigInt(part.length));
    this.#parts.push(part);
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

/** Reads the parts of a message; every length is checked before it is used. */
class Reader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw malformed('ends within a number');
      this.#position += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw malformed('has a number of more than ten bytes');
  }

  uint32(): number {
    const value = this.varint();
    if (value > 0xffff_ffffn) throw malformed('has a tag or a length beyond 32 bits');
    return Number(value);
  }

  fixed64(): DataView {
    const part = this.#take(8);
    return new DataView(part.buffer, part.byteOffset, 8);
  }

  delimited(): Uint8Array {
    return this.#take(this.uint32());
  }

  skip(wireType: number): void {
    if (wireType === wireTypes.varint) this.varint();
    else if (wireType === wireTypes.fixed64) this.#take(8);
    else if (wireType === wireTypes.fixed32) this.#take(4);
    else if (wireType === wireTypes.delimited) this.delimited();
    else throw malformed(`has a field of wire type ${wireType}`);
  }

  #take(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) {
      throw malformed(
        `announces ${length} bytes where ${this.#bytes.length - this.#position} follow`,
      );
    }
    const part = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return part;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(encoded: Uint8Array): string {
  try {
    return utf8.decode(encoded);
  } catch (cause) {
    throw malformed('has a text that is not UTF-8', cause);
  }
}

function tooMany(number: number): QuireError {
  return malformed(`repeats field ${number} more than ${elementCountMax} times`);
}

function malformed(what: string, cause?: unknown): QuireError {
  return new QuireError('INVALID_BODY', `The message is not valid protobuf: it ${what}.`, {
    cause,
  });
}
