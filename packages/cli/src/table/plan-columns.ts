/** The preferred width of a column, and whether its cells may be truncated. */
export interface ColumnWish {
  readonly width: number;
  readonly mayShrink: boolean;
}

/** A shown column: its index among all columns, and its width. */
export interface PlannedColumn {
  readonly index: number;
  readonly width: number;
}

const shrunkWidthMin = 10;

/**
 * Selects the columns to show, starting with the first one, and their widths, so that they fit into
 * `widthMax` with `gap` between them. Columns that may shrink share the available width: the widest
 * shrink first. At least one column is shown.
 */
export function planColumns(
  wishes: readonly ColumnWish[],
  widthMax: number,
  gap: number,
): readonly PlannedColumn[] {
  const shown: ColumnWish[] = [];
  let widthNeeded = -gap;
  for (const wish of wishes) {
    widthNeeded += gap + widthLeast(wish);
    if (shown.length > 0 && widthNeeded > widthMax) break;
    shown.push(wish);
  }
  const cap = shrinkCap(shown, widthMax - gap * (shown.length - 1));
  return shown.map((wish, index) => ({
    index,
    width: Math.min(wish.mayShrink ? Math.min(wish.width, cap) : wish.width, Math.max(1, widthMax)),
  }));
}

function widthLeast(wish: ColumnWish): number {
  return wish.mayShrink ? Math.min(wish.width, shrunkWidthMin) : wish.width;
}

/**
 * Returns the largest width to which shrinkable columns must be truncated for all columns to fit
 * into `available`.
 */
function shrinkCap(wishes: readonly ColumnWish[], available: number): number {
  let availableLeft =
    available - sum(wishes.filter((wish) => !wish.mayShrink).map((wish) => wish.width));
  // Narrow columns get their preferred width; the wider ones share the rest.
  const widths = wishes
    .filter((wish) => wish.mayShrink)
    .map((wish) => wish.width)
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
