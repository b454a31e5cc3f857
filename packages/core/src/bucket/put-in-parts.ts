import { throwIfAborted } from '../errors.ts';
import { sourceChunks } from '../store/source-chunks.ts';
import { cutParts, type Part } from './cut-parts.ts';

/** One object on its way to a server in parts; nothing shows before it is completed. */
export interface PartUpload<Stored> {
  /**
   * Sends a part in the background; resolves once there is a place for the next one. @throws what
   * an earlier part failed with
   */
  add(part: Part): Promise<void>;
  /** Waits for all parts and makes the object of them. */
  complete(): Promise<Stored>;
  /** Gives up, whatever the state. Never throws. */
  abort(): Promise<void>;
}

/** How `putInParts` cuts an object, and what it calls. */
export interface PutInPartsOptions<Stored> {
  readonly partBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Throws when the store was closed meanwhile. */
  readonly assertAlive: () => void;
  /** Puts all of a small object by one request. */
  readonly putWhole: (bytes: Uint8Array) => Promise<Stored>;
  /**
   * Begins the upload of a large one. `fail` is to be called as soon as a part has failed for good;
   * `signal` is aborted then, too.
   */
  readonly beginUpload: (
    signal: AbortSignal,
    fail: (error: unknown) => void,
  ) => Promise<PartUpload<Stored>>;
}

/**
 * Puts what a source gives, so that it appears at once and whole: by one request when it fits in a
 * part, else by an upload in parts that is completed at the end, or given up. Memory: the part that
 * fills, and those that the upload has on their way.
 *
 * A part that fails for good ends the source at once, however long the source would still work.
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
    throw new Error('The parts of an object had no last one.');
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
