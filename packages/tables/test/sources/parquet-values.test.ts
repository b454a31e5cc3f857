import type { FileMetaData, SchemaElement } from 'hyparquet';
import { expect, test } from 'vitest';
import { parquetValuesOf } from '../../src/sources/formats/parquet-values.ts';

const bytes = Uint8Array.of(255, 254);

function valueOf(element: Partial<SchemaElement>, value: unknown): unknown {
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'd', ...element },
  ];
  return parquetValuesOf({ schema } as FileMetaData).complete({ d: value })['d'];
}

function decimal(precision: number, scale: number): Partial<SchemaElement> {
  return { type: 'BYTE_ARRAY', converted_type: 'DECIMAL', precision, scale };
}

test.each([
  [-0.02, decimal(15, 2), bytes],
  ['-0.02', decimal(16, 2), bytes],
  ['0', decimal(76, 0), new Uint8Array(0)],
  ['32.767', decimal(38, 3), Uint8Array.of(127, 255)],
  [-0.57, { ...decimal(9, 2), type: 'INT32' }, -57],
  ['-92233720368547758.08', { ...decimal(18, 2), type: 'INT64' }, -(2n ** 63n)],
  [0.57, { type: 'INT32', logical_type: { type: 'DECIMAL', precision: 9, scale: 2 } }, 57],
  [null, decimal(9, 2), null],
] as const)('a decimal keeps its digits: %s', (expected, element, value) => {
  expect(valueOf(element as Partial<SchemaElement>, value)).toBe(expected);
});

test.each([
  ['a scale that is larger than its precision', decimal(5, 1e9), bytes],
  ['a negative scale', decimal(5, -1), bytes],
  ['too many digits', decimal(77, 0), bytes],
  ['no digits', decimal(0, 0), bytes],
  ['a value that is too long', decimal(76, 0), new Uint8Array(33)],
])('bytes of a decimal with %s are unchanged', (_name, element, value) => {
  expect(valueOf(element, value)).toBe(value);
});

test('lists of groups without a wrapper, as old writers have them, keep their members', () => {
  const { complete } = parquetValuesOf({
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'l', num_children: 1, converted_type: 'LIST' },
      { name: 'array', num_children: 2, repetition_type: 'REPEATED' },
      { name: 'd', ...decimal(9, 2), type: 'INT32' },
      { name: 'n', type: 'INT32' },
    ],
  } as unknown as FileMetaData);
  const lists = [
    { d: 57, n: 1 },
    { d: null, n: 2 },
  ];

  expect(complete({ l: { array: lists } })).toEqual({
    l: {
      array: [
        { d: 0.57, n: 1 },
        { d: null, n: 2 },
      ],
    },
  });
});

test.each(['BSON', 'INTERVAL'] as const)(
  '%s is declared as bytes, because the library refuses a file that has it',
  (converted_type) => {
    const element = { name: 'd', type: 'BYTE_ARRAY', converted_type };
    const schema = [{ name: 'root', num_children: 1 }, element];
    const { metadata } = parquetValuesOf({ schema } as FileMetaData);

    expect(metadata.schema[1]).toEqual({ name: 'd', type: 'BYTE_ARRAY' });
  },
);
