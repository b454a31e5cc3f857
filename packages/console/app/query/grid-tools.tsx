import { type ReactNode, useState } from 'react';
import { counted, formatCount } from '../format.ts';
import { Menu } from '../widgets/menu.tsx';
import { type CodeSample, codeSamples } from './copy-as.ts';
import { copiedRowsMax, type CopyFormat } from './copy-rows.ts';
import type { GridColumn } from './grid-columns.ts';
import type { GridPosition, Selection, Visibility } from './result-grid.tsx';

/** A field for the number of a row, to which the grid moves. */
export function JumpToRow({
  rowCount,
  onJump,
}: {
  readonly rowCount: number;
  readonly onJump: (row: number) => void;
}): ReactNode {
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

/** Chooses the visible columns. */
export function ColumnsMenu({
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
            onChange={(event) =>
              onChange({
                ...visibility,
                [key]: event.target.checked ? undefined : { hidden: true },
              })
            }
          />
          <span>{key}</span>
          <small className="quiet">{dataType}</small>
        </label>
      ))}
    </Menu>
  );
}

/**
 * Copies to the clipboard: the selected rows, else the current one; its column; the names of all
 * columns; or the query as a program.
 */
export function CopyMenu({
  selection,
  place,
  column,
  onCopy,
  onCopyColumn,
  onCopyNames,
  onCopyCode,
}: {
  readonly selection: Selection;
  readonly place: GridPosition;
  /** Returns the current column of the grid. */
  readonly column: GridColumn | undefined;
  readonly onCopy: (format: CopyFormat) => void;
  readonly onCopyColumn: (column: GridColumn) => void;
  readonly onCopyNames: () => void;
  readonly onCopyCode: (sample: CodeSample) => void;
}): ReactNode {
  return (
    <Menu label="Copy">
      {(['TSV', 'JSON'] as const).map((format) => (
        <button key={format} type="button" onClick={() => onCopy(format)}>
          {copyLabel(selection, place, format)}
        </button>
      ))}
      {column !== undefined && (
        <button type="button" onClick={() => onCopyColumn(column)}>
          Column {column.key}
        </button>
      )}
      <button type="button" onClick={onCopyNames}>
        Names of the columns
      </button>
      <hr />
      {codeSamples.map((sample) => (
        <button key={sample.title} type="button" onClick={() => onCopyCode(sample)}>
          Query as {sample.title}
        </button>
      ))}
    </Menu>
  );
}

function copyLabel({ ranges }: Selection, { row }: GridPosition, format: CopyFormat): string {
  const count = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  if (count === 0) return `Row ${formatCount(Math.max(0, row) + 1)} as ${format}`;
  const limited = count > copiedRowsMax ? ` (the first ${formatCount(copiedRowsMax)})` : '';
  return `${counted(count, 'selected row')} as ${format}${limited}`;
}
