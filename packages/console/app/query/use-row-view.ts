import type { ResultCursor } from '@quire/client';
import { useEffect, useState } from 'react';
import { useSession } from '../session.ts';
import type { OpenResult } from './result-pages.ts';
import { inOwnDialect } from './result-query.ts';
import { type RowView, viewQuery, wholeView } from './row-view.ts';

/** The view of a result: all of it, or the answer to a query of it. */
export interface ViewedResult {
  readonly view: RowView;
  readonly setView: (view: RowView) => void;
  /** The query of the view; undefined while all rows are shown. */
  readonly sql: string | undefined;
  /** The rows shown: the whole result until the query has ended. */
  readonly shown: OpenResult;
  readonly isRunning: boolean;
  readonly error: unknown;
  /** Runs the query of the view again: its answer may expire before the whole result. */
  readonly rerun: () => void;
}

interface Outcome {
  readonly sql: string;
  readonly result?: OpenResult;
  readonly error?: unknown;
}

/**
 * Sorts and filters a stored result by queries of it. The answer to a query is deleted when
 * something else is shown.
 */
export function useRowView(result: OpenResult): ViewedResult {
  const { client, dialects } = useSession();
  const [view, setView] = useState<RowView>(wholeView);
  const [outcome, setOutcome] = useState<Outcome>();
  const [round, setRound] = useState(0);
  const sql = viewQuery(result.requestId, view);
  useEffect(() => {
    if (sql === undefined) return undefined;
    const stop = new AbortController();
    let cursor: ResultCursor | undefined;
    const run = async (): Promise<void> => {
      try {
        cursor = await client.query(inOwnDialect(sql, dialects), {
          rowCount: 1,
          signal: stop.signal,
        });
        if (stop.signal.aborted) await cursor[Symbol.asyncDispose]();
        else setOutcome({ sql, result: cursor });
      } catch (error) {
        if (!stop.signal.aborted) setOutcome({ sql, error });
      }
    };
    void run();
    return () => {
      stop.abort();
      // The same view later needs another answer: this one is deleted.
      setOutcome(undefined);
      // If this fails, the result expires later.
      cursor?.[Symbol.asyncDispose]().catch(() => undefined);
    };
  }, [client, dialects, sql, round]);
  const current = outcome?.sql === sql ? outcome : undefined;
  return {
    view,
    setView,
    sql,
    shown: current?.result ?? result,
    isRunning: sql !== undefined && current === undefined,
    error: current?.error,
    rerun: () => setRound((before) => before + 1),
  };
}
