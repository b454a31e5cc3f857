import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { useGoTo } from '../router.ts';
import { useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { counted, formatBytes, formatElapsed, formatTime } from '../format.ts';
import { Menu } from '../widgets/menu.tsx';
import { codeOf, Empty, Failed, messageOf } from '../widgets/states.tsx';
import { readCatalog, selectAll } from './catalog.ts';
import { DialectNote } from './dialect-note.tsx';
import { QueryHistory } from './history.ts';
import { GrowingView } from './growing-view.tsx';
import { locateError } from './locate-error.ts';
import type { QueryState } from './query-runner.ts';
import { selectResult, withResult } from './result-query.ts';
import type { GridPlace } from './result-grid.tsx';
import { ResultView } from './result-view.tsx';
import { systemClock } from '@quire/core/portable';

const SqlEditor = lazy(async () => ({ default: (await import('./sql-editor.tsx')).SqlEditor }));

/** What is in the editor, for as long as the tab is open. */
const draftKey = 'quire.draft';

/** An editor, and below it what became of the last query. */
export function QueryPage({
  place,
}: {
  readonly place: Readonly<Record<string, string>>;
}): ReactNode {
  const { call, name, runner } = useSession();
  const goTo = useGoTo();
  const [text, setText] = useState(() => place['sql'] ?? sessionStorage.getItem(draftKey) ?? '');
  const state = useSyncExternalStore(runner.subscribe, runner.read);
  const catalog = useResource('catalog', (signal) => readCatalog(call, signal));
  const history = useMemo(() => new QueryHistory(name), [name]);
  const { id, row, sql: given } = place;
  useEffect(() => {
    if (id !== undefined) void runner.open(id);
  }, [id, runner]);
  useEffect(() => {
    if (given !== undefined) setText(given);
  }, [given]);
  // Where one is in the rows that came while the query ran.
  const [growingPlace, setGrowingPlace] = useState<{
    readonly requestId: string;
    readonly place: GridPlace;
  }>();
  const change = (next: string): void => {
    setText(next);
    sessionStorage.setItem(draftKey, next);
  };
  const write = (next: string): void => {
    change(next);
    focusEditor();
  };
  const run = async (sql = text): Promise<void> => {
    if (sql.trim() === '') return;
    history.add(sql);
    const requestId = await runner.run(sql);
    if (requestId !== undefined) goTo(['query'], { id: requestId });
  };
  const opened = state.kind === 'done' ? state.result : undefined;
  const known = useMemo(
    () => (opened === undefined ? catalog.value : withResult(catalog.value, opened)),
    [catalog.value, opened],
  );
  const firstRows = state.kind === 'running' ? state.progress?.firstRows : undefined;
  const [firstTable] = Object.keys(catalog.value ?? {});
  const problem = useMemo(() => problemOf(state, text), [state, text]);
  return (
    <div className="page full query-page">
      <h1 className="hidden-text">Query</h1>
      <section className="card editor-card" aria-label="Editor">
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
            text={text}
            catalog={known}
            problem={problem}
            onChange={change}
            onRun={(sql) => void run(sql)}
          />
        </Suspense>
        <div className="toolbar editor-bar">
          {state.kind === 'running' && state.sql !== undefined ? (
            <button type="button" className="button" onClick={() => runner.cancel()}>
              Cancel
            </button>
          ) : (
            <button
              type="button"
              className="button main"
              disabled={text.trim() === ''}
              onClick={() => void run()}
            >
              Run <kbd>Ctrl+Enter</kbd>
            </button>
          )}
          <HistoryMenu history={history} onChoose={change} />
          <DialectNote />
          {state.kind === 'running' && <Running state={state} />}
        </div>
      </section>
      <section className="result-area" aria-label="Result">
        {state.kind === 'idle' && (
          <Empty title="Nothing has been run yet">
            <p>
              The whole answer is stored on the server; you can scroll through all of it, and open
              it again until it expires.
            </p>
            {text.trim() === '' && firstTable !== undefined && (
              <button
                type="button"
                className="button"
                onClick={() => change(selectAll(firstTable))}
              >
                Write a query of {firstTable}
              </button>
            )}
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
            onRunAgain={() => void run()}
            onQuery={() => write(selectResult(state.result.requestId))}
          />
        )}
      </section>
    </div>
  );
}

/** The editor lives in a shadow root; while it loads, a plain field stands for it. */
function focusEditor(): void {
  const editor = document.querySelector('.editor')?.shadowRoot ?? document;
  const field = editor.querySelector<HTMLElement>('.cm-content, .editor-fallback');
  field?.focus();
  document.querySelector('.editor-card')?.scrollIntoView({ block: 'nearest' });
}

function problemOf(
  state: QueryState,
  text: string,
): { place: { from: number; to: number }; message: string } | undefined {
  if (state.kind !== 'failed' || state.sql !== text) return undefined;
  const message = messageOf(state.error);
  const place = locateError(message, text);
  return place === undefined ? undefined : { place, message: message.split('\n')[0] ?? message };
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

function HistoryMenu({
  history,
  onChoose,
}: {
  readonly history: QueryHistory;
  readonly onChoose: (sql: string) => void;
}): ReactNode {
  const [past, setPast] = useState(() => history.read());
  const refresh = (): void => setPast(history.read());
  return (
    <span onPointerDown={refresh} onKeyDown={refresh}>
      <Menu label="History" fromStart>
        {past.length === 0 && (
          <span className="quiet menu-note">
            Queries that you run are listed here, in this browser only.
          </span>
        )}
        {past.map(({ sql, timeMs }) => (
          <button key={sql} type="button" className="past-query" onClick={() => onChoose(sql)}>
            <code>{sql.replaceAll(/\s+/g, ' ')}</code>
            <small className="quiet">{formatTime(timeMs)}</small>
          </button>
        ))}
        {past.length > 0 && (
          <button
            type="button"
            className="quiet"
            onClick={() => {
              history.clear();
              refresh();
            }}
          >
            Clear the history
          </button>
        )}
      </Menu>
    </span>
  );
}
