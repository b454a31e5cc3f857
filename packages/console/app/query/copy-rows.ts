import { type GridColumn, isNumeric } from './grid-columns.ts';
import { encodeJson } from './cell-text.ts';
import type { ResultPages } from './result-pages.ts';

export type CopyFormat = 'TSV' | 'JSON';

/** The clipboard is for some rows; a download is for all. */
export const copiedRowsMax = 10_000;

/** Returns the rows to copy: those of a selection, else one; none that the result does not have. */
export function selectedRows(
  { ranges }: { readonly ranges: readonly { readonly start: number; readonly end: number }[] },
  row: number,
  rowCount: number,
): readonly number[] {
  if (ranges.length === 0) return row < rowCount ? [row] : [];
  const rows: number[] = [];
  for (const { start, end } of ranges) {
    const last = Math.min(end, rowCount);
    for (let each = start; each < last && rows.length < copiedRowsMax; each += 1) rows.push(each);
  }
  return rows;
}

/** Returns rows of a result as text for the clipboard; fetches missing ones. */
export async function rowsAsText(
  pages: ResultPages,
  rows: readonly number[],
  { columns, format }: { readonly columns: readonly GridColumn[]; readonly format: CopyFormat },
): Promise<string> {
  const lines: string[] = [];
  for (const row of rows) {
    if (pages.textAt(row, 0) === undefined) {
      await pages.load(row, row + 1, undefined, { atOnce: true });
    }
    lines.push(format === 'TSV' ? tsvLine(pages, row, columns) : jsonObject(pages, row, columns));
  }
  return format === 'TSV'
    ? [columns.map(({ name }) => tsvField(withoutFormula(name))).join('\t'), ...lines].join('\n')
    : `[\n${lines.join(',\n')}\n]`;
}

function tsvLine(pages: ResultPages, row: number, columns: readonly GridColumn[]): string {
  return columns
    .map(({ index, dataType }) => {
      const text = pages.textAt(row, index) ?? '';
      return tsvField(isNumeric(dataType) ? text : withoutFormula(text));
    })
    .join('\t');
}

/**
 * Spreadsheets would execute texts that begin like a formula; the server writes CSV by the same
 * rule (`formulas=escape`).
 */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** Quotes a text as spreadsheets read it, if it contains tabs, line breaks or quotes. */
function tsvField(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function jsonObject(pages: ResultPages, row: number, columns: readonly GridColumn[]): string {
  const members = columns.map(
    ({ key, index }) => `${JSON.stringify(key)}:${encodeJson(pages.jsonAt(row, index))}`,
  );
  return `  {${members.join(',')}}`;
}
