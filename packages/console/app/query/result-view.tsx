import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { counted, formatElapsed } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { Empty, Failed, Loading } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { CellDialog } from './cell-dialog.tsx';
import { FindDialog, StatisticsDialog } from './column-dialogs.tsx';
import { type CopyFormat, rowsAsText } from './copy-rows.ts';
import { DownloadMenu } from './download-menu.tsx';
import { Expiry } from './expiry.tsx';
import { MissingResultError, MissingResult, isGone } from './gone-result.tsx';
import { type GridColumn, gridColumnsOf } from './grid-columns.ts';
import { ColumnsMenu, CopyMenu, JumpToRow, selectedRows } from './grid-tools.tsx';
import { useGridState } from './grid-state.ts';
import {
  type ColumnActions,
  describePosition,
  type GridPosition,
  ResultGrid,
} from './result-grid.tsx';
import { planFormOf } from './plan-steps.ts';
import { PlanView } from './plan-view.tsx';
import { type OpenResult, ResultPages } from './result-pages.ts';
import { selectResult } from './result-query.ts';
import { isProfiled } from './split-statements.ts';
import { StatisticsView } from './statistics-view.tsx';
import { wholeView } from './row-view.ts';
import { useAddress } from './use-address.ts';
import { useRowView } from './use-row-view.ts';
import { FilterDialog, ViewBar } from './view-bar.tsx';

const PlotPanel = lazy(async () => ({
  default: (await import('../plot/plot-panel.tsx')).PlotPanel,
}));

/** A query in a link makes it long; longer ones are omitted. */
const linkedSqlMax = 1500;

/** The dialogs about a column. */
const columnQuestions = [
  { kind: 'filter', label: 'Filter…' },
  { kind: 'find', label: 'Find…' },
  { kind: 'statistics', label: 'Statistics…' },
] as const;

interface AskedColumn {
  readonly kind: (typeof columnQuestions)[number]['kind'];
  readonly column: GridColumn;
}

const tabTitles = { plan: 'Plan', rows: 'Rows', plot: 'Plot', statistics: 'Statistics' } as const;

function tabsOf(isPlan: boolean): readonly (keyof typeof tabTitles)[] {
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
  const { say, attempt } = useToasts();
  const viewed = useRowView(result);
  const { shown, view, setView } = viewed;
  const pages = useMemo(() => new ResultPages(client, shown), [client, shown]);
  const columns = useMemo(() => gridColumnsOf(result), [result]);
  const isPlan = planFormOf(result.columns) !== undefined;
  const [tab, setTab] = useState<keyof typeof tabTitles>(
    isPlan ? 'plan' : sql !== undefined && isProfiled(sql) ? 'statistics' : 'rows',
  );
  const grid = useGridState();
  const { place, selection, visibility, setPlace, setVisibility } = grid;
  const [opened, setOpened] = useState<{ readonly row: number; readonly column: GridColumn }>();
  const [asked, setAsked] = useState<AskedColumn>();
  const [error, setError] = useState<unknown>();
  const columnActions = useMemo(
    (): ColumnActions => ({
      sort: view.sort,
      onSort: (sort) => setView({ ...view, sort }),
      itemsOf: (column) =>
        columnQuestions.map(({ kind, label }) => ({
          label,
          onClick: () => setAsked({ kind, column }),
        })),
    }),
    [view, setView],
  );
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
  useAddress({ id: result.requestId, row: place.row, sql: linkedSql, isPart });

  const copy = useCallback(
    (format: CopyFormat, row?: number) =>
      attempt(async () => {
        const rows = selectedRows(selection, row ?? Math.max(0, place.row), shown.totalRowCount);
        await navigator.clipboard.writeText(
          await rowsAsText(pages, rows, { columns: visible, format }),
        );
        return `Copied ${counted(rows.length, 'row')} as ${format}.`;
      }),
    [attempt, selection, place.row, shown.totalRowCount, pages, visible],
  );
  const copyColumn = (column: GridColumn): void =>
    attempt(async () => {
      const { ranges } = selection;
      const all = { ranges: ranges.length > 0 ? ranges : [{ start: 0, end: shown.totalRowCount }] };
      const rows = selectedRows(all, 0, shown.totalRowCount);
      await navigator.clipboard.writeText(
        await rowsAsText(pages, rows, { columns: [column], format: 'TSV' }),
      );
      const limited = ranges.length === 0 && rows.length < shown.totalRowCount;
      return `Copied ${limited ? 'the first ' : ''}${counted(rows.length, 'cell')} of ${column.key}.`;
    });
  const { sql: viewSql } = viewed;
  useEffect(() => {
    if (viewSql === undefined) return undefined;
    const stop = new AbortController();
    const back = ({ key, target }: KeyboardEvent): void => {
      if (key === 'Escape' && !isElsewhere(target)) setView(wholeView);
    };
    // A clicked header is redrawn with the rows, and has lost the focus.
    document.addEventListener('keydown', back, stop);
    return () => stop.abort();
  }, [viewSql, setView]);
  const onExpired = useCallback(() => setError(new MissingResultError()), []);
  if (isGone(error)) {
    return <MissingResult error={error} canRunAgain={sql !== undefined} onRunAgain={onRunAgain} />;
  }
  return (
    <div className="card result-card">
      <header className="result-bar">
        <div className="tabs" role="tablist" aria-label="Result as">
          {tabsOf(isPlan).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              onClick={() => setTab(each)}
            >
              {tabTitles[each]}
            </button>
          ))}
        </div>
        <span className="quiet number result-count">
          <strong>{counted(result.totalRowCount, 'row')}</strong>
          {sql !== undefined && ` in ${formatElapsed(elapsedMs)}`}
        </span>
        <Expiry requestId={result.requestId} onExpired={onExpired} />
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
                onCopy={copy}
                onCopyColumn={copyColumn}
                onCopyNames={() =>
                  attempt(async () => {
                    const names = visible.map(({ name }) => name);
                    await navigator.clipboard.writeText(names.join('\t'));
                    return `Copied ${counted(names.length, 'name')}.`;
                  })
                }
                onCopyCode={({ title, codeOf }) =>
                  attempt(async () => {
                    const query = viewed.sql ?? sql ?? selectResult(result.requestId);
                    await navigator.clipboard.writeText(codeOf(query, location.origin));
                    return `Copied the query as ${title}.`;
                  })
                }
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
                return 'The link is copied. Users who may read this result can open it.';
              })
            }
          >
            Copy link
          </button>
        </div>
      </header>
      <ViewBar viewed={viewed} onEdit={onEdit} />
      {error !== undefined && <Failed error={error} onRetry={() => setError(undefined)} />}
      {tab === 'plan' ? (
        <PlanView pages={pages} />
      ) : tab === 'statistics' ? (
        <StatisticsView result={result} />
      ) : tab === 'plot' ? (
        <Suspense fallback={<Loading what="the plots" />}>
          <PlotPanel
            sql={
              viewed.sql === undefined && sql !== undefined ? sql : selectResult(shown.requestId)
            }
            columns={columns}
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
        <>
          <ResultGrid
            pages={pages}
            columns={columns}
            {...grid.props}
            onOpenCell={(row, column) => setOpened({ row, column })}
            onCopy={(row) => copy('TSV', row)}
            onError={setError}
            {...(readsResults && { columnActions })}
          />
          {shown.totalRowCount === 0 && (
            <p className="no-rows quiet">
              {shown === result
                ? 'The query has no rows. Its columns are above.'
                : 'No row fits the filters.'}
            </p>
          )}
          <footer className="result-foot quiet number">
            <span aria-live="polite">{describePosition(place, shown.totalRowCount)}</span>
            <span className="keys">Enter opens a cell · Ctrl+Shift+C copies rows</span>
          </footer>
        </>
      )}
      {asked?.kind === 'filter' && (
        <FilterDialog
          column={asked.column}
          onFilter={(filter) => setView({ ...view, filters: [...view.filters, filter] })}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked?.kind === 'statistics' && (
        <StatisticsDialog
          result={shown}
          column={asked.column}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked?.kind === 'find' && (
        <FindDialog
          result={shown}
          column={asked.column}
          row={Math.max(0, place.row)}
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
          onCopied={say}
        />
      )}
    </div>
  );
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
