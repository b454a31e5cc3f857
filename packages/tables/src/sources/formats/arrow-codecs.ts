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
 * Runs a step of reading an Arrow file, in which the library may decompress buffers: it has one
 * registry of codecs for all files. Decompressed bytes are taken from the budget.
 */
export function withCodecs<Value>(budget: ByteBudget, step: () => Promise<Value>): Promise<Value> {
  for (const [type, decode] of codecs) {
    // Codecs of the program that embeds this package remain.
    if (compressionRegistry.get(type) === null) compressionRegistry.set(type, { decode });
  }
  return budgets.run(budget, step);
}

const codecs: readonly (readonly [CompressionType, (bytes: Uint8Array) => Uint8Array])[] = [
  [CompressionType.LZ4_FRAME, (bytes) => counted(decompressLz4Frame(bytes, assertMayTake))],
  [CompressionType.ZSTD, (bytes) => counted(decompressZstd(bytes))],
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
