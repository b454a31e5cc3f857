import { yieldToEventLoop } from '@quire/core/wait';

/**
 * Bytes that are read before the response begins: bodies up to this size fail cleanly and say their
 * length.
 */
const readyBytesMin = 64 * 1024;

/**
 * A body whose first bytes are at hand, so that a failure to read it can still be answered with a
 * status.
 */
export type OpenBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> };

/**
 * Reads the first chunks: a small body comes whole, a larger one as chunks that are read on as fast
 * as they are asked for. Each chunk may be looked at until the next one is asked for, as those of
 * the source.
 *
 * @throws what the iteration throws meanwhile
 */
export async function openBody(source: AsyncIterable<Uint8Array>): Promise<OpenBody> {
  const iterator = source[Symbol.asyncIterator]();
  const ready: Uint8Array[] = [];
  let last: Uint8Array | undefined;
  for (let sizeBytes = 0; sizeBytes < readyBytesMin;) {
    if (last !== undefined) ready.push(new Uint8Array(last)); // its memory may be used for the next one
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
 * The chunks at hand, then those that follow; leaving at any time closes the iterator.
 *
 * No generator: one that nobody has begun to read yet would not notice that it is closed.
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
      // Encoding is work for the processor: other calls get their turn between any two chunks.
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
