/**
 * Gives what `load` makes of each request, in their order, with one more under way while the
 * consumer looks at one: never more. Leaving the loop early aborts what is under way.
 *
 * @throws what `load` throws, once everything before has been given
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
    // Awaited later, or never when the consumer leaves: a failure until then is nobody's yet.
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
