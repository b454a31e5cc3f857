import type { Cell, Column } from '@quire/client';
import type { Styles } from '../styles.ts';
import { cellText, printable } from './cell-text.ts';
import { type PlannedColumn, planColumns } from './plan-columns.ts';
import { fitText, textWidth } from './text-width.ts';

export interface TableColumn extends Column {
  /** Whether its texts are of no use when cut, such as ids. */
  readonly isWhole?: boolean;
}

export interface TableOptions {
  /** Columns of the terminal that the table may fill; infinite where lines are not broken. */
  readonly widthMax: number;
  readonly styles: Styles;
  /** Column to start with; 0 without. */
  readonly firstColumn?: number;
  /** Columns as an earlier call has laid them out, so that pages line up. */
  readonly plan?: readonly PlannedColumn[];
}

export interface TextTable {
  /** Names, and a rule under them. */
  readonly header: readonly string[];
  /** One line per row. */
  readonly lines: readonly string[];
  readonly plan: readonly PlannedColumn[];
}

const gap = '  ';
const numberPattern = /^(?:INT|LONG|FLOAT|DOUBLE|BIG_DECIMAL)$/;
/** Half a number or a time is a wrong one; half a text is still a text. */
const wholePattern = /^(?:INT|LONG|FLOAT|DOUBLE|BIG_DECIMAL|TIMESTAMP|BOOLEAN)$/;
/** No column needs more: a cell of megabytes is neither measured nor shown to its end. */
const cellWidthMax = 400;

/** Lays rows out as lines of aligned columns: numbers to the right, long cells cut with `…`, columns without room left out. */
export function layOutTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): TextTable {
  const texts = rows.map((row) => row.map((cell) => cellText(typeof cell === 'string' ? cell.slice(0, cellWidthMax * 4) : cell)));
  const names = columns.map((column) => printable(column.name));
  const numeric = columns.map((column) => numberPattern.test(column.dataType));
  const plan = options.plan ?? planTable(columns, names, texts, options);
  const { strong, faint } = options.styles;
  const align = (index: number): 'left' | 'right' => (numeric[index] === true ? 'right' : 'left');
  return {
    plan,
    header: [
      line(plan.map(({ index, width }) => strong(fitText(names[index] ?? '', width, align(index))))),
      line(plan.map(({ width }) => faint('─'.repeat(width)))),
    ],
    lines: texts.map((row, rowIndex) =>
      line(
        plan.map(({ index, width }) => {
          const text = fitText(row[index] ?? '', width, align(index));
          return rows[rowIndex]?.[index] === null ? faint(text) : text;
        }),
      ),
    ),
  };
}

function planTable(
  columns: readonly TableColumn[],
  names: readonly string[],
  texts: readonly (readonly string[])[],
  options: TableOptions,
): readonly PlannedColumn[] {
  const wishes = names.map((name, index) => ({
    width: texts.reduce(
      (width, row) => Math.max(width, textWidth(row[index] ?? '', cellWidthMax)),
      textWidth(name, cellWidthMax),
    ),
    mayShrink: columns[index]?.isWhole !== true && !wholePattern.test(columns[index]?.dataType ?? ''),
  }));
  return planColumns(wishes, options.widthMax, { gap: gap.length, firstColumn: options.firstColumn ?? 0 });
}

function line(cells: readonly string[]): string {
  return cells.join(gap).trimEnd();
}
