import type { Cell } from '@quire/client';
import { visibleText } from '@quire/core/portable';

/**
 * A cell as one line of printable text: what it holds, with escapes for what is not seen. NULL for
 * null.
 */
export function cellText(cell: Cell): string {
  return visibleText(cellContent(cell));
}

/** A cell as text, whole and unescaped: strings as they are, arrays and objects as JSON. */
export function cellContent(cell: Cell): string {
  if (cell === null) return 'NULL';
  return typeof cell === 'object' ? jsonText(cell) : String(cell);
}

/**
 * JSON with the digits of bigints, which JSON.stringify refuses; NaN and infinities as strings, as
 * on the wire.
 */
function jsonText(cell: Cell): string {
  if (Array.isArray(cell)) return `[${cell.map((element: Cell) => jsonText(element)).join(',')}]`;
  if (cell instanceof Date) return JSON.stringify(cell);
  if (typeof cell === 'object' && cell !== null) {
    return `{${Object.entries(cell)
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`)
      .join(',')}}`;
  }
  if (typeof cell === 'bigint') return String(cell);
  return JSON.stringify(typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell);
}
