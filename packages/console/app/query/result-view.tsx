import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { counted, formatElapsed } from '../format.ts';
import { placeOf, replacePlace } from '../router.ts';
import { useSession } from '../session.ts';
import { Empty, Failed, Loading } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { CellDialog } from './cell-dialog.tsx';
import { type CopyFormat, rowsAsText } from './copy-rows.ts';
import { DownloadMenu } from './download-menu.tsx';
import { Expiry } from './expiry.tsx';
import { MissingResultError, MissingResult, isGone } from './gone-result.tsx';
import { type GridColumn, gridColumnsOf } from './grid-columns.ts';
import { ColumnsMenu, CopyMenu, JumpToRow, selectedRows } from './grid-tools.tsx';
import { useGridState } from './grid-state.ts';
import { describePlace, type GridPlace, ResultGrid } from './result-grid.tsx';
import { type OpenResult, ResultPages } from './result-pages.ts';

const PlotPanel = lazy(async () => ({
  default: (await import('../plot/plot-panel.tsx')).PlotPanel,
}));

/** A query that is part of a link makes it long; longer ones stay out of it. */
const linkedSqlMax = 1500;

interface ResultViewProps {
  readonly result: OpenResult;
  /** The query that it answers, where that is known. */
  readonly sql: string | undefined;
  readonly elapsedMs: number;
  /** The row that a link leads to, counted from 1. */
  readonly firstRow: number | undefined;
  /** The cell where one was in the first rows, while the query ran. */
  readonly initialPlace: GridPlace | undefined;
  readonly onRunAgain: () => void;
  /** Writes a query of this result into the editor. */
  readonly onQuery: () => void;
}

/** A stored result: what can be done with it, and all of its rows. */
export function ResultView({
  result,
  sql,
  elapsedMs,
  firstRow,
  initialPlace,
  onRunAgain,
  onQuery,
}: ResultViewProps): ReactNode {
  const { client } = useSession();
  const { say, attempt } = useToasts();
  const pages = useMemo(() => new ResultPages(client, result), [client, result]);
  const columns = useMemo(() => gridColumnsOf(result), [result]);
  const [tab, setTab] = useState<'rows' | 'plot'>('rows');
  const grid = useGridState();
  const { place, selection, visibility, setPlace, setVisibility } = grid;
  const [opened, setOpened] = useState<{ readonly row: number; readonly column: GridColumn }>();
  const [error, setError] = useState<unknown>();
  const visible = columns.filter(({ key }) => visibility[key]?.hidden !== true);
  const linkedSql = sql !== undefined && sql.length <= linkedSqlMax ? sql : undefined;

  // Later the address follows the grid.
  const [linkedRow] = useState(firstRow);
  const [start] = useState(initialPlace);
  useEffect(() => {
    const row = rowWithin(linkedRow, result);
    if (row > 0) setPlace({ row, column: 0 });
    else if (start !== undefined) setPlace({ ...start });
  }, [linkedRow, start, result, setPlace]);
  useEffect(() => {
    const row = place.row > 0 ? String(place.row + 1) : undefined;
    replacePlace(['query'], { id: result.requestId, row, sql: linkedSql });
  }, [place.row, result.requestId, linkedSql]);

  const copy = useCallback(
    (format: CopyFormat, row?: number) =>
      attempt(async () => {
        const rows = selectedRows(selection, row ?? Math.max(0, place.row), result.totalRowCount);
        await navigator.clipboard.writeText(
          await rowsAsText(pages, rows, { columns: visible, format }),
        );
        return `Copied ${counted(rows.length, 'row')} as ${format}.`;
      }),
    [attempt, selection, place.row, result.totalRowCount, pages, visible],
  );
  const onExpired = useCallback(() => setError(new MissingResultError()), []);
  if (isGone(error)) {
    return <MissingResult error={error} canRunAgain={sql !== undefined} onRunAgain={onRunAgain} />;
  }
  return (
    <div className="card result-card">
      <header className="result-bar">
        <div className="tabs" role="tablist" aria-label="Result as">
          {(['rows', 'plot'] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              onClick={() => setTab(each)}
            >
              {each === 'rows' ? 'Rows' : 'Plot'}
            </button>
          ))}
        </div>
        <span className="quiet number result-count">
          <strong>{counted(result.totalRowCount, 'row')}</strong>
          {sql !== undefined && ` in ${formatElapsed(elapsedMs)}`}
        </span>
        <div className="toolbar">
          {tab === 'rows' && (
            <>
              <JumpToRow
                rowCount={result.totalRowCount}
                onJump={(row) => setPlace({ ...place, row })}
              />
              <ColumnsMenu columns={columns} visibility={visibility} onChange={setVisibility} />
              <CopyMenu selection={selection} place={place} onCopy={copy} />
            </>
          )}
          <button type="button" className="button small" onClick={onQuery}>
            Query this result
          </button>
          <DownloadMenu result={result} />
          <button
            type="button"
            className="button small"
            onClick={() =>
              attempt(async () => {
                const parameters = {
                  id: result.requestId,
                  row: String(Math.max(0, place.row) + 1),
                  sql: linkedSql,
                };
                await navigator.clipboard.writeText(
                  new URL(placeOf(['query'], parameters), location.href).href,
                );
                return 'The link is copied. Whoever may read this result can open it.';
              })
            }
          >
            Copy link
          </button>
          <Expiry requestId={result.requestId} onExpired={onExpired} />
        </div>
      </header>
      {error !== undefined && <Failed error={error} onRetry={() => setError(undefined)} />}
      {tab === 'plot' ? (
        <Suspense fallback={<Loading what="the plots" />}>
          <PlotPanel sql={sql} columns={columns} rowCount={result.totalRowCount} />
        </Suspense>
      ) : result.columns.length === 0 || visible.length === 0 ? (
        <Empty title="All columns are hidden">
          <button type="button" className="button" onClick={() => setVisibility({})}>
            Show all columns
          </button>
        </Empty>
      ) : (
        <>
          <ResultGrid
            pages={pages}
            columns={columns}
            {...grid.props}
            onOpenCell={(row, column) => setOpened({ row, column })}
            onCopy={(row) => copy('TSV', row)}
            onError={setError}
          />
          {result.totalRowCount === 0 && (
            <p className="no-rows quiet">The query has no rows. Its columns are above.</p>
          )}
          <footer className="result-foot quiet number">
            <span aria-live="polite">{describePlace(place, result.totalRowCount)}</span>
            <span className="keys">Enter opens a cell · Ctrl+Shift+C copies rows</span>
          </footer>
        </>
      )}
      {opened !== undefined && (
        <CellDialog
          pages={pages}
          row={opened.row}
          column={opened.column}
          onClose={() => setOpened(undefined)}
          onCopied={say}
        />
      )}
    </div>
  );
}

/** Links are typed by hand as well. */
function rowWithin(row: number | undefined, { totalRowCount }: OpenResult): number {
  return row === undefined || !Number.isSafeInteger(row)
    ? 0
    : Math.min(Math.max(0, row - 1), Math.max(0, totalRowCount - 1));
}
