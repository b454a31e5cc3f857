import type { ReactNode } from 'react';
import { counted, formatCount } from '../format.ts';
import { Dialog } from '../widgets/dialog.tsx';
import type { GridColumn } from './grid-columns.ts';
import type { ResultPages } from './result-pages.ts';

/** All of a cell. */
export function CellDialog({
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
