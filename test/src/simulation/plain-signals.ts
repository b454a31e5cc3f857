/**
 * Lets `AbortSignal.any` return plain signals, while the returned object is not disposed. Node
 * keeps a combined signal that has listeners until it is aborted, and with it everything that they
 * refer to. The signals of a killed process are never aborted.
 */
export function combinePlainly(): Disposable {
  const any = AbortSignal.any.bind(AbortSignal);
  AbortSignal.any = (signals) => {
    const combined = new AbortController();
    for (const signal of signals) {
      const abort = (): void => combined.abort(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    }
    return combined.signal;
  };
  return { [Symbol.dispose]: () => void (AbortSignal.any = any) };
}
