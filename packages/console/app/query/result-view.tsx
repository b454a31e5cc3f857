import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { counted, formatCount, formatElapsed } from '../format.ts';
import { placeOf, replacePlace } from '../router.ts';
import { useSession } from '../session.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { Menu } from '../widgets/menu.tsx';
import { codeOf, Empty, Failed, Loading, messageOf } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { copiedRowsMax, type CopyFormat, rowsAsText } from './copy-rows.ts';
import { downloadResult, type FileFormat } from './download-result.ts';
import { Expiry } from './expiry.tsx';
import { type GridColumn, gridColumnsOf } from './grid-columns.ts';
import { describePlace, type GridPlace, ResultGrid, type Selection, type Visibility } from './result-grid.tsx';
import { type OpenResult, ResultPages } from './result-pages.ts';

const PlotPanel = lazy(async () => ({ default: (await import('../plot/plot-panel.tsx')).PlotPanel }));

/** What reads of a result fail with once it is gone. */
const goneCodes: readonly (string | undefined)[] = ['RESULT_EXPIRED', 'RESULT_DELETED', 'RESULT_EVICTED', 'RESULT_NOT_FOUND'];
/** A query that is part of a link makes it long; longer ones stay out of it. */
const linkedSqlMax = 1500;

interface ResultViewProps {
  readonly result: OpenResult;
  /** The query that it answers, where that is known. */
  readonly sql: string | undefined;
  readonly elapsedMs: number;
  /** The row that a link leads to, counted from 1. */
  readonly firstRow: number | undefined;
  readonly onRunAgain: () => void;
}

/** A stored result: what can be done with it, and all of its rows. */
export function ResultView({ result, sql, elapsedMs, firstRow, onRunAgain }: ResultViewProps): ReactNode {
  const { client } = useSession();
  const { say, attempt } = useToasts();
  const pages = useMemo(() => new ResultPages(client, result), [client, result]);
  const columns = useMemo(() => gridColumnsOf(result), [result]);
  const [tab, setTab] = useState<'rows' | 'plot'>('rows');
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [visibility, setVisibility] = useState<Visibility>({});
  const [selection, setSelection] = useState<Selection>({ ranges: [] });
  const [place, setPlace] = useState<GridPlace>({ row: 0, column: 0 });
  const [opened, setOpened] = useState<{ readonly row: number; readonly column: GridColumn }>();
  const [error, setError] = useState<unknown>();
  const visible = columns.filter(({ key }) => visibility[key]?.hidden !== true);
  const linkedSql = sql !== undefined && sql.length <= linkedSqlMax ? sql : undefined;

  // Later the address follows the grid.
  const [linkedRow] = useState(firstRow);
  useEffect(() => {
    const row = rowWithin(linkedRow, result);
    if (row > 0) setPlace({ row, column: 0 });
  }, [linkedRow, result]);
  useEffect(() => {
    const row = place.row > 0 ? String(place.row + 1) : undefined;
    replacePlace(['query'], { id: result.requestId, row, sql: linkedSql });
  }, [place.row, result.requestId, linkedSql]);

  const copy = useCallback(
    (format: CopyFormat, row?: number) =>
      attempt(async () => {
        const rows = selectedRows(selection, row ?? Math.max(0, place.row), result.totalRowCount);
        await navigator.clipboard.writeText(await rowsAsText(pages, rows, { columns: visible, format }));
        return `Copied ${counted(rows.length, 'row')} as ${format}.`;
      }),
    [attempt, selection, place.row, result.totalRowCount, pages, visible],
  );
  const onExpired = useCallback(() => setError(new GoneError()), []);
  if (error !== undefined && (error instanceof GoneError || goneCodes.includes(codeOf(error)))) {
    return <Gone error={error} canRunAgain={sql !== undefined} onRunAgain={onRunAgain} />;
  }
  return (
    <div className="card result-card">
      <header className="result-bar">
        <div className="tabs" role="tablist" aria-label="Result as">
          {(['rows', 'plot'] as const).map((each) => (
            <button key={each} type="button" role="tab" aria-selected={tab === each} onClick={() => setTab(each)}>
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
              <JumpToRow rowCount={result.totalRowCount} onJump={(row) => setPlace({ ...place, row })} />
              <ColumnsMenu columns={columns} visibility={visibility} onChange={setVisibility} />
              <Menu label="Copy">
                {(['TSV', 'JSON'] as const).map((format) => (
                  <button key={format} type="button" onClick={() => copy(format)}>
                    {copyLabel(selection, place, format)}
                  </button>
                ))}
              </Menu>
            </>
          )}
          <DownloadMenu result={result} />
          <button
            type="button"
            className="button small"
            onClick={() =>
              attempt(async () => {
                const parameters = { id: result.requestId, row: String(Math.max(0, place.row) + 1), sql: linkedSql };
                await navigator.clipboard.writeText(new URL(placeOf(['query'], parameters), location.href).href);
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
          <PlotPanel sql={sql} columns={columns} />
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
            pinned={pinned}
            visibility={visibility}
            selection={selection}
            place={place}
            onPinned={setPinned}
            onVisibility={setVisibility}
            onSelection={setSelection}
            onPlace={setPlace}
            onOpenCell={(row, column) => setOpened({ row, column })}
            onCopy={(row) => copy('TSV', row)}
            onError={setError}
          />
          {result.totalRowCount === 0 && <p className="no-rows quiet">The query has no rows. Its columns are above.</p>}
          <footer className="result-foot quiet number">
            <span aria-live="polite">{describePlace(place, result.totalRowCount)}</span>
            <span className="keys">Enter opens a cell · Ctrl+Shift+C copies rows</span>
          </footer>
        </>
      )}
      {opened !== undefined && (
        <CellDialog pages={pages} row={opened.row} column={opened.column} onClose={() => setOpened(undefined)} onCopied={say} />
      )}
    </div>
  );
}

/** The result ended while it was looked at. */
class GoneError extends Error {
  override readonly message = 'It was kept for as long as the settings say, and is deleted now.';
}

function Gone({
  error,
  canRunAgain,
  onRunAgain,
}: {
  readonly error: unknown;
  readonly canRunAgain: boolean;
  readonly onRunAgain: () => void;
}): ReactNode {
  const code = codeOf(error);
  const title =
    code === 'RESULT_DELETED'
      ? 'This result was deleted'
      : code === 'RESULT_EVICTED'
        ? 'This result was evicted'
        : code === 'RESULT_NOT_FOUND'
          ? 'There is no such result'
          : 'This result has expired';
  return (
    <Empty title={title}>
      <p>{messageOf(error)}</p>
      {canRunAgain && (
        <button type="button" className="button main" onClick={onRunAgain}>
          Run the query again
        </button>
      )}
    </Empty>
  );
}

/** Links are typed by hand as well. */
function rowWithin(row: number | undefined, { totalRowCount }: OpenResult): number {
  return row === undefined || !Number.isSafeInteger(row) ? 0 : Math.min(Math.max(0, row - 1), Math.max(0, totalRowCount - 1));
}

function selectedRows({ ranges }: Selection, row: number, rowCount: number): readonly number[] {
  if (ranges.length === 0) return row < rowCount ? [row] : [];
  const rows: number[] = [];
  for (const { start, end } of ranges) {
    for (let each = start; each < end && rows.length < copiedRowsMax; each += 1) rows.push(each);
  }
  return rows;
}

function copyLabel({ ranges }: Selection, { row }: GridPlace, format: CopyFormat): string {
  const count = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  if (count === 0) return `Row ${formatCount(Math.max(0, row) + 1)} as ${format}`;
  const limited = count > copiedRowsMax ? ` (the first ${formatCount(copiedRowsMax)})` : '';
  return `${counted(count, 'selected row')} as ${format}${limited}`;
}

function JumpToRow({ rowCount, onJump }: { readonly rowCount: number; readonly onJump: (row: number) => void }): ReactNode {
  const [text, setText] = useState('');
  return (
    <form
      className="jump"
      onSubmit={(event) => {
        event.preventDefault();
        const row = Number(text.replaceAll(/[\s,_]/g, ''));
        if (Number.isSafeInteger(row) && row >= 1) onJump(Math.min(row, rowCount) - 1);
      }}
    >
      <input
        inputMode="numeric"
        aria-label="Go to row"
        placeholder="Go to row"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

function ColumnsMenu({
  columns,
  visibility,
  onChange,
}: {
  readonly columns: readonly GridColumn[];
  readonly visibility: Visibility;
  readonly onChange: (visibility: Visibility) => void;
}): ReactNode {
  const hiddenCount = columns.filter(({ key }) => visibility[key]?.hidden === true).length;
  return (
    <Menu label={hiddenCount === 0 ? 'Columns' : `Columns (${hiddenCount} hidden)`} stays>
      {columns.map(({ key, dataType }) => (
        <label key={key}>
          <input
            type="checkbox"
            checked={visibility[key]?.hidden !== true}
            onChange={(event) => onChange({ ...visibility, [key]: event.target.checked ? undefined : { hidden: true } })}
          />
          <span>{key}</span>
          <small className="quiet">{dataType}</small>
        </label>
      ))}
    </Menu>
  );
}

function DownloadMenu({ result }: { readonly result: OpenResult }): ReactNode {
  const { client } = useSession();
  const { say } = useToasts();
  const [running, setRunning] = useState<{
    readonly format: FileFormat;
    readonly rowCount: number;
    readonly stop: AbortController;
  }>();
  const start = async (format: FileFormat): Promise<void> => {
    const stop = new AbortController();
    setRunning({ format, rowCount: 0, stop });
    try {
      const onProgress = (rowCount: number): void => setRunning({ format, rowCount, stop });
      await downloadResult(client, result, { format, onProgress, signal: stop.signal });
      say(`Downloaded ${counted(result.totalRowCount, 'row')}.`);
    } catch (error) {
      say(stop.signal.aborted ? 'The download was stopped.' : messageOf(error));
    } finally {
      setRunning(undefined);
    }
  };
  if (running !== undefined) {
    const { format, rowCount, stop } = running;
    return (
      <span className="download" role="status">
        <progress max={Math.max(1, result.totalRowCount)} value={rowCount} aria-label={`Download as ${format}`} />
        <span className="number">{Math.floor((100 * rowCount) / Math.max(1, result.totalRowCount))} %</span>
        <button type="button" className="button small plain" onClick={() => stop.abort()}>
          Stop
        </button>
      </span>
    );
  }
  return (
    <Menu label="Download">
      <button type="button" onClick={() => void start('arrow')}>
        Arrow <small className="quiet">stream, all types</small>
      </button>
      <button type="button" onClick={() => void start('csv')}>
        CSV
      </button>
      <button type="button" onClick={() => void start('ndjson')}>
        NDJSON
      </button>
    </Menu>
  );
}

function CellDialog({
  pages,
  row,
  column,
  onClose,
  onCopied,
}: {
  readonly pages: ResultPages;
  readonly row: number;
  readonly column: GridColumn;
  readonly onClose: () => void;
  readonly onCopied: (text: string) => void;
}): ReactNode {
  const value = pages.textAt(row, column.index);
  const text = value === undefined || value === null ? '' : prettyText(value, column.dataType);
  return (
    <Dialog title={`${column.key}, row ${formatCount(row + 1)}`} onClose={onClose}>
      <p className="quiet">
        {column.dataType}
        {value !== null && value !== undefined && ` · ${counted(value.length, 'character')}`}
      </p>
      {value === null ? <span className="null">null</span> : <pre className="json">{text}</pre>}
      <div className="dialog-foot">
        <button
          type="button"
          className="button"
          onClick={() => void navigator.clipboard.writeText(value ?? '').then(() => onCopied('Copied the cell.'))}
        >
          Copy
        </button>
      </div>
    </Dialog>
  );
}

/** Nested values are laid out; a text that is no JSON stays as it is. */
function prettyText(text: string, dataType: string): string {
  if (!(dataType === 'JSON' || dataType === 'MAP' || dataType.endsWith('_ARRAY'))) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
