import { AsyncLocalStorage } from 'node:async_hooks';
import { zstdDecompressSync } from 'node:zlib';
import { compressionRegistry, CompressionType } from 'apache-arrow';
import { formatBytes } from '@quire/core/portable';
import { type ByteBudget, SourceProblem } from '../source-file.ts';
import { decompressLz4Frame } from './lz4.ts';

/** The maximum size of a buffer that is decompressed: the values of a column in one batch. */
const bufferBytesMax = 256 * 1024 * 1024;

/** The budget of the file that is being read. */
const budgets = new AsyncLocalStorage<ByteBudget>();

/**
 * Runs a step of reading an Arrow file, in which the library may decompress buffers. Decompressed
 * bytes are taken from the budget. The library has one registry of codecs for the whole process, so
 * these are in it only during such steps; codecs of the program that embeds this package remain.
 */
export async function withCodecs<Value>(
  budget: ByteBudget,
  step: () => Promise<Value>,
): Promise<Value> {
  stepCount += 1;
  try {
    for (const [type, codec] of codecs) {
      if (compressionRegistry.get(type)?.decode === undefined) compressionRegistry.set(type, codec);
    }
    return await budgets.run(budget, step);
  } finally {
    stepCount -= 1;
    for (const [type, codec] of stepCount === 0 ? codecs : []) {
      if (compressionRegistry.get(type) === codec) compressionRegistry.set(type, {});
    }
  }
}

/** The number of steps in progress. */
let stepCount = 0;

interface Codec {
  readonly decode: (bytes: Uint8Array) => Uint8Array;
}

const codecs: readonly (readonly [CompressionType, Codec])[] = [
  [
    CompressionType.LZ4_FRAME,
    { decode: (bytes) => counted(decompressLz4Frame(bytes, assertMayTake)) },
  ],
  [CompressionType.ZSTD, { decode: (bytes) => counted(decompressZstd(bytes)) }],
];

function decompressZstd(bytes: Uint8Array): Uint8Array {
  const sizeBytesMax = Math.min(bufferBytesMax, budgets.getStore()?.left ?? bufferBytesMax);
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, sizeBytesMax) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    assertMayTake(sizeBytesMax + 1);
    throw error;
  }
}

function counted(plain: Uint8Array): Uint8Array {
  budgets.getStore()?.take(plain.length);
  return plain;
}

function assertMayTake(sizeBytes: number): void {
  const budget = budgets.getStore();
  if (budget !== undefined && sizeBytes > budget.left) budget.take(sizeBytes);
  if (sizeBytes <= bufferBytesMax) return;
  throw new SourceProblem(
    'BUFFER_TOO_LONG',
    `A buffer of the file has more than ${formatBytes(bufferBytesMax)}, which is the limit.`,
  );
}
