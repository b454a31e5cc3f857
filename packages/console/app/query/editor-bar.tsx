import { systemClock } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { counted, formatBytes, formatElapsed } from '../format.ts';
import { useSession } from '../session.ts';
import { useNow } from '../use-resource.ts';
import { Menu } from '../widgets/menu.tsx';
import { DialectNote } from './dialect-note.tsx';
import type { QueryState } from './query-runner.ts';
import { explained, profiled } from './split-statements.ts';

type RunningState = Extract<QueryState, { readonly kind: 'running' }>;

/** The buttons below the editor, its own menus, and the progress of the running query. */
export function EditorBar({
  isRunnable,
  isSelected,
  running,
  isBrowserOpen,
  onBrowser,
  onRun,
  onCancel,
  children,
}: {
  readonly isRunnable: boolean;
  /** True if a part of the text is selected, which alone would run. */
  readonly isSelected: boolean;
  readonly running: RunningState | undefined;
  /** True if the tables are shown beside the editor. */
  readonly isBrowserOpen: boolean;
  readonly onBrowser: () => void;
  /** Runs the text, or for each statement what `wrap` makes of it. */
  readonly onRun: (wrap?: (sql: string) => string) => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { readsResults } = useSession();
  return (
    <div className="toolbar editor-bar">
      {running?.sql !== undefined ? (
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      ) : (
        <button
          type="button"
          className="button main"
          disabled={!isRunnable}
          onClick={() => onRun()}
        >
          {isSelected ? 'Run selection' : 'Run'} <kbd>Ctrl+Enter</kbd>
        </button>
      )}
      <button
        type="button"
        className="button small"
        aria-pressed={isBrowserOpen}
        onClick={onBrowser}
      >
        Tables
      </button>
      <Menu label="Explain" fromStart>
        <button type="button" onClick={() => onRun((sql) => explained(sql, 'EXPLAIN PLAN FOR'))}>
          Plan <small className="quiet">what the engine would do</small>
        </button>
        <button
          type="button"
          onClick={() =>
            // Apache Pinot, whose queries read no results, traces queries instead.
            onRun(readsResults ? (sql) => explained(sql, 'EXPLAIN ANALYZE') : profiled)
          }
        >
          Profile <small className="quiet">runs it, and times each step</small>
        </button>
      </Menu>
      {children}
      <DialectNote />
      {running !== undefined && <Running state={running} />}
    </div>
  );
}

function Running({ state }: { readonly state: RunningState }): ReactNode {
  useNow(100);
  const { status } = state.progress ?? {};
  return (
    <span className="running" role="status">
      <span className="spinner" aria-hidden="true" />
      <span className="number">
        {state.sql === undefined
          ? 'Opening'
          : status?.state === 'QUEUED'
            ? 'Waiting for its turn'
            : 'Running'}{' '}
        · {formatElapsed(systemClock.monotonicMs() - state.startMs)}
        {status?.processedPercent !== undefined && (
          <>
            {' · '}
            <progress value={status.processedPercent} max={100} aria-label="Rows processed" />{' '}
            {status.processedPercent} % of the rows processed
          </>
        )}
        {status !== undefined &&
          status.rowCount > 0 &&
          ` · ${counted(status.rowCount, 'row')} so far, ${formatBytes(status.sizeBytes)}`}
      </span>
    </span>
  );
}
