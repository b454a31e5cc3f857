import { visibleText } from '@quire/core/portable';
import { type ReactNode, useMemo, useState } from 'react';
import { counted, formatElapsed } from '../format.ts';
import { ErrorBoundary } from '../widgets/error-boundary.tsx';
import { codeOf, Empty, Failed, messageOf } from '../widgets/states.tsx';
import type { Catalog } from './catalog.ts';
import { type ExampleQuery, exampleQueries } from './example-queries.ts';
import { GrowingView } from './growing-view.tsx';
import type { QueryState } from './query-runner.ts';
import type { GridPosition } from './result-grid.tsx';
import { ResultView } from './result-view.tsx';
import type { SheetPart } from './sheet-runner.ts';

interface QuerySource {
  readonly text: string;
  readonly from: number;
}

/** The outcome of one statement: its rows, its failure, or examples before the first. */
export function QueryOutcome({
  part: { statement, state },
  isPart,
  catalog,
  place,
  onRun,
  onChange,
  onEdit,
}: {
  readonly part: SheetPart;
  /** True for one of several statements that ran in turn. */
  readonly isPart: boolean;
  readonly catalog: Catalog | undefined;
  /** The parameters of the address. */
  readonly place: Readonly<Record<string, string>>;
  readonly onRun: (source: QuerySource | undefined) => void;
  /** Replaces the text of the editor. */
  readonly onChange: (sql: string) => void;
  /** Replaces the text of the editor, and moves there. */
  readonly onEdit: (sql: string) => void;
}): ReactNode {
  // The position in the rows that arrived while the query ran.
  const [growingPlace, setGrowingPlace] = useState<{
    readonly requestId: string;
    readonly place: GridPosition;
  }>();
  const examples = useMemo(() => exampleQueries(catalog ?? {}), [catalog]);
  switch (state.kind) {
    case 'idle':
      return (
        <Empty title={isPart ? 'This statement has not been run' : 'Nothing has been run yet'}>
          <p>
            The whole answer is stored on the server; you can scroll through all of it, and open it
            again until it expires.
          </p>
          <Examples
            examples={examples}
            onChoose={(sql) => {
              onChange(sql);
              onRun({ text: sql, from: 0 });
            }}
          />
        </Empty>
      );
    case 'cancelled':
      return (
        <Empty title="The query was cancelled">
          <p>It ran for {formatElapsed(state.elapsedMs)}. Nothing of it was stored.</p>
        </Empty>
      );
    case 'failed':
      return <QueryFailed state={state} />;
    case 'running': {
      const firstRows = state.progress?.firstRows;
      return firstRows === undefined ? null : (
        <ErrorBoundary key={firstRows.requestId}>
          <GrowingView
            result={firstRows}
            onPlace={(at) => setGrowingPlace({ requestId: firstRows.requestId, place: at })}
          />
        </ErrorBoundary>
      );
    }
    case 'done': {
      const { result, sql, elapsedMs } = state;
      const { requestId } = result;
      const { id, row } = place;
      return (
        <ErrorBoundary key={requestId}>
          <ResultView
            result={result}
            sql={sql}
            elapsedMs={elapsedMs}
            firstRow={requestId === id && row !== undefined ? Number(row) : undefined}
            initialPlace={requestId === growingPlace?.requestId ? growingPlace.place : undefined}
            isPart={isPart}
            onRunAgain={() => onRun(statement && { text: statement.sql, from: statement.from })}
            onEdit={onEdit}
          />
        </ErrorBoundary>
      );
    }
  }
}

/** The statements of one run, each with its outcome. */
export function PartTabs({
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
