import { systemClock } from '@quire/core/portable';
import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * A resource of a server: loading, loaded, or failed. The loaded value remains while it is
 * requested again.
 */
export interface Resource<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Requests it again now. */
  readonly reload: () => void;
}

/**
 * Requests a resource when the key changes, and then periodically while the tab is visible.
 *
 * @param key its dependencies
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

/** A hidden tab is not refreshed. */
async function untilSeen(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted) {
    await new Promise<void>((resolve) => {
      document.addEventListener('visibilitychange', () => resolve(), { once: true });
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** Returns the current time, updated periodically. */
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
