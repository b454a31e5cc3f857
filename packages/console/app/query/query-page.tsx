import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { replaceQueryPlace } from '../router.ts';
import { useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { counted, formatBytes, formatElapsed } from '../format.ts';
import { Menu } from '../widgets/menu.tsx';
import { codeOf, Empty, Failed, messageOf } from '../widgets/states.tsx';
import { readCatalog } from './catalog.ts';
import { DialectNote } from './dialect-note.tsx';
import { type ExampleQuery, exampleQueries } from './example-queries.ts';
import { QueryHistory } from './history.ts';
import { HistoryMenu } from './history-menu.tsx';
import { GrowingView } from './growing-view.tsx';
import { locateError } from './locate-error.ts';
import type { QueryState } from './query-runner.ts';
import { withResult } from './result-query.ts';
import type { GridPosition } from './result-grid.tsx';
import { ResultView } from './result-view.tsx';
import type { SheetPart } from './sheet-runner.ts';
import { SavedMenu, SheetTabs } from './sheet-tabs.tsx';
import { explained, profiled, splitStatements } from './split-statements.ts';
import type { EditorHandle } from './sql-editor.tsx';
import { TableBrowser } from './table-browser.tsx';
import { systemClock, visibleText } from '@quire/core/portable';

const SqlEditor = lazy(async () => ({ default: (await import('./sql-editor.tsx')).SqlEditor }));

/** The key under which the browser stores whether the tables are shown beside the editor. */
const browserKey = 'quire.tables';

function readIsBrowserOpen(): boolean {
  const stored = localStorage.getItem(browserKey);
  // On a phone they would displace the editor.
  return stored === null ? matchMedia('(width > 800px)').matches : stored === 'open';
}

/** Queries in tabs, an editor, and below it the outcome of the last query of the tab. */
export function QueryPage({
  place,
}: {
  readonly place: Readonly<Record<string, string>>;
}): ReactNode {
  const { call, name, sheets, runners, readsResults } = useSession();
  const written = useSyncExternalStore(sheets.subscribe, sheets.read);
  const { current: sheet } = written;
  const { text } = sheet;
  const runner = runners.of(sheet.id);
  const { parts, selected } = useSyncExternalStore(runner.subscribe, runner.read);
  const { statement, state } = parts[selected] ?? idle;
  const catalog = useResource('catalog', (signal) => readCatalog(call, signal));
  const history = useMemo(() => new QueryHistory(name), [name]);
  const { id, row, sql: given } = place;
  // An address opens its sheet; one without a sheet opens a new one.
  useEffect(() => {
    const { sheets: all } = sheets.read();
    const owner = all.find(({ resultIds, text: its }) =>
      id === undefined ? its === given : resultIds?.includes(id),
    );
    if (owner !== undefined) sheets.select(owner.id);
    else if (given !== undefined) sheets.open(given);
    else if (id !== undefined && !isEmpty(sheets.read().current)) sheets.open();
    if (id === undefined) {
      // The sheet contains the query of the address, so the address no longer needs it.
      if (given !== undefined) replaceQueryPlace();
      return;
    }
    const { current } = sheets.read();
    sheets.show(current.id, id);
    void runners.of(current.id).open(id);
  }, [id, given, sheets, runners]);
  // The position in the rows that arrived while the query ran.
  const [growingPlace, setGrowingPlace] = useState<{
    readonly requestId: string;
    readonly place: GridPosition;
  }>();
  const editor = useRef<EditorHandle>(null);
  const [isSelected, setIsSelected] = useState(false);
  const [isBrowserOpen, setIsBrowserOpen] = useState(readIsBrowserOpen);
  const toggleBrowser = (): void => {
    localStorage.setItem(browserKey, isBrowserOpen ? 'closed' : 'open');
    setIsBrowserOpen(!isBrowserOpen);
  };
  const change = (next: string): void => void sheets.change(sheet.id, { text: next });
  const write = (next: string): void => {
    change(next);
    focusEditor();
  };
  const run = async (
    source = { text, from: 0 },
    wrap: (sql: string) => string = (sql) => sql,
  ): Promise<void> => {
    const statements = splitStatements(source.text).map(({ sql, from }) => ({
      sql: wrap(sql),
      from: from + source.from,
    }));
    if (statements.length === 0) return;
    for (const { sql } of statements) history.add(sql);
    await runner.run(statements, (sql, end) => {
      history.settle(sql, end);
      if (end.kind === 'done') sheets.show(sheet.id, end.result.requestId);
    });
  };
  /** Runs the selection, else the whole text, which may be newer than the page's. */
  const runWritten = (all = text, wrap?: (sql: string) => string): void => {
    const selection = editor.current?.selection();
    const isAll = selection === undefined || selection.text.trim() === '';
    void run(isAll ? { text: all, from: 0 } : selection, wrap);
  };
  const select = (sheetId: string): void => {
    sheets.select(sheetId);
    setIsSelected(false);
    const [shown] = sheets.read().current.resultIds ?? [];
    replaceQueryPlace({ id: shown });
    if (shown !== undefined) void runners.of(sheetId).open(shown);
  };
  const selectPart = (index: number): void => {
    runner.select(index);
    const chosen = parts[index]?.state;
    if (chosen?.kind === 'done') sheets.show(sheet.id, chosen.result.requestId);
  };
  const opened = state.kind === 'done' ? state.result : undefined;
  const known = useMemo(
    () => (opened === undefined ? catalog.value : withResult(catalog.value, opened)),
    [catalog.value, opened],
  );
  const running = parts.find((part) => part.state.kind === 'running')?.state;
  const firstRows = state.kind === 'running' ? state.progress?.firstRows : undefined;
  const examples = useMemo(() => exampleQueries(catalog.value ?? {}), [catalog.value]);
  const problem = useMemo(() => problemOf({ statement, state }, text), [statement, state, text]);
  return (
    <div className={isBrowserOpen ? 'page full query-page with-tables' : 'page full query-page'}>
      <h1 className="hidden-text">Query</h1>
      {isBrowserOpen && (
        <TableBrowser catalog={catalog} onInsert={(inserted) => editor.current?.insert(inserted)} />
      )}
      <section className="card editor-card" aria-label="Editor">
        <SheetTabs state={written} onSelect={select} />
        <Suspense
          fallback={
            <textarea
              className="editor-fallback"
              aria-label="SQL"
              value={text}
              onChange={(event) => change(event.target.value)}
            />
          }
        >
          <SqlEditor
            key={sheet.id}
            ref={editor}
            text={text}
            catalog={known}
            problem={problem}
            onChange={change}
            onRun={(all) => runWritten(all)}
            onSelect={setIsSelected}
          />
        </Suspense>
        <div className="toolbar editor-bar">
          {running?.kind === 'running' && running.sql !== undefined ? (
            <button type="button" className="button" onClick={() => runner.cancel()}>
              Cancel
            </button>
          ) : (
            <button
              type="button"
              className="button main"
              disabled={text.trim() === ''}
              onClick={() => runWritten()}
            >
              {isSelected ? 'Run selection' : 'Run'} <kbd>Ctrl+Enter</kbd>
            </button>
          )}
          <button
            type="button"
            className="button small"
            aria-pressed={isBrowserOpen}
            onClick={toggleBrowser}
          >
            Tables
          </button>
          <Menu label="Explain" fromStart>
            <button
              type="button"
              onClick={() => runWritten(text, (sql) => explained(sql, 'EXPLAIN PLAN FOR'))}
            >
              Plan <small className="quiet">what the engine would do</small>
            </button>
            <button
              type="button"
              onClick={() =>
                // Apache Pinot, whose queries read no results, traces queries instead.
                runWritten(
                  text,
                  readsResults ? (sql) => explained(sql, 'EXPLAIN ANALYZE') : profiled,
                )
              }
            >
              Profile <small className="quiet">runs it, and times each step</small>
            </button>
          </Menu>
          <SavedMenu
            state={written}
            onChoose={(sql, saved) => select(sheets.open(sql, saved).id)}
          />
          <HistoryMenu history={history} onChoose={change} />
          <DialectNote />
          {running?.kind === 'running' && <Running state={running} />}
        </div>
      </section>
      <section className="result-area" aria-label="Result">
        {parts.length > 1 && <PartTabs parts={parts} selected={selected} onSelect={selectPart} />}
        {state.kind === 'idle' && (
          <Empty
            title={
              parts.length > 1 ? 'This statement has not been run' : 'Nothing has been run yet'
            }
          >
            <p>
              The whole answer is stored on the server; you can scroll through all of it, and open
              it again until it expires.
            </p>
            <Examples
              examples={examples}
              onChoose={(sql) => {
                change(sql);
                void run({ text: sql, from: 0 });
              }}
            />
          </Empty>
        )}
        {state.kind === 'cancelled' && (
          <Empty title="The query was cancelled">
            <p>It ran for {formatElapsed(state.elapsedMs)}. Nothing of it was stored.</p>
          </Empty>
        )}
        {state.kind === 'failed' && <QueryFailed state={state} />}
        {state.kind === 'running' && firstRows !== undefined && (
          <GrowingView
            result={firstRows}
            onPlace={(at) => setGrowingPlace({ requestId: firstRows.requestId, place: at })}
          />
        )}
        {state.kind === 'done' && (
          <ResultView
            key={state.result.requestId}
            result={state.result}
            sql={state.sql}
            elapsedMs={state.elapsedMs}
            firstRow={state.result.requestId === id && row !== undefined ? Number(row) : undefined}
            initialPlace={
              state.result.requestId === growingPlace?.requestId ? growingPlace.place : undefined
            }
            isPart={parts.length > 1}
            onRunAgain={() => void run(statement && { text: statement.sql, from: statement.from })}
            onEdit={write}
          />
        )}
      </section>
    </div>
  );
}

const idle: SheetPart = { statement: undefined, state: { kind: 'idle' } };

function isEmpty(sheet: {
  readonly text: string;
  readonly resultIds?: readonly string[];
}): boolean {
  return sheet.text.trim() === '' && sheet.resultIds === undefined;
}

/** The statements of one run, each with its outcome. */
function PartTabs({
  parts,
  selected,
  onSelect,
}: {
  readonly parts: readonly SheetPart[];
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}): ReactNode {
  return (
    <div className="tabs part-tabs" role="tablist" aria-label="Statements">
      {parts.map(({ statement, state }, index) => (
        <button
          key={index}
          type="button"
          role="tab"
          aria-selected={index === selected}
          title={statement?.sql}
          onClick={() => onSelect(index)}
        >
          {index + 1}{' '}
          <span className="quiet">
            {state.kind === 'done'
              ? counted(state.result.totalRowCount, 'row')
              : state.kind === 'idle'
                ? 'not run'
                : state.kind}
          </span>
        </button>
      ))}
    </div>
  );
}

/** Queries to start with, of the existing tables. */
function Examples({
  examples,
  onChoose,
}: {
  readonly examples: readonly ExampleQuery[];
  readonly onChoose: (sql: string) => void;
}): ReactNode {
  if (examples.length === 0) return null;
  return (
    <div className="examples">
      <h2>Start with one of these</h2>
      {examples.map(({ title, sql }) => (
        <button key={sql} type="button" onClick={() => onChoose(sql)}>
          <strong>{visibleText(title)}</strong>
          <code>{visibleText(sql.replaceAll('\n', ' '))}</code>
        </button>
      ))}
    </div>
  );
}

/** The editor is in a shadow root; while it loads, a plain field replaces it. */
function focusEditor(): void {
  const editor = document.querySelector('.editor')?.shadowRoot ?? document;
  const field = editor.querySelector<HTMLElement>('.cm-content, .editor-fallback');
  field?.focus();
  document.querySelector('.editor-card')?.scrollIntoView({ block: 'nearest' });
}

function problemOf(
  { statement, state }: SheetPart,
  text: string,
): { place: { from: number; to: number }; message: string } | undefined {
  if (state.kind !== 'failed' || statement === undefined) return undefined;
  const { sql, from } = statement;
  // A text that was changed since is not marked.
  if (text.slice(from, from + sql.length) !== sql) return undefined;
  const message = messageOf(state.error);
  const place = locateError(message, sql);
  if (place === undefined) return undefined;
  return {
    place: { from: from + place.from, to: from + place.to },
    message: message.split('\n')[0] ?? message,
  };
}

function Running({
  state,
}: {
  readonly state: Extract<QueryState, { readonly kind: 'running' }>;
}): ReactNode {
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

function QueryFailed({
  state,
}: {
  readonly state: Extract<QueryState, { readonly kind: 'failed' }>;
}): ReactNode {
  if (state.sql === undefined || codeOf(state.error) === 'SERVER_UNREACHABLE') {
    return <Failed error={state.error} />;
  }
  return (
    <div className="notice bad" role="alert">
      <strong>The query failed after {formatElapsed(state.elapsedMs)}</strong>
      <pre>{messageOf(state.error)}</pre>
    </div>
  );
}
