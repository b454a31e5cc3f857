/** The preferred width of a column, and whether its cells may be truncated. */
export interface ColumnWidth {
  readonly width: number;
  readonly mayShrink: boolean;
}

/** A shown column: its index among all columns, and its width. */
export interface PlannedColumn {
  readonly index: number;
  readonly width: number;
  /** True if cells of other rows that are wider must not be truncated. */
  readonly isWhole?: boolean;
}

const shrunkWidthMin = 10;

/**
 * Selects the columns to show, starting with the first one, and their widths, so that they fit into
 * `widthMax` with `gap` between them. Columns that may shrink share the available width: the widest
 * shrink first. At least one column is shown.
 */
export function planColumns(
  columns: readonly ColumnWidth[],
  widthMax: number,
  gap: number,
): readonly PlannedColumn[] {
  const shown: ColumnWidth[] = [];
  let widthNeeded = -gap;
  for (const column of columns) {
    widthNeeded += gap + widthLeast(column);
    if (shown.length > 0 && widthNeeded > widthMax) break;
    shown.push(column);
  }
  const cap = shrinkCap(shown, widthMax - gap * (shown.length - 1));
  return shown.map((column, index) => ({
    index,
    width: Math.min(
      column.mayShrink ? Math.min(column.width, cap) : column.width,
      Math.max(1, widthMax),
    ),
  }));
}

function widthLeast(column: ColumnWidth): number {
  return column.mayShrink ? Math.min(column.width, shrunkWidthMin) : column.width;
}

/**
 * Returns the largest width to which shrinkable columns must be truncated for all columns to fit
 * into `available`.
 */
function shrinkCap(columns: readonly ColumnWidth[], available: number): number {
  let availableLeft =
    available - sum(columns.filter((column) => !column.mayShrink).map((column) => column.width));
  // Narrow columns get their preferred width; the wider ones share the rest.
  const widths = columns
    .filter((column) => column.mayShrink)
    .map((column) => column.width)
    .toSorted((left, right) => left - right);
  for (const [index, width] of widths.entries()) {
    const share = Math.floor(availableLeft / (widths.length - index));
    if (width > share) return Math.max(share, 1);
    availableLeft -= width;
  }
  return Number.POSITIVE_INFINITY;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
