import type { Cell, Column } from '@quire/client';
import { cellContent } from './table/cell-text.ts';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/**
 * Formats a row as one line of tab-separated cells, like PostgreSQL's COPY: NULL is `\N`, and a
 * backslash, tab or line break inside a cell is written as `\\`, `\t`, `\n` or `\r`. So every line
 * is a row and every tab ends a cell.
 */
export function tabbedRow(row: readonly Cell[]): string {
  return `${row.map((cell) => (cell === null ? '\\N' : tabbedCell(cellContent(cell)))).join('\t')}\n`;
}

/** Formats the names of the columns as such a line. */
export function tabbedHeader(columns: readonly Column[]): string {
  return `${columns.map((column) => tabbedCell(column.name)).join('\t')}\n`;
}

function tabbedCell(text: string): string {
  return /[\\\t\n\r]/.test(text)
    ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : text;
}
