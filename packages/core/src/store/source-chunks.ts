import { abortError, throwIfAborted } from '../errors.ts';

/**
 * The chunks of what was given to `put`, pulled one by one; empty ones are left out.
 *
 * The source's own failure comes out unchanged. A source that was begun is closed (its `return`)
 * when the reader stops early or the signal is aborted, which is noticed at once, even while the
 * source is stuck.
 *
 * @throws ABORTED when the signal is or becomes aborted
 */
export async function* sourceChunks(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  throwIfAborted(signal);
  if (source instanceof Uint8Array) {
    if (source.byteLength > 0) yield source;
    return;
  }
  const iterator = source[Symbol.asyncIterator]();
  let isOurs = false;
  try {
    for (;;) {
      isOurs = false; // while it works, and once it has failed or ended, the source is not ours to close
      const step = await pull(iterator, signal);
      if (step.done === true) return;
      isOurs = true;
      if (step.value.byteLength > 0) yield step.value;
      throwIfAborted(signal);
    }
  } finally {
    if (isOurs) await iterator.return?.();
  }
}

/** The next step of `iterator`, or ABORTED as soon as the signal is aborted. */
function pull(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  const next = iterator.next();
  if (signal === undefined) return next;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(abortError(signal));
      // A stuck generator answers `return` only when it moves again: nobody waits for it, so nobody
      // hears how it ends.
      iterator.return?.().then(undefined, () => undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    next.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
