import type { Cell } from '@quire/client';
import { visibleText } from '@quire/core/portable';

/**
 * Formats a cell as one line of printable text, with escapes for invisible characters. Null is
 * NULL.
 */
export function cellText(cell: Cell): string {
  return visibleText(cellContent(cell));
}

/**
 * Formats a cell as text, complete and unescaped: strings unchanged, arrays and objects as JSON.
 */
export function cellContent(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'object') return jsonText(cell);
  return Object.is(cell, -0) ? '-0' : String(cell);
}

/** Formats a document as JSON over several lines, in the layout of `JSON.stringify(…, 2)`. */
export function indentedJson(document: Cell): string {
  return jsonText(document, '\n');
}

/**
 * Writes JSON with the digits of bigints, which JSON.stringify refuses, and the sign of −0, which
 * it omits; NaN and infinities as strings, as on the wire.
 *
 * @param lineBreak a line feed and the indentation of the cell; absent: all on one line
 */
function jsonText(cell: Cell, lineBreak?: string): string {
  const inner = lineBreak === undefined ? undefined : `${lineBreak}  `;
  const enclose = (open: string, items: readonly string[], close: string): string =>
    items.length === 0
      ? `${open}${close}`
      : `${open}${inner ?? ''}${items.join(`,${inner ?? ''}`)}${lineBreak ?? ''}${close}`;
  if (Array.isArray(cell)) {
    return enclose(
      '[',
      cell.map((element: Cell) => jsonText(element, inner)),
      ']',
    );
  }
  if (cell instanceof Date) return JSON.stringify(cell);
  if (typeof cell === 'object' && cell !== null) {
    const colon = inner === undefined ? ':' : ': ';
    const members = Object.entries(cell).map(
      ([name, value]) => `${JSON.stringify(name)}${colon}${jsonText(value, inner)}`,
    );
    return enclose('{', members, '}');
  }
  if (typeof cell === 'bigint') return String(cell);
  if (Object.is(cell, -0)) return '-0';
  return JSON.stringify(typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell);
}
