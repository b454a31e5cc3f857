import { Readable } from 'node:stream';

/** A body whose first chunk is at hand, so that a failure to read it can still be answered with a status. */
export type OpenBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly stream: Readable };

/**
 * Reads the first two chunks: a body of one chunk comes whole, a longer one as a stream that reads on as fast as it is read.
 *
 * @throws what the iteration throws before its second chunk; a later failure destroys the stream
 */
export async function openBody(chunks: AsyncIterable<Uint8Array>): Promise<OpenBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return { kind: 'whole', bytes: new Uint8Array(0) };
  const second = await iterator.next();
  if (second.done === true) return { kind: 'whole', bytes: first.value };
  const stream = Readable.from(resume([first.value, second.value], iterator), { objectMode: false });
  return { kind: 'stream', stream };
}

/** The chunks at hand, then those that follow; leaving early closes the iterator. */
async function* resume(atHand: readonly Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isDone = false;
  try {
    yield* atHand;
    for (;;) {
      // Encoding is work for the processor: other calls get their turn between any two chunks.
      await new Promise((resolve) => setImmediate(resolve));
      const next = await iterator.next();
      if (next.done === true) {
        isDone = true;
        return;
      }
      yield next.value;
    }
  } finally {
    if (!isDone) await iterator.return?.();
  }
}
