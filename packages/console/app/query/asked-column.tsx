import type { ReactNode } from 'react';
import { FindDialog, StatisticsDialog } from './column-dialogs.tsx';
import type { GridColumn } from './grid-columns.ts';
import type { OpenResult } from './result-pages.ts';
import type { ColumnFilter } from './row-view.ts';
import { FilterDialog } from './view-bar.tsx';

/** The dialogs about a column. */
export const columnQuestions = [
  { kind: 'filter', label: 'Filter…' },
  { kind: 'find', label: 'Find…' },
  { kind: 'statistics', label: 'Statistics…' },
] as const;

/** A column, and which of its dialogs is open. */
export interface AskedColumn {
  readonly kind: (typeof columnQuestions)[number]['kind'];
  readonly column: GridColumn;
}

/** The open dialog about a column. */
export function AskedColumnDialog({
  asked: { kind, column },
  result,
  row,
  onFilter,
  onFound,
  onClose,
}: {
  readonly asked: AskedColumn;
  readonly result: OpenResult;
  /** The current row, where a search starts. */
  readonly row: number;
  readonly onFilter: (filter: ColumnFilter) => void;
  readonly onFound: (row: number) => void;
  readonly onClose: () => void;
}): ReactNode {
  if (kind === 'filter') {
    return <FilterDialog column={column} onFilter={onFilter} onClose={onClose} />;
  }
  if (kind === 'statistics') {
    return <StatisticsDialog result={result} column={column} onClose={onClose} />;
  }
  return (
    <FindDialog result={result} column={column} row={row} onFound={onFound} onClose={onClose} />
  );
}
