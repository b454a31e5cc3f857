import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';

/** How a body travels; in order of preference where a client does not care. */
const contentEncodings = ['zstd', 'br', 'gzip'] as const;

export type ContentEncoding = (typeof contentEncodings)[number] | 'identity';

/** Its types do not know yet that the preference of the server breaks ties. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options?: { readonly preferred: readonly string[] }): string | undefined;
}

/** Smaller bodies fit a packet or two: compressing them gains nothing. */
const worthwhileBytes = 2048;

/** The compression to use for a body of about `sizeBytes`: one that the client accepts, if it is worth it. */
export function chooseEncoding(headers: IncomingHttpHeaders, sizeBytes: number): ContentEncoding {
  if (sizeBytes < worthwhileBytes || headers['accept-encoding'] === undefined) return 'identity';
  const negotiator: EncodingNegotiator = new Negotiator({ headers });
  const accepted = negotiator.encoding([...contentEncodings, 'identity'], { preferred: contentEncodings });
  return contentEncodings.find((encoding) => encoding === accepted) ?? 'identity';
}

/** Compresses a body while it streams, fast rather than small: pages are read once, by somebody who waits. */
export function compressed(body: Readable, encoding: ContentEncoding): Readable {
  if (encoding === 'identity') return body;
  // A failure of either destroys both; the reader of the compressed stream sees it there.
  return pipeline(body, createCompressor(encoding), () => undefined);
}

function createCompressor(encoding: Exclude<ContentEncoding, 'identity'>) {
  const chunkSize = 64 * 1024;
  if (encoding === 'gzip') return createGzip({ level: 1, chunkSize });
  if (encoding === 'br') return createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  return createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
