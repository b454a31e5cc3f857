import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { counted, formatElapsed } from '../format.ts';
import { plotSource } from '../plot/plot-sql.ts';
import { useSession } from '../session.ts';
import { Empty, Failed, Loading } from '../widgets/states.tsx';
import { type AskedColumn, AskedColumnDialog, columnQuestions } from './asked-column.tsx';
import { CellDialog } from './cell-dialog.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { Expiry } from './expiry.tsx';
import { MissingResult, isGone } from './gone-result.tsx';
import { type GridColumn, gridColumnsOf, inGridOrder } from './grid-columns.ts';
import { ColumnsMenu, CopyMenu, JumpToRow } from './grid-tools.tsx';
import { useGridState } from './grid-state.ts';
import {
  type ColumnActions,
  describePosition,
  type GridPosition,
  ResultGrid,
  type ResultGridProps,
} from './result-grid.tsx';
import { planFormOf } from './plan-steps.ts';
import { PlanView } from './plan-view.tsx';
import { type OpenResult, ResultPages } from './result-pages.ts';
import { selectResult } from './result-query.ts';
import { isProfiled } from './split-statements.ts';
import { StatisticsView } from './statistics-view.tsx';
import { wholeView } from './row-view.ts';
import { useAddress } from './use-address.ts';
import { useResultCopies } from './use-result-copies.ts';
import { useRowView, type ViewedResult } from './use-row-view.ts';
import { ViewBar } from './view-bar.tsx';

const PlotPanel = lazy(async () => ({
  default: (await import('../plot/plot-panel.tsx')).PlotPanel,
}));

/** A query in a link makes it long; longer ones are omitted. */
const linkedSqlMax = 1500;

const tabTitles = { plan: 'Plan', rows: 'Rows', plot: 'Plot', statistics: 'Statistics' } as const;
type ResultTab = keyof typeof tabTitles;

function tabsOf(isPlan: boolean): readonly ResultTab[] {
  return isPlan ? ['plan', 'rows'] : ['rows', 'plot', 'statistics'];
}

interface ResultViewProps {
  readonly result: OpenResult;
  /** The query that it answers, if known. */
  readonly sql: string | undefined;
  readonly elapsedMs: number;
  /** The row of a link, counted from 1. */
  readonly firstRow: number | undefined;
  /** The current cell in the first rows, while the query ran. */
  readonly initialPlace: GridPosition | undefined;
  /**
   * True for one of several statements that ran in turn, which adds no step to the browser's
   * history.
   */
  readonly isPart: boolean;
  readonly onRunAgain: () => void;
  /** Writes a query into the editor. */
  readonly onEdit: (sql: string) => void;
}

/** A stored result: its actions, and all of its rows. */
export function ResultView({
  result,
  sql,
  elapsedMs,
  firstRow,
  initialPlace,
  isPart,
  onRunAgain,
  onEdit,
}: ResultViewProps): ReactNode {
  const { client, readsResults } = useSession();
  const viewed = useRowView(result);
  const { shown, view, setView } = viewed;
  const pages = useMemo(() => new ResultPages(client, shown), [client, shown]);
  const columns = useMemo(() => gridColumnsOf(result), [result]);
  const isPlan = planFormOf(result.columns) !== undefined;
  const [tab, setTab] = useState<ResultTab>(
    isPlan ? 'plan' : sql !== undefined && isProfiled(sql) ? 'statistics' : 'rows',
  );
  const grid = useGridState(shown);
  const { place, selection, visibility, setPlace, setVisibility } = grid;
  const { pinned } = grid.props;
  const [opened, setOpened] = useState<{ readonly row: number; readonly column: GridColumn }>();
  const [asked, setAsked] = useState<AskedColumn>();
  const columnActions = useColumnActions(viewed, setAsked);
  // In the order of the grid, whose positions count from its pinned columns.
  const visible = inGridOrder(columns, pinned).filter(
    ({ key }) => visibility[key]?.hidden !== true,
  );
  const linkedSql = sql !== undefined && sql.length <= linkedSqlMax ? sql : undefined;

  useStartPlace({ firstRow, initialPlace, result }, setPlace);
  // A link opens the whole result, whose rows have other numbers than those of a view.
  const linkedRow = shown === result && place.row > 0 ? String(place.row + 1) : undefined;
  useAddress({ id: result.requestId, row: linkedRow, sql: linkedSql, isPart });

  const copies = useResultCopies({
    requestId: result.requestId,
    linkedRow,
    pages,
    rowCount: shown.totalRowCount,
    visible,
    grid,
    sql: viewed.sql ?? sql,
    linkedSql,
  });
  useWayBack(viewed);
  const { gone, error, onGone, onError, onRetry } = useFailure(viewed, result);
  if (gone !== undefined) {
    return <MissingResult error={gone} canRunAgain={sql !== undefined} onRunAgain={onRunAgain} />;
  }
  return (
    <div className="card result-card">
      <header className="result-bar">
        <ResultTabs isPlan={isPlan} tab={tab} onTab={setTab} />
        <span className="quiet number result-count">
          <strong>{counted(result.totalRowCount, 'row')}</strong>
          {sql !== undefined && ` in ${formatElapsed(elapsedMs)}`}
        </span>
        <Expiry requestId={result.requestId} onGone={onGone} />
        <div className="toolbar">
          {tab === 'rows' && (
            <>
              <JumpToRow
                rowCount={shown.totalRowCount}
                onJump={(row) => setPlace({ ...place, row })}
              />
              <ColumnsMenu columns={columns} visibility={visibility} onChange={setVisibility} />
              <CopyMenu
                selection={selection}
                place={place}
                column={visible[place.column]}
                onCopy={copies.copyRows}
                onCopyColumn={copies.copyColumn}
                onCopyNames={copies.copyNames}
                onCopyCode={copies.copyCode}
              />
            </>
          )}
          {readsResults && (
            <button
              type="button"
              className="button small"
              onClick={() => onEdit(selectResult(result.requestId))}
            >
              Query this result
            </button>
          )}
          <DownloadMenu result={shown} />
          <button type="button" className="button small" onClick={copies.copyLink}>
            Copy link
          </button>
        </div>
      </header>
      <ViewBar viewed={viewed} onEdit={onEdit} />
      {error !== undefined && <Failed error={error} onRetry={onRetry} />}
      {tab === 'plan' ? (
        <PlanView pages={pages} />
      ) : tab === 'statistics' ? (
        <StatisticsView result={result} />
      ) : tab === 'plot' ? (
        <Suspense fallback={<Loading what="the plots" />}>
          <PlotPanel
            {...plotSource(shown.requestId, columns, readsResults ? undefined : sql)}
            rowCount={shown.totalRowCount}
          />
        </Suspense>
      ) : result.columns.length === 0 || visible.length === 0 ? (
        <Empty title="All columns are hidden">
          <button type="button" className="button" onClick={() => setVisibility({})}>
            Show all columns
          </button>
        </Empty>
      ) : (
        <RowsTab
          isFiltered={shown !== result}
          grid={{
            pages,
            columns,
            ...grid.props,
            onOpenCell: (row, column) => setOpened({ row, column }),
            onCopy: (row) => copies.copyRows('TSV', row),
            onError,
            ...(readsResults && { columnActions }),
          }}
          rowCount={shown.totalRowCount}
        />
      )}
      {asked !== undefined && (
        <AskedColumnDialog
          asked={asked}
          result={shown}
          row={Math.max(0, place.row)}
          onFilter={(filter) => setView({ ...view, filters: [...view.filters, filter] })}
          onFound={(row) => setPlace({ row, column: visible.indexOf(asked.column) })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {opened !== undefined && (
        <CellDialog
          pages={pages}
          row={opened.row}
          column={opened.column}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

function ResultTabs({
  isPlan,
  tab,
  onTab,
}: {
  readonly isPlan: boolean;
  readonly tab: ResultTab;
  readonly onTab: (tab: ResultTab) => void;
}): ReactNode {
  return (
    <div className="tabs" role="tablist" aria-label="Result as">
      {tabsOf(isPlan).map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          aria-selected={tab === each}
          onClick={() => onTab(each)}
        >
          {tabTitles[each]}
        </button>
      ))}
    </div>
  );
}

/** The grid, and below it the current position. */
function RowsTab({
  grid,
  rowCount,
  isFiltered,
}: {
  readonly grid: ResultGridProps;
  readonly rowCount: number;
  readonly isFiltered: boolean;
}): ReactNode {
  return (
    <>
      <ResultGrid {...grid} />
      {rowCount === 0 && (
        <p className="no-rows quiet">
          {isFiltered
            ? 'No row fits the filters.'
            : 'The query has no rows. Its columns are above.'}
        </p>
      )}
      <footer className="result-foot quiet number">
        <span aria-live="polite">{describePosition(grid.place, rowCount)}</span>
        <span className="keys">Enter opens a cell · Ctrl+Shift+C copies rows</span>
      </footer>
    </>
  );
}

/** Sorting by a column, and the questions about it, for its menu. */
function useColumnActions(
  { view, setView }: ViewedResult,
  onAsked: (asked: AskedColumn) => void,
): ColumnActions {
  return useMemo(
    () => ({
      sort: view.sort,
      onSort: (sort) => setView({ ...view, sort }),
      itemsOf: (column) =>
        columnQuestions.map(({ kind, label }) => ({
          label,
          onClick: () => onAsked({ kind, column }),
        })),
    }),
    [view, setView, onAsked],
  );
}

/**
 * The failure to read the rows shown, or the reason why the whole result is gone. The answer of a
 * view may be gone before it, and is then requested again.
 */
function useFailure({ shown, rerun }: ViewedResult, result: OpenResult) {
  const [failure, setFailure] = useState<{ readonly of: OpenResult; readonly error: unknown }>();
  const onGone = useCallback((error: unknown) => setFailure({ of: result, error }), [result]);
  const isOfResult = failure?.of === result && isGone(failure.error);
  return {
    gone: isOfResult ? failure.error : undefined,
    error: failure?.of === shown ? failure.error : undefined,
    onGone,
    onError: (error: unknown) => setFailure({ of: shown, error }),
    onRetry: () => {
      setFailure(undefined);
      if (isGone(failure?.error)) rerun();
    },
  };
}

/** Moves to the row of the link, or to the cell that was current while the query ran. */
function useStartPlace(
  { firstRow, initialPlace, result }: Pick<ResultViewProps, 'firstRow' | 'initialPlace' | 'result'>,
  setPlace: (place: GridPosition) => void,
): void {
  // Later the address follows the grid.
  const [linkedRow] = useState(firstRow);
  const [start] = useState(initialPlace);
  useEffect(() => {
    const row = rowWithin(linkedRow, result);
    if (row > 0) setPlace({ row, column: 0 });
    else if (start !== undefined) setPlace({ ...start });
  }, [linkedRow, start, result, setPlace]);
}

/** Shows the whole result again at the Escape key. */
function useWayBack({ sql, setView }: ViewedResult): void {
  useEffect(() => {
    if (sql === undefined) return undefined;
    const stop = new AbortController();
    const back = ({ key, target }: KeyboardEvent): void => {
      if (key === 'Escape' && !isElsewhere(target)) setView(wholeView);
    };
    // A clicked header is redrawn with the rows, and has lost the focus.
    document.addEventListener('keydown', back, stop);
    return () => stop.abort();
  }, [sql, setView]);
}

/** The editor, menus, dialogs and fields use the Escape key themselves. */
function isElsewhere(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('.editor, dialog, details[open], [role=menu], input, select') !== null
  );
}

/** Links may be typed by hand as well. */
function rowWithin(row: number | undefined, { totalRowCount }: OpenResult): number {
  return row === undefined || !Number.isSafeInteger(row)
    ? 0
    : Math.min(Math.max(0, row - 1), Math.max(0, totalRowCount - 1));
}
