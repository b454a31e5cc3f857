import { visibleText } from '@quire/core/portable';
import { type ReactNode, useState } from 'react';
import { counted } from '../format.ts';
import { Choice } from '../widgets/choice.tsx';
import { Dialog } from '../widgets/dialog.tsx';
import { Failed } from '../widgets/states.tsx';
import { type GridColumn, isNumeric } from './grid-columns.ts';
import {
  type ColumnFilter,
  type FilterKind,
  filterKinds,
  filterTitles,
  takesValue,
  wholeView,
} from './row-view.ts';
import type { ViewedResult } from './use-row-view.ts';

/** Shows, as a query, which rows of a result are visible, with a button to show all rows again. */
export function ViewBar({
  viewed: { view, setView, sql, shown, isRunning, error },
  onEdit,
}: {
  readonly viewed: ViewedResult;
  /** Writes the query into the editor. */
  readonly onEdit: (sql: string) => void;
}): ReactNode {
  if (sql === undefined) return null;
  return (
    <div className="view-bar" role="status">
      {isRunning && <span className="spinner" aria-hidden="true" />}
      <code title={sql}>{visibleText(sql.replaceAll(/\s+/g, ' '))}</code>
      <span className="quiet number">
        {isRunning ? 'running' : error === undefined && counted(shown.totalRowCount, 'row')}
      </span>
      {view.filters.map((filter, index) => (
        <button
          key={index}
          type="button"
          className="button small"
          onClick={() =>
            setView({ ...view, filters: view.filters.filter((each) => each !== filter) })
          }
          aria-label={`Remove the filter ${describeFilter(filter)}`}
        >
          {describeFilter(filter)} ✕
        </button>
      ))}
      <button type="button" className="button small plain" onClick={() => onEdit(sql)}>
        To the editor
      </button>
      <button type="button" className="button small" onClick={() => setView(wholeView)}>
        All rows <kbd>Esc</kbd>
      </button>
      {error !== undefined && <Failed error={error} />}
    </div>
  );
}

function describeFilter({ column, kind, value }: ColumnFilter): string {
  return visibleText(
    `${column.key} ${filterTitles[kind]}${takesValue(kind) ? ` ${value.slice(0, 40)}` : ''}`,
  );
}

/** Edits the filter of one column. */
export function FilterDialog({
  column,
  onFilter,
  onClose,
}: {
  readonly column: GridColumn;
  readonly onFilter: (filter: ColumnFilter) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [kind, setKind] = useState<FilterKind>(
    isNumeric(column.dataType) || column.dataType === 'BOOLEAN' ? 'equals' : 'contains',
  );
  const [value, setValue] = useState('');
  return (
    <Dialog title={`Filter by ${visibleText(column.key)}`} onClose={onClose}>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          onFilter({ column, kind, value });
          onClose();
        }}
      >
        <Choice
          label={visibleText(column.key)}
          value={kind}
          options={filterKinds.map((each) => [each, filterTitles[each]])}
          onChange={(chosen) => setKind(chosen as FilterKind)}
        />
        {takesValue(kind) && (
          <input
            aria-label="Value"
            value={value}
            autoFocus
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        <button type="submit" className="button main">
          Filter
        </button>
      </form>
    </Dialog>
  );
}
