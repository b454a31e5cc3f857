import { once } from 'node:events';
import avsc from 'avsc';
import { describe, expect, test } from 'vitest';
import { fileOf, readFileRows } from './memory-file.ts';

const schema = {
  type: 'record',
  name: 'Order',
  namespace: 'shop',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'count', type: ['null', 'int'] },
    { name: 'price', type: 'double' },
    { name: 'name', type: 'string' },
    { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A', 'B'] } },
    { name: 'tags', type: { type: 'array', items: 'string' } },
    { name: 'more', type: { type: 'map', values: 'boolean' } },
    { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 2 } },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
    { name: 'parent', type: ['null', 'Order'] },
  ],
};

/** Creates a container with a reference library for JavaScript. */
async function container(
  rows: readonly object[],
  codec: 'null' | 'deflate',
  type: object = schema,
): Promise<Buffer> {
  const encoder = new avsc.streams.BlockEncoder(type as avsc.Schema, { codec, blockSize: 200 });
  const chunks: Buffer[] = [];
  encoder.on('data', (chunk: Buffer) => chunks.push(chunk));
  for (const row of rows) encoder.write(row);
  encoder.end();
  await once(encoder, 'end');
  return Buffer.concat(chunks);
}

const row = (id: number, parent: object | null = null) => ({
  id,
  count: id % 2 === 0 ? null : -id,
  price: id / 3,
  name: `Größe ${id}`,
  kind: 'B',
  tags: ['x', 'y'],
  more: { yes: true },
  hash: Buffer.from([1, 255]),
  at: 1_700_000_000_123,
  day: 19_675,
  parent,
});

describe('Avro as another library writes it', () => {
  test.each(['null', 'deflate'] as const)(
    'Avro as another library writes it with codec %s',
    async (codec) => {
      const rows = Array.from({ length: 50 }, (_, index) => row(index));
      const read = await readFileRows(fileOf('x.avro', await container(rows, codec), 61));
      expect(read.problems).toEqual([]);
      expect(read.rows).toHaveLength(50);
      expect(read.rows[7]).toEqual({
        id: 7n,
        count: -7,
        price: 7 / 3,
        name: 'Größe 7',
        kind: 'B',
        tags: ['x', 'y'],
        more: { yes: true },
        hash: new Uint8Array([1, 255]),
        at: '2023-11-14 22:13:20.123',
        day: '2023-11-14',
        parent: null,
      });
    },
  );

  test('decimals of Avro are text, and their columns are named', async () => {
    const bytes = { type: 'bytes', logicalType: 'decimal', precision: 20, scale: 2 };
    const fields = [
      { name: 'price', type: bytes },
      { name: 'rebate', type: ['null', { ...bytes, type: 'fixed', name: 'F', size: 2 }] },
      { name: 'hash', type: 'bytes' },
    ];
    const row = { price: Buffer.of(57), rebate: Buffer.of(255, 254), hash: Buffer.of(1) };
    const file = await container([row], 'null', { type: 'record', name: 'R', fields });
    const decimals: string[] = [];
    const onDecimals = (names: readonly string[]): void => void decimals.push(...names);
    const { rows } = await readFileRows(fileOf('x.avro', file), { onDecimals });
    expect(rows).toEqual([{ price: '0.57', rebate: '-0.02', hash: Uint8Array.of(1) }]);
    expect(decimals).toEqual(['price', 'rebate']);
  });

  test('types of Avro may hold themselves', async () => {
    const nested = row(1, row(2));
    const { rows } = await readFileRows(fileOf('x', await container([nested], 'null')));
    expect(rows[0]).toMatchObject({ id: 1n, parent: { id: 2n, parent: null } });
  });
});

describe('a file that is not as it should be is a finding', () => {
  test('a file that is not as it should be is a finding wherever it is cut off or changed', async () => {
    const whole = await container([row(1), row(2)], 'null');
    for (let length = 4; length < whole.length; length += 7) {
      const { problems } = await readFileRows(fileOf('x.avro', whole.subarray(0, length), 61));
      expect([[], ['FILE_CORRUPT']]).toContainEqual(problems);
    }
    for (let at = 4; at < whole.length; at += 3) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const { problems } = await readFileRows(fileOf('x.avro', changed, 61));
      expect([[], ['FILE_CORRUPT']]).toContainEqual(problems);
    }
  });

  test('a file that is not as it should be is a finding when a row has values without end that take no bytes', async () => {
    const text = JSON.stringify({
      type: 'record',
      name: 'R',
      fields: [{ name: 'a', type: { type: 'array', items: 'null' } }],
    });
    const long = (value: bigint): number[] => {
      const bytes: number[] = [];
      for (let rest = value * 2n; ; rest >>= 7n) {
        if (rest < 128n) return [...bytes, Number(rest)];
        bytes.push(Number(rest & 127n) | 128);
      }
    };
    const block = long(2n ** 60n);
    const bytes = Buffer.concat([
      Buffer.from('Obj\u0001'),
      Buffer.from([...long(1n), ...long(11n)]),
      Buffer.from('avro.schema'),
      Buffer.from(long(BigInt(text.length))),
      Buffer.from(text),
      Buffer.from([0]),
      Buffer.alloc(16),
      Buffer.from([...long(1n), ...long(BigInt(block.length)), ...block]),
      Buffer.alloc(16),
    ]);
    expect(await readFileRows(fileOf('x.avro', bytes))).toEqual({
      rows: [],
      problems: ['FILE_CORRUPT'],
    });
  });
});
