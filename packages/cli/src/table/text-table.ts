import type { Cell, Column } from '@quire/client';
import { visibleText } from '@quire/core/portable';
import type { Styles } from '../styles.ts';
import { cellText } from './cell-text.ts';
import { type PlannedColumn, planColumns } from './plan-columns.ts';
import { fitText, textWidth } from './text-width.ts';

export interface TableColumn extends Column {
  /** True if its texts, such as ids, must not be truncated. */
  readonly isWhole?: boolean;
}

export interface TableLayout {
  /** The available width in terminal columns; infinite if lines are not limited. */
  readonly widthMax: number;
  /** The first column to show; 0 by default. */
  readonly firstColumn?: number;
}

export interface TextTable {
  /** The names, and a rule below them. */
  readonly header: readonly string[];
  /** One line per row. */
  readonly lines: readonly string[];
}

type Rows = readonly (readonly Cell[])[];

const gap = '  ';
const numberPattern = /^(?:INT|LONG|FLOAT|DOUBLE|BIG_DECIMAL)$/;
/**
 * Matches types whose cells are never truncated: a truncated number or time is wrong, but a
 * truncated text is still useful.
 */
const wholePattern = /^(?:INT|LONG|FLOAT|DOUBLE|BIG_DECIMAL|TIMESTAMP|BOOLEAN)$/;
/** The maximum width of a column: a cell of megabytes is neither measured nor shown completely. */
const cellWidthMax = 400;

/**
 * Lays out rows as lines of aligned columns: numbers to the right, long cells truncated with `…`,
 * columns that do not fit omitted.
 */
export function layOutTable(
  columns: readonly TableColumn[],
  rows: Rows,
  options: TableLayout & { readonly styles: Styles },
) {
  const plan = planTable(columns, rows, options);
  return { plan, ...renderTable(columns, rows, plan, options.styles) };
}

/**
 * Selects the columns to show, and their widths. The plan applies to other rows as well, so that
 * pages are aligned; where lines are not limited, their wider numbers and times move the rest of
 * the line.
 */
export function planTable(
  columns: readonly TableColumn[],
  rows: Rows,
  { widthMax, firstColumn = 0 }: TableLayout,
): readonly PlannedColumn[] {
  // A column takes at least one character and a gap: of thousands, only these need to be measured.
  const candidates = columns.slice(
    firstColumn,
    firstColumn + Math.ceil(widthMax / (1 + gap.length)) + 1,
  );
  const widths = candidates.map((column, index) => ({
    width: rows.reduce(
      (width, row) => Math.max(width, textWidth(shownText(row[firstColumn + index]), cellWidthMax)),
      textWidth(visibleText(column.name), cellWidthMax),
    ),
    mayShrink: column.isWhole !== true && !wholePattern.test(column.dataType),
  }));
  return planColumns(widths, widthMax, gap.length).map(({ index, width }) => ({
    index: firstColumn + index,
    width,
    isWhole: widthMax === Number.POSITIVE_INFINITY && widths[index]?.mayShrink === false,
  }));
}

/** Renders the lines of a table with planned columns. */
export function renderTable(
  columns: readonly TableColumn[],
  rows: Rows,
  plan: readonly PlannedColumn[],
  styles: Styles,
): TextTable {
  const shown = plan.map(({ index, width, isWhole = false }) => ({
    index,
    width,
    isWhole,
    name: visibleText(columns[index]?.name ?? ''),
    align: numberPattern.test(columns[index]?.dataType ?? '')
      ? ('right' as const)
      : ('left' as const),
  }));
  return {
    header: [
      line(shown.map(({ name, width, align }) => styles.strong(fitText(name, width, align)))),
      line(shown.map(({ width }) => styles.faint('─'.repeat(width)))),
    ],
    lines: rows.map((row) =>
      line(
        shown.map(({ index, width, isWhole, align }) => {
          const content = shownText(row[index]);
          const text = fitText(
            content,
            isWhole ? Math.max(width, textWidth(content)) : width,
            align,
          );
          return row[index] === null ? styles.faint(text) : text;
        }),
      ),
    ),
  };
}

function shownText(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return cellText(typeof cell === 'string' ? cell.slice(0, cellWidthMax * 4) : cell);
}

function line(cells: readonly string[]): string {
  return cells.join(gap).trimEnd();
}
