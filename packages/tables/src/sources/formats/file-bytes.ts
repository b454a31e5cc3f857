import { Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { SourceProblem } from '../source-file.ts';
import type { RowReading } from './row-reading.ts';

export type Compression = 'gzip' | 'zstd' | 'none';

/** How a file is compressed, by its first bytes. */
export function compressionOf(head: Uint8Array): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return 'zstd';
  return 'none';
}

/**
 * The bytes of a file, decompressed as they come, each taken from the budget: what a small file expands to is never held.
 *
 * @throws SourceProblem when it cannot be decompressed, or the budget is spent
 */
export async function* fileBytes(reading: RowReading, compression: Compression): AsyncGenerator<Uint8Array> {
  const { file, signal, budget } = reading;
  const bytes = file.read({ signal });
  for await (const chunk of compression === 'none' ? bytes : decompress(bytes, compression, file.uri)) {
    budget.take(chunk.length);
    yield chunk;
  }
}

async function* decompress(
  bytes: AsyncIterable<Uint8Array>,
  compression: 'gzip' | 'zstd',
  uri: string,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const decompressor: Transform = compression === 'gzip' ? createGunzip() : createZstdDecompress();
  source.on('error', (error) => decompressor.destroy(error));
  source.pipe(decompressor);
  try {
    yield* decompressor as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new SourceProblem('FILE_CORRUPT', `${uri} is not ${compression} to its end: ${error.message}.`, { cause: error });
  } finally {
    decompressor.destroy();
    source.destroy();
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_)/.test(String(error.code));
}

/** The first bytes of a file, decompressed, and those of the file itself: to tell its format. */
export async function readHead(
  reading: RowReading,
  countMax: number,
): Promise<{ readonly raw: Uint8Array; readonly plain: Uint8Array }> {
  const end = Math.min(countMax, reading.file.sizeBytes);
  const raw =
    end === 0 ? new Uint8Array(0) : await collect(reading.file.read({ range: { start: 0, end }, signal: reading.signal }), end);
  const compression = compressionOf(raw);
  if (compression === 'none') return { raw, plain: raw };
  const bytes = reading.file.read({ signal: reading.signal });
  return { raw, plain: await collect(decompress(bytes, compression, reading.file.uri), countMax) };
}

async function collect(bytes: AsyncIterable<Uint8Array>, countMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    count += chunk.length;
    if (count >= countMax) break;
  }
  return Buffer.concat(chunks).subarray(0, countMax);
}
