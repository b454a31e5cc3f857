/**
 * Yields the result of `load` for each request, in order, and loads at most one more while the
 * consumer processes one. Leaving the loop early aborts loading.
 *
 * @throws any error of `load`, once all earlier results have been yielded
 */
export async function* readAhead<Request, Item>(
  requests: Iterator<Request>,
  load: (request: Request, signal: AbortSignal) => Promise<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const aborter = new AbortController();
  const onAbort = (): void => {
    aborter.abort(signal?.reason);
  };
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort);
  const loadNext = (): Promise<Item> | undefined => {
    const request = requests.next();
    if (request.done === true) return undefined;
    const loading = load(request.value, aborter.signal);
    // Awaited later, or never if the consumer leaves: a failure must not be unhandled until then.
    loading.catch(() => undefined);
    return loading;
  };
  try {
    for (let loading = loadNext(); loading !== undefined;) {
      const item = await loading;
      loading = loadNext();
      yield item;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    aborter.abort();
  }
}
