import { systemClock } from '@quire/core/portable';
import { useEffect, useRef } from 'react';
import { followResult } from '../router.ts';

/**
 * The time for which a row must be the current one before the address names it: browsers limit how
 * often it may change, and load the icon again each time.
 */
const addressAfterMs = 300;

/** Makes the address name the result at once, and its current row once that rests. */
export function useAddress({
  id,
  row,
  sql,
  isPart,
}: {
  readonly id: string;
  /** The current row, counted from 1; undefined for the first one. */
  readonly row: string | undefined;
  readonly sql: string | undefined;
  /** True for one of several statements that ran in turn: no step in the browser's history. */
  readonly isPart: boolean;
}): void {
  const followed = useRef<string>(undefined);
  useEffect(() => {
    const follow = (): void => followResult({ id, row, sql }, { isStep: !isPart });
    const stop = new AbortController();
    if (followed.current === id) {
      systemClock.sleep(addressAfterMs, stop.signal).then(follow, () => undefined);
    } else follow();
    followed.current = id;
    return () => stop.abort();
  }, [row, id, sql, isPart]);
}
