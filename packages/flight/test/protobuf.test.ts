import { isQuireError } from '@quire/core';
import {
  assert,
  property,
  string,
  array,
  bigInt,
  boolean,
  uint8Array,
  integer,
  option,
  double,
  record,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bool,
  bytes,
  embedded,
  int32,
  int64,
  message,
  messages,
  optionalDouble,
  optionalSfixed64,
  optionalText,
  text,
  textMap,
  texts,
  uint32,
  uint32s,
  uint64,
} from '../src/wire/protobuf.ts';

const inner = message({ name: text(1), number: int64(2) });
const everything = message({
  bool: bool(1),
  uint32: uint32(2),
  int32: int32(3),
  uint64: uint64(4),
  int64: int64(5),
  text: text(6),
  bytes: bytes(7),
  optionalText: optionalText(8),
  double: optionalDouble(9),
  fixed: optionalSfixed64(10),
  texts: texts(11),
  numbers: uint32s(12),
  inner: embedded(13, inner),
  inners: messages(14, inner),
  map: textMap(15, inner),
  far: bytes(1000),
});

const int64s = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const uint32Numbers = integer({ min: 0, max: 2 ** 32 - 1 });
const inners = record({ name: string(), number: int64s });
const anything = record({
  bool: boolean(),
  uint32: uint32Numbers,
  int32: integer(),
  uint64: bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  int64: int64s,
  text: string({ unit: 'grapheme' }),
  bytes: uint8Array(),
  optionalText: option(string(), { nil: undefined }),
  double: option(double(), { nil: undefined }),
  fixed: option(int64s, { nil: undefined }),
  texts: array(string()),
  numbers: array(uint32Numbers),
  inner: option(inners, { nil: undefined }),
  inners: array(inners),
  map: array(inners).map((values) => new Map(values.map((value) => [value.name, value]))),
  far: uint8Array(),
});

describe('a message', () => {
  test('a message comes back as it was, whatever its values', () => {
    assert(
      property(anything, (values) => {
        expect(everything.decode(everything.encode(values))).toEqual(values);
      }),
    );
  });

  test('a message without fields has their default values, and no bytes', () => {
    const decoded = everything.decode(new Uint8Array(0));
    expect(decoded.int64).toBe(0n);
    expect(decoded.optionalText).toBeUndefined();
    expect(everything.encode({ ...decoded })).toEqual(new Uint8Array(0));
  });

  test('a message is read by its known fields when a newer version has more', () => {
    const newer = message({ name: text(1), more: bytes(1000), most: optionalSfixed64(77) });
    const encoded = newer.encode({ name: 'a', more: new Uint8Array(300), most: -1n });
    expect(inner.decode(encoded)).toEqual({ name: 'a', number: 0n });
  });

  test('a message has the bytes that the format prescribes', () => {
    // https://protobuf.dev/programming-guides/encoding/#simple
    expect(message({ a: int32(1) }).encode({ a: 150 })).toEqual(Uint8Array.of(0x08, 0x96, 0x01));
    expect(message({ b: text(2) }).encode({ b: 'testing' })).toEqual(
      Uint8Array.from(Buffer.from('120774657374696e67', 'hex')),
    );
    expect(message({ c: int32(1) }).encode({ c: -2 })).toEqual(
      Uint8Array.from(Buffer.from('08feffffffffffffffff01', 'hex')),
    );
    expect(message({ d: uint32s(6) }).encode({ d: [3, 270, 86_942] })).toEqual(
      Uint8Array.from(Buffer.from('3206038e029ea705', 'hex')),
    );
    expect(message({ d: uint32s(6) }).decode(Uint8Array.of(0x30, 3, 0x30, 4)).d).toEqual([3, 4]);
  });
});

function outcomeOf(hostile: Uint8Array): string {
  try {
    everything.decode(hostile);
    return 'read';
  } catch (error) {
    return isQuireError(error) ? error.code : String(error);
  }
}

describe('malformed bytes', () => {
  test('malformed bytes are refused with a code, or read, whatever they are', () => {
    assert(
      property(uint8Array({ maxLength: 200 }), (hostile) => {
        expect(outcomeOf(hostile)).toMatch(/^(?:read|INVALID_BODY)$/);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['a length beyond the end', '32ff', 'ends within a number'],
    ['a length of 4 GB', '32ffffffff0f', 'announces 4294967295 bytes where 0 follow'],
    ['a number of eleven bytes', '10ffffffffffffffffffffff01', 'more than ten bytes'],
    ['a group', '0b', 'wire type 3'],
    ['a field of the number 0', '00', 'field number of 0'],
    ['a text that is not UTF-8', '3202c328', 'not UTF-8'],
    ['a field of another wire type', '3001', 'field 6 with wire type 0 instead of 2'],
  ])('malformed bytes with %s are refused', (_what, hex, words) => {
    expect(() => everything.decode(Buffer.from(hex, 'hex'))).toThrow(words);
  });

  test('malformed bytes with more elements than any real message has are refused early', () => {
    const empty = Buffer.alloc(2 * 20_000, Buffer.from('7200', 'hex'));
    expect(() => everything.decode(empty)).toThrow('repeats field 14 more than 16384 times');
  });
});
