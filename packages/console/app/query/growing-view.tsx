import { type ReactNode, useMemo, useState } from 'react';
import { counted } from '../format.ts';
import { useSession } from '../session.ts';
import { Failed } from '../widgets/states.tsx';
import { gridColumnsOf } from './grid-columns.ts';
import { type GridPlace, ResultGrid, type Selection, type Visibility } from './result-grid.tsx';
import { type OpenResult, ResultPages } from './result-pages.ts';

const nothing = (): void => undefined;

/** The first rows of a query that still runs. What needs the whole result (plots, downloads, links) comes with it. */
export function GrowingView({
  result,
  onPlace,
}: {
  readonly result: OpenResult;
  /** Somebody has gone to a cell, and wants to be there still when the query has ended. */
  readonly onPlace: (place: GridPlace) => void;
}): ReactNode {
  const { client } = useSession();
  const pages = useMemo(() => new ResultPages(client, result), [client, result]);
  const columns = useMemo(() => gridColumnsOf(result), [result]);
  const [place, setPlace] = useState<GridPlace>({ row: 0, column: 0 });
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [visibility, setVisibility] = useState<Visibility>({});
  const [selection, setSelection] = useState<Selection>({ ranges: [] });
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
        pinned={pinned}
        visibility={visibility}
        selection={selection}
        place={place}
        onPinned={setPinned}
        onVisibility={setVisibility}
        onSelection={setSelection}
        onPlace={(next) => {
          setPlace(next);
          onPlace(next);
        }}
        onOpenCell={nothing}
        onCopy={nothing}
        onError={setError}
      />
    </div>
  );
}
