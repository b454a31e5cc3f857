import { throwIfAborted } from '../errors.ts';
import { sourceChunks } from '../store/source-chunks.ts';
import { cutParts, type Part } from './cut-parts.ts';

/** An upload of one object in parts; the object becomes visible only when it is completed. */
export interface PartUpload<Stored> {
  /**
   * Sends a part in the background; resolves once the next one may be added. @throws the error of
   * an earlier part that failed
   */
  add(part: Part): Promise<void>;
  /** Waits for all parts and assembles the object. */
  complete(): Promise<Stored>;
  /** Aborts the upload in any state. Never throws. */
  abort(): Promise<void>;
}

/** The part size of `putInParts` and its callbacks. */
export interface PutInPartsOptions<Stored> {
  readonly partBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Throws when the store has been closed. */
  readonly assertAlive: () => void;
  /** Puts a small object with one request. */
  readonly putWhole: (bytes: Uint8Array) => Promise<Stored>;
  /**
   * Starts the upload of a large object. Calls `fail` as soon as a part has failed permanently,
   * which also aborts `signal`.
   */
  readonly beginUpload: (
    signal: AbortSignal,
    fail: (error: unknown) => void,
  ) => Promise<PartUpload<Stored>>;
}

/**
 * Stores the bytes of a source atomically: with one request if they fit in a part, otherwise as a
 * multipart upload that is completed at the end or aborted. Memory: the part being filled, and
 * those being sent.
 *
 * A part that fails permanently closes the source immediately, even while it is still producing.
 */
export async function putInParts<Stored>(
  source: AsyncIterable<Uint8Array>,
  options: PutInPartsOptions<Stored>,
): Promise<Stored> {
  const { partBytes, assertAlive, putWhole, beginUpload } = options;
  const failure = new AbortController();
  const signal =
    options.signal === undefined
      ? failure.signal
      : AbortSignal.any([options.signal, failure.signal]);
  let upload: PartUpload<Stored> | undefined;
  try {
    for await (const part of cutParts(
      alive(sourceChunks(source, signal), assertAlive),
      partBytes,
    )) {
      throwIfAborted(signal);
      assertAlive();
      if (upload === undefined) {
        if (part.isLast) return await putWhole(part.bytes);
        upload = await beginUpload(signal, (error) => failure.abort(error));
      }
      await upload.add(part);
      if (part.isLast) return await upload.complete();
    }
    throw new Error('The object had no final part.');
  } catch (error) {
    failure.abort(error);
    await upload?.abort();
    throw error;
  }
}

async function* alive(
  chunks: AsyncIterable<Uint8Array>,
  assertAlive: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    assertAlive();
    yield chunk;
  }
}
