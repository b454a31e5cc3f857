import { visibleLines, visibleText } from '@quire/core/portable';
import { type ReactNode, useEffect, useState } from 'react';
import { copyText } from '../copy-text.ts';
import { counted, formatCount } from '../format.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { Failed, Loading } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import type { GridColumn } from './grid-columns.ts';
import { indentJson } from './indent-json.ts';
import type { ResultPages } from './result-pages.ts';

/** The full text of a cell, whose page is fetched if keys were faster than the grid. */
export function CellDialog({
  pages,
  row,
  column,
  onClose,
}: {
  readonly pages: ResultPages;
  readonly row: number;
  readonly column: GridColumn;
  readonly onClose: () => void;
}): ReactNode {
  const { attempt } = useToasts();
  const value = pages.textAt(row, column.index);
  const [, setLoadedCount] = useState(0);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<void> => {
      try {
        await pages.load(row, row + 1, stop.signal, { atOnce: true });
        if (!stop.signal.aborted) setLoadedCount((count) => count + 1);
      } catch (cause) {
        if (!stop.signal.aborted) setError(cause);
      }
    };
    void load();
    return () => stop.abort();
  }, [pages, row]);
  const text = value === undefined || value === null ? '' : prettyText(value, column.dataType);
  return (
    <Dialog title={`${visibleText(column.key)}, row ${formatCount(row + 1)}`} onClose={onClose}>
      <p className="quiet">
        {column.dataType}
        {value !== null && value !== undefined && ` · ${counted(value.length, 'character')}`}
      </p>
      {error !== undefined && <Failed error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="the cell" />
      ) : value === null ? (
        <span className="null">null</span>
      ) : (
        <pre className="json">{visibleLines(text)}</pre>
      )}
      <div className="dialog-foot">
        <button
          type="button"
          className="button"
          onClick={() =>
            attempt(async () => {
              await copyText(value ?? '');
              return 'Copied the cell.';
            })
          }
        >
          Copy
        </button>
      </div>
    </Dialog>
  );
}

/** Nested values are formatted. */
function prettyText(text: string, dataType: string): string {
  const isNested = dataType === 'JSON' || dataType === 'MAP' || dataType.endsWith('_ARRAY');
  return isNested ? indentJson(text) : text;
}
