import { useCallback } from 'react';
import { copyText } from '../copy-text.ts';
import { counted } from '../format.ts';
import { placeOf } from '../router.ts';
import { useToasts } from '../widgets/toasts.tsx';
import type { CodeSample } from './copy-as.ts';
import { type CopyFormat, rowsAsText, selectedRows } from './copy-rows.ts';
import type { GridColumn } from './grid-columns.ts';
import type { GridState } from './grid-state.ts';
import type { ResultPages } from './result-pages.ts';
import { selectResult } from './result-query.ts';

interface CopiedResult {
  readonly requestId: string;
  /** The row of a link, counted from 1; undefined for the first one. */
  readonly linkedRow: string | undefined;
  readonly pages: ResultPages;
  readonly rowCount: number;
  readonly visible: readonly GridColumn[];
  readonly grid: Pick<GridState, 'place' | 'selection'>;
  /** The query of the rows shown, if known. */
  readonly sql: string | undefined;
  /** The query that a link contains. */
  readonly linkedSql: string | undefined;
}

/** Functions that copy parts of a result to the clipboard. */
export interface ResultCopies {
  /** Copies the selected rows, or without a selection the given or current one. */
  readonly copyRows: (format: CopyFormat, row?: number) => void;
  readonly copyColumn: (column: GridColumn) => void;
  readonly copyNames: () => void;
  readonly copyCode: (sample: CodeSample) => void;
  readonly copyLink: () => void;
}

/** Returns the functions for a result; each reports what it copied. */
export function useResultCopies({
  requestId,
  linkedRow,
  pages,
  rowCount,
  visible,
  grid: { place, selection },
  sql,
  linkedSql,
}: CopiedResult): ResultCopies {
  const { attempt } = useToasts();
  const copyRows = useCallback(
    (format: CopyFormat, row?: number) =>
      attempt(async () => {
        const rows = selectedRows(selection, row ?? Math.max(0, place.row), rowCount);
        await copyText(await rowsAsText(pages, rows, { columns: visible, format }));
        return `Copied ${counted(rows.length, 'row')} as ${format}.`;
      }),
    [attempt, selection, place.row, rowCount, pages, visible],
  );
  const copyColumn = (column: GridColumn): void =>
    attempt(async () => {
      const { ranges } = selection;
      const all = { ranges: ranges.length > 0 ? ranges : [{ start: 0, end: rowCount }] };
      const rows = selectedRows(all, 0, rowCount);
      await copyText(await rowsAsText(pages, rows, { columns: [column], format: 'TSV' }));
      const limited = ranges.length === 0 && rows.length < rowCount;
      return `Copied ${limited ? 'the first ' : ''}${counted(rows.length, 'cell')} of ${column.key}.`;
    });
  const copyNames = (): void =>
    attempt(async () => {
      await copyText(visible.map(({ name }) => name).join('\t'));
      return `Copied ${counted(visible.length, 'name')}.`;
    });
  const copyCode = ({ title, codeOf }: CodeSample): void =>
    attempt(async () => {
      await copyText(codeOf(sql ?? selectResult(requestId), location.origin));
      return `Copied the query as ${title}.`;
    });
  const copyLink = (): void =>
    attempt(async () => {
      const parameters = {
        id: requestId,
        row: linkedRow,
        sql: linkedSql,
      };
      await copyText(new URL(placeOf(['query'], parameters), location.href).href);
      return 'The link is copied. Users who may read this result can open it.';
    });
  return { copyRows, copyColumn, copyNames, copyCode, copyLink };
}
