import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';

/** The codings of a whole page on its way to a client, by their names in HTTP. */
export type ContentEncoding = 'zstd' | 'br' | 'gzip';

/**
 * Compresses a body while it is produced, for speed rather than size, because pages are read once,
 * by a waiting client. The bytes are compressed in libuv's threads. The source is closed when the
 * iteration has ended; none of its chunks may be overwritten before.
 *
 * @throws any error of the source
 */
export async function* compressBody(
  body: AsyncIterable<Uint8Array>,
  encoding: ContentEncoding,
  chunkSize = 64 * 1024,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(body, { objectMode: false });
  const closed = once(source, 'close').catch(() => undefined);
  // A failure of either destroys both; the reader of the compressed stream receives it.
  const compressor = pipeline(source, createCompressor(encoding, chunkSize), () => undefined);
  try {
    yield* compressor as AsyncIterable<Uint8Array>;
  } finally {
    compressor.destroy();
    source.destroy();
    await closed;
  }
}

function createCompressor(encoding: ContentEncoding, chunkSize: number) {
  if (encoding === 'gzip') return createGzip({ level: 1, chunkSize });
  if (encoding === 'br') {
    return createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  }
  return createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
