import { yieldToEventLoop } from '@quire/core/wait';

/**
 * The number of bytes that are read before the response starts: smaller bodies fail cleanly and
 * declare their length.
 */
const readyBytesMin = 64 * 1024;

/**
 * A body whose first bytes are available, so that a failure to read it can still be answered with a
 * status.
 */
export type OpenBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> };

/**
 * Reads the first chunks: a small body is complete, a larger one continues with chunks that are
 * read on demand. Each chunk is valid until the next one is requested, as in the source.
 *
 * @throws any error of the iteration
 */
export async function openBody(source: AsyncIterable<Uint8Array>): Promise<OpenBody> {
  const iterator = source[Symbol.asyncIterator]();
  const ready: Uint8Array[] = [];
  let last: Uint8Array | undefined;
  for (let sizeBytes = 0; sizeBytes < readyBytesMin;) {
    if (last !== undefined) ready.push(new Uint8Array(last)); // its memory may be reused for the next one
    const next = await iterator.next();
    if (next.done === true) return { kind: 'whole', bytes: joined(ready) };
    last = next.value;
    sizeBytes += last.byteLength;
  }
  return {
    kind: 'stream',
    chunks: resume(last === undefined ? ready : [...ready, last], iterator),
  };
}

/**
 * Returns the available chunks, then the following ones; closing it at any time closes the
 * iterator. It is not a generator, because a generator that has not started runs no cleanup when it
 * is closed.
 */
function resume(
  ready: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const ahead = ready.values();
  const rest: AsyncIterator<Uint8Array> = {
    next: async () => {
      const next = ahead.next();
      if (next.done !== true) return next;
      // Encoding is CPU-bound: other calls run between any two chunks.
      await yieldToEventLoop();
      return iterator.next();
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => rest };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...others] = chunks;
  return others.length === 0 ? first : Buffer.concat(chunks);
}
