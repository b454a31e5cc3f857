import { abortError, throwIfAborted } from '../errors.ts';

/**
 * Yields the chunks that were passed to `put`, pulled one by one, without empty ones.
 *
 * The source's own failure is rethrown unchanged. A started source is closed (its `return`) when
 * the reader stops early. It is also closed immediately when the signal is aborted, even while the
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
      isOurs = false; // true while the source is producing a chunk, and once it has failed or ended: do not close it here
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

/** Returns the next step of `iterator`; rejects with ABORTED as soon as the signal is aborted. */
function pull(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  const next = iterator.next();
  if (signal === undefined) return next;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(abortError(signal));
      // A stuck generator settles `return` only when it continues: do not wait for it, and ignore
      // its outcome.
      iterator.return?.().then(undefined, () => undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    next.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
