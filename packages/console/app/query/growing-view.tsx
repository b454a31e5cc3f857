import { type ReactNode, useMemo, useState } from 'react';
import { counted } from '../format.ts';
import { useSession } from '../session.ts';
import { Failed } from '../widgets/states.tsx';
import { gridColumnsOf } from './grid-columns.ts';
import { useGridState } from './grid-state.ts';
import { type GridPosition, ResultGrid } from './result-grid.tsx';
import { type OpenResult, ResultPages } from './result-pages.ts';

const nothing = (): void => undefined;

/**
 * The first rows of a running query. Functions that need the whole result (plots, downloads, links)
 * are available once the query has ended.
 */
export function GrowingView({
  result,
  onPlace,
}: {
  readonly result: OpenResult;
  /** Called when the user has moved to a cell, to stay there when the query has ended. */
  readonly onPlace: (place: GridPosition) => void;
}): ReactNode {
  const { client } = useSession();
  const pages = useMemo(() => new ResultPages(client, result), [client, result]);
  const columns = useMemo(() => gridColumnsOf(result), [result]);
  const grid = useGridState(result);
  const [error, setError] = useState<unknown>();
  return (
    <div className="card result-card">
      <header className="result-bar">
        <span className="quiet number result-count">
          <strong>The first {counted(result.totalRowCount, 'row')}</strong>, while the query runs
        </span>
      </header>
      {error !== undefined && <Failed error={error} onRetry={() => setError(undefined)} />}
      <ResultGrid
        pages={pages}
        columns={columns}
        {...grid.props}
        onPlace={(next) => {
          grid.setPlace(next);
          onPlace(next);
        }}
        onOpenCell={nothing}
        onCopy={nothing}
        onError={setError}
      />
    </div>
  );
}
