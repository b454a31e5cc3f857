import { readObject } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import {
  Field,
  Int32,
  LargeUtf8,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  tableFromIPC,
  Utf8,
} from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import {
  type BufferCodec,
  compressBuffer,
  decompressBuffers,
  decompressBufferSync,
} from '../src/arrow/buffer-codec.ts';
import { codecOf } from '../src/arrow/stored-batch.ts';
import {
  type Compression,
  type EncodeOptions,
  type PageFormatName,
  type Result,
  ResultStore,
} from '../src/index.ts';
import { columnOf, listColumnOf, textColumnOf } from './column-builder.ts';

const schema = new Schema([
  new Field('n', new Int32(), true),
  new Field('text', new Utf8(), true),
  new Field('long', new LargeUtf8(), true),
  new Field('list', new List(new Field('item', new Int32(), true)), true),
]);
const rowCount = 5000;

/** Rows of which some columns barely compress, and others compress well. */
function batch(textWidth: number): RecordBatch {
  const isNull = (row: number): boolean => row % 7 === 0;
  const texts = Array.from({ length: rowCount }, (_, row) =>
    `text of row ${row}`.padEnd(textWidth, '.'),
  );
  const numbers = Int32Array.from({ length: rowCount }, (_, row) =>
    Math.imul(row + 1, 0x9e37_79b1),
  );
  const offsets = Int32Array.from({ length: rowCount + 1 }, (_, row) => row);
  const children = [
    columnOf(new Int32(), rowCount, numbers, isNull),
    textColumnOf(new Utf8(), texts, isNull),
    textColumnOf(new LargeUtf8(), texts),
    listColumnOf(
      schema.fields[3]!.type as List,
      rowCount,
      columnOf(new Int32(), rowCount, numbers.slice()),
      offsets,
      isNull,
    ),
  ];
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: rowCount, nullCount: 0, children }),
  );
}

interface Stored {
  readonly store: MemoryObjectStore;
  readonly result: Result;
}

async function stored(
  compression: Compression,
  { textWidth = 20, batchSizeBytes = 32_768, cacheBytesMax = 0 } = {},
): Promise<Stored> {
  const store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
  const options = { store, brokerId: 'b', expirationMs: 1e9, expirationMaxMs: 1e9, cacheBytesMax };
  const results = new ResultStore({ ...options, compression, batchSizeBytes });
  const batches = (async function* () {
    yield batch(textWidth);
  })();
  return { store, result: await results.create({ schema, batches }, { owner: 'o' }) };
}

async function bytesOf(
  { result }: Stored,
  page: { readonly offset: number; readonly rowCount: number },
  format: PageFormatName,
  options: EncodeOptions = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of result.page(page).encode(format, options)) {
    chunks.push(Buffer.from(new Uint8Array(chunk)));
  }
  return Buffer.concat(chunks);
}

const pages = [
  { offset: 0, rowCount },
  { offset: 1, rowCount: 3 },
  { offset: 700, rowCount: 2900 },
  { offset: rowCount, rowCount: 10 },
];

test.each<[BufferCodec, number, number]>([
  ['zstd', 20, 32_768],
  ['lz4', 20, 32_768],
  // Texts of this size are decompressed on other threads.
  ['zstd', 200, 1_000_000],
  ['lz4', 200, 1_000_000],
])(
  'pages of a file with %s, in batches of texts of %i bytes, are byte for byte those of a plain file',
  async (codec, textWidth, batchSizeBytes) => {
    const sizes = { textWidth, batchSizeBytes };
    const [plain, compressed] = [await stored('none', sizes), await stored(codec, sizes)];
    expect(compressed.result.entry.sizeBytes).toBeLessThan(plain.result.entry.sizeBytes);
    for (const page of pages) {
      for (const format of ['arrow', 'json', 'csv', 'ndjson'] as const) {
        const expected = await bytesOf(plain, page, format);
        expect((await bytesOf(compressed, page, format)).equals(expected)).toBe(true);
        expect(
          (await bytesOf(compressed, page, format, { isDoneWithChunks: true })).equals(expected),
        ).toBe(true);
      }
    }
    expect(tableFromIPC(await bytesOf(compressed, pages[2]!, 'arrow')).numRows).toBe(2900);
  },
);

test.each<[BufferCodec, BufferCodec]>([
  ['zstd', 'lz4'],
  ['lz4', 'zstd'],
])(
  'to a reader that has %s, batches with it go out as they are stored, and those with %s plain',
  async (codec, other) => {
    const all = { offset: 0, rowCount };
    const data = await stored(codec);
    const file = Buffer.from(await readObject(data.store, data.result.entry.dataKey));
    for (const codecs of [[codec], ['zstd', 'lz4']] as const) {
      const stream = await bytesOf(data, all, 'arrow', { codecs });
      const schemaBytes = 8 + stream.readInt32LE(4);
      // A file has the same messages behind its magic bytes as a stream.
      expect(file.subarray(8, 8 + stream.length).equals(stream)).toBe(true);
      expect(codecOf(new Uint8Array(stream.subarray(schemaBytes)))).toBe(codec);
    }
    const plain = await bytesOf(data, all, 'arrow');
    expect((await bytesOf(data, all, 'arrow', { codecs: [other] })).equals(plain)).toBe(true);
    const codecs = ['gzip'] as unknown as BufferCodec[];
    expect(() => data.result.page(all).encode('arrow', { codecs })).toThrow(
      "codecs is 'gzip'; expected 'zstd' or 'lz4'.",
    );
  },
);

test('a batch that nobody can read as it is stored is not at hand; to one that has its codec it is', async () => {
  const data = await stored('zstd', { cacheBytesMax: 1e7 });
  const all = { offset: 0, rowCount };
  for (let times = 0; times < 3; times += 1) await bytesOf(data, all, 'json'); // now its batches are in the cache
  expect(data.result.page(all).encodeSync('arrow')).toBeUndefined();
  const encoded = data.result.page(all).encodeSync('arrow', { codecs: ['zstd'] });
  expect(
    Buffer.concat(encoded?.chunks ?? []).equals(
      await bytesOf(data, all, 'arrow', { codecs: ['zstd'] }),
    ),
  ).toBe(true);
  encoded?.release?.(false);
});

test('a reader that leaves early gives memory back, and others read on', async () => {
  const data = await stored('zstd');
  const all = { offset: 0, rowCount };
  const expected = await bytesOf(data, all, 'arrow');
  for (let chunksMax = 1; chunksMax < 6; chunksMax += 1) {
    let count = 0;
    for await (const _chunk of data.result.page(all).encode('arrow', { isDoneWithChunks: true })) {
      count += 1;
      if (count === chunksMax) break;
    }
    expect((await bytesOf(data, all, 'arrow', { isDoneWithChunks: true })).equals(expected)).toBe(
      true,
    );
  }
});

describe.each<BufferCodec>(['zstd', 'lz4'])('a buffer that is compressed by %s', (codec) => {
  const texts = Buffer.from('the same words again and again, '.repeat(100_000));
  let state = 1;
  const noise = Uint8Array.from(
    { length: 4096 },
    () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24,
  );

  test.each([0, 1, 8, 4096, 70_000, 300_000, texts.length])(
    'a buffer that is compressed by %s of %i bytes is the same again',
    async (length) => {
      const plain = new Uint8Array(texts.subarray(0, length));
      const compressed = compressBuffer(plain, codec);
      expect(Buffer.from(decompressBufferSync(compressed, codec)).equals(plain)).toBe(true);
      const [first, second] = await decompressBuffers([compressed, compressed], codec);
      for (const again of [first, second]) {
        expect(Buffer.from(again ?? noise).equals(plain)).toBe(true);
      }
    },
  );

  test('a buffer that is compressed by %s is stored as it is where that saves less than an eighth', () => {
    const stored = compressBuffer(noise, codec);
    expect(stored.length).toBe(noise.length + 8);
    expect(new DataView(stored.buffer).getBigInt64(0, true)).toBe(-1n);
    expect(decompressBufferSync(stored, codec)).toEqual(noise);
  });

  test.each([4096, 300_000])(
    'a buffer that is compressed by %s of %i bytes is refused when it is damaged, or says another length',
    async (length) => {
      const compressed = compressBuffer(new Uint8Array(texts.subarray(0, length)), codec);
      const damaged: Uint8Array[] = [];
      for (const claimed of [BigInt(length - 1), BigInt(length + 1), 0n, -2n, 2n ** 62n]) {
        const lying = compressed.slice();
        new DataView(lying.buffer).setBigInt64(0, claimed, true);
        damaged.push(lying);
      }
      damaged.push(compressed.slice(0, 5), compressed.slice(0, compressed.length >> 1));
      const garbled = compressed.slice();
      garbled.fill(0x5a, 8);
      damaged.push(garbled);
      const isCorrupt = expect.objectContaining({ code: 'RESULT_CORRUPT' }) as Error;
      for (const bytes of damaged) {
        expect(() => decompressBufferSync(bytes, codec)).toThrow(isCorrupt);
        await expect(decompressBuffers([compressed, bytes, compressed], codec)).rejects.toThrow(
          isCorrupt,
        );
      }
    },
  );
});
