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
import { useResource } from '../use-resource.ts';
import { messageOf } from '../widgets/states.tsx';
import { readCatalog } from './catalog.ts';
import { EditorBar } from './editor-bar.tsx';
import { QueryHistory } from './history.ts';
import { HistoryMenu } from './history-menu.tsx';
import { locateError } from './locate-error.ts';
import { PartTabs, QueryOutcome } from './query-outcome.tsx';
import { withResult } from './result-query.ts';
import type { SheetPart } from './sheet-runner.ts';
import { SavedMenu, SheetTabs } from './sheet-tabs.tsx';
import { splitStatements } from './split-statements.ts';
import type { EditorHandle } from './sql-editor.tsx';
import { TableBrowser } from './table-browser.tsx';

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
  const { call, name, sheets, runners } = useSession();
  const written = useSyncExternalStore(sheets.subscribe, sheets.read);
  const { current: sheet } = written;
  const { text } = sheet;
  const runner = runners.of(sheet.id);
  const { parts, selected } = useSyncExternalStore(runner.subscribe, runner.read);
  const { statement, state } = parts[selected] ?? idle;
  const catalog = useResource('catalog', (signal) => readCatalog(call, signal));
  const history = useMemo(() => new QueryHistory(name), [name]);
  const { id, sql: given } = place;
  // An address opens its sheet; one without a sheet opens a new one.
  useEffect(() => {
    const { sheets: all } = sheets.read();
    const owner = all.find(({ resultIds, text: its }) =>
      id === undefined ? its === given : resultIds?.includes(id),
    );
    if (owner !== undefined) sheets.select(owner.id);
    else if (given !== undefined) sheets.open(given);
    else if (id !== undefined) {
      const { current } = sheets.read();
      if (!isEmpty(current) || runners.of(current.id).isRunning()) sheets.open();
    }
    if (id === undefined) {
      // The sheet contains the query of the address, so the address no longer needs it.
      if (given !== undefined) replaceQueryPlace();
      return;
    }
    const { current } = sheets.read();
    sheets.show(current.id, id);
    void runners.of(current.id).open(id);
  }, [id, given, sheets, runners]);
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
        <EditorBar
          isRunnable={text.trim() !== ''}
          isSelected={isSelected}
          running={running?.kind === 'running' ? running : undefined}
          isBrowserOpen={isBrowserOpen}
          onBrowser={toggleBrowser}
          onRun={(wrap) => runWritten(text, wrap)}
          onCancel={() => runner.cancel()}
        >
          <SavedMenu
            state={written}
            onChoose={(sql, saved) => select(sheets.open(sql, saved).id)}
          />
          <HistoryMenu history={history} onChoose={change} />
        </EditorBar>
      </section>
      <section className="result-area" aria-label="Result">
        {parts.length > 1 && <PartTabs parts={parts} selected={selected} onSelect={selectPart} />}
        <QueryOutcome
          part={parts[selected] ?? idle}
          isPart={parts.length > 1}
          catalog={catalog.value}
          place={place}
          onRun={(source) => void run(source)}
          onChange={change}
          onEdit={write}
        />
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
