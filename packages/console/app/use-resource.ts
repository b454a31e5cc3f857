import { systemClock } from '@quire/core/portable';
import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * Something that a server is asked for: not there yet, there, or failed. What was there stays while
 * it is asked for again.
 */
export interface Resource<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Asks again now. */
  readonly reload: () => void;
}

/**
 * Asks for something when the key changes, and then every so often while the tab is seen.
 *
 * @param key what it depends on
 */
export function useResource<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs }: { readonly everyMs?: number } = {},
): Resource<Value> {
  const [state, setState] = useState<{ key: string; value?: Value | undefined; error?: unknown }>({
    key,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      do {
        try {
          const value = await latest.current(stop.signal);
          if (!stop.signal.aborted) setState({ key, value });
        } catch (error) {
          if (!stop.signal.aborted) {
            setState((before) => ({
              key,
              value: before.key === key ? before.value : undefined,
              error,
            }));
          }
        }
        if (everyMs === undefined) return;
        await systemClock.sleep(everyMs, stop.signal).catch(() => undefined);
        await untilSeen(stop.signal);
      } while (!stop.signal.aborted);
    };
    void ask();
    return () => stop.abort();
  }, [key, round, everyMs]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isOld = state.key !== key;
  return {
    value: isOld ? undefined : state.value,
    error: isOld ? undefined : state.error,
    isLoading: isOld || (state.value === undefined && state.error === undefined),
    reload,
  };
}

/** Nobody watches a hidden tab. */
async function untilSeen(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted) {
    await new Promise<void>((resolve) => {
      document.addEventListener('visibilitychange', () => resolve(), { once: true });
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** The time, told again every so often. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => systemClock.nowMs());
  useEffect(() => {
    const stop = new AbortController();
    const tick = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await systemClock.sleep(everyMs, stop.signal).catch(() => undefined);
        if (!stop.signal.aborted) setNowMs(systemClock.nowMs());
      }
    };
    void tick();
    return () => stop.abort();
  }, [everyMs]);
  return nowMs;
}
