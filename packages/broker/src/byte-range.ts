import type { IncomingHttpHeaders } from 'node:http';
import { QuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import { type PageFormatName, pageFormats } from '@quire/api';
import type { EncodeOptions, ResultPage } from '@quire/results';

/**
 * A range of bytes in a request header: from `start`, up to and including `last` if it is set; or
 * the last `suffixLength`.
 */
type AskedRange =
  | { readonly start: number; readonly last: number | undefined; readonly suffixLength?: undefined }
  | { readonly suffixLength: number };

/** Bytes `[start, end)` of a body of `sizeBytes`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
  readonly sizeBytes: number;
}

/**
 * Returns the range in a download request. Undefined if there is none, or it may be ignored (RFC
 * 9110 section 14.2): several ranges, other units, malformed ones, a range of a body that has
 * changed (If-Range), and any range of JSON, because a part of a JSON text is useless.
 */
export function askedRange(
  headers: IncomingHttpHeaders,
  format: PageFormatName,
  entityTag: string,
): AskedRange | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (
    range === undefined ||
    pageFormats[format].hasEnvelope ||
    (ifRange !== undefined && ifRange !== entityTag)
  ) {
    return undefined;
  }
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : { suffixLength: Number(last) };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), last: last === '' ? undefined : Number(last) };
}

/**
 * Locates a range in a page. The page is encoded once only to determine its length, because it is
 * not stored: reading it twice costs less than sending it twice.
 *
 * @throws OFFSET_OUT_OF_RANGE when the page ends before it
 */
export async function locateRange(
  asked: AskedRange,
  page: ResultPage,
  format: PageFormatName,
  options: Pick<EncodeOptions, 'signal' | 'codecs' | 'escapesFormulas'>,
): Promise<ByteRange> {
  let sizeBytes = 0;
  for await (const { byteLength } of page.encode(format, { ...options, isDoneWithChunks: true })) {
    sizeBytes += byteLength;
    await yieldToEventLoop(); // encoding is CPU-bound, and nothing here waits for a client
  }
  const start =
    asked.suffixLength === undefined ? asked.start : Math.max(0, sizeBytes - asked.suffixLength);
  const end =
    asked.suffixLength === undefined && asked.last !== undefined
      ? Math.min(asked.last + 1, sizeBytes)
      : sizeBytes;
  if (start < end) return { start, end, sizeBytes };
  throw new UnsatisfiableRange(start, sizeBytes);
}

/** An error whose answer includes the length of the page. */
export class UnsatisfiableRange extends QuireError {
  readonly contentRange: string;

  constructor(start: number, sizeBytes: number) {
    super('OFFSET_OUT_OF_RANGE', `Range starts at byte ${start}; the page has ${sizeBytes} bytes.`);
    this.contentRange = `bytes */${sizeBytes}`;
  }
}

/** Yields the bytes of a range of a body. */
export async function* bytesWithin(
  chunks: AsyncIterable<Uint8Array>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of chunks) {
    const from = Math.max(0, start - position);
    const to = Math.min(chunk.byteLength, end - position);
    position += chunk.byteLength;
    if (from < to) yield chunk.subarray(from, to);
    else await yieldToEventLoop();
    if (position >= end) return;
  }
}
