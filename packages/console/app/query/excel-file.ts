import type { QuireClient } from '@quire/client';
import { writeXlsxStream } from 'hucre/xlsx';
import { encodeJson } from './cell-text.ts';
import { excelRowsMax } from './excel-limits.ts';
import { gridColumnsOf, isNumeric } from './grid-columns.ts';
import { type OpenResult, ResultPages } from './result-pages.ts';

/** The maximum length of the text of a cell in Excel. */
const textLengthMax = 32_767;
/** Numbers of more digits would lose some: Excel computes with doubles and shows 15. */
const digitsMax = 15;
/** Excel's calendar begins with 1900, and has a day in that February that never was. */
const firstTimeMs = Date.UTC(1900, 2, 1);

type Cell = string | number | boolean | Date | null;

/**
 * Writes the first rows of a result as a workbook, in constant memory: pages are read as the
 * workbook takes them. Texts are never formulas.
 *
 * @throws as the pages of the result
 */
export async function excelFile(
  client: QuireClient,
  result: OpenResult,
  {
    onProgress,
    signal,
  }: { readonly onProgress: (rowCount: number) => void; readonly signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  const pages = new ResultPages(client, result);
  const rowCount = Math.min(excelRowsMax, result.totalRowCount);
  await pages.load(0, 1, signal, { atOnce: true });
  // Columns of days are of the type STRING: the wire has no other for them.
  const columns = gridColumnsOf(result).map((column) => ({
    ...column,
    dataType: pages.timeKindOf(column.index) ?? column.dataType,
  }));
  async function* rows(): AsyncGenerator<Cell[]> {
    for (let start = 0; start < rowCount; start += pages.pageRowCount) {
      const end = Math.min(rowCount, start + pages.pageRowCount);
      await pages.load(start, end, signal, { atOnce: true });
      for (let row = start; row < end; row += 1) {
        yield columns.map(({ index, dataType }) => excelCell(pages.jsonAt(row, index), dataType));
      }
      onProgress(end);
    }
  }
  return writeXlsxStream(rows(), {
    name: 'Result',
    columns: columns.map(({ name, dataType }) => ({
      header: excelText(name),
      ...(timeFormats[dataType] !== undefined && { numFmt: timeFormats[dataType] }),
    })),
    freezePane: { rows: 1 },
  });
}

/** The number formats of times in Excel, by their types. */
const timeFormats: Readonly<Record<string, string>> = {
  DATE: 'yyyy-mm-dd',
  TIMESTAMP: 'yyyy-mm-dd hh:mm:ss.000',
};

/** A value as Excel can hold it without a loss; otherwise its text. Pure. */
export function excelCell(value: unknown, dataType: string): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (isNumeric(dataType)) {
    const text = encodeJson(value).replaceAll('"', '');
    const isExact = text.replaceAll(/^-?0*\.?0*|[.-]|e.*$/gi, '').length <= digitsMax;
    const number = Number(text);
    return (typeof value === 'number' || isExact) && Number.isFinite(number) ? number : text;
  }
  if (dataType in timeFormats && typeof value === 'string') return timeOf(value) ?? value;
  return excelText(typeof value === 'string' ? value : encodeJson(value));
}

/**
 * Cuts a text that is too long for a cell, between characters. In workbooks `_x0041_` is the
 * character A, so that such a text is written with an escaped underscore.
 */
function excelText(text: string): string {
  const cut = text.slice(0, textLengthMax);
  const whole = cut.length < text.length ? cut.replace(/[\ud800-\udbff]$/, '') : cut;
  return whole.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_');
}

/**
 * Parses a time whose precision is at most milliseconds. Undefined for others, which are written as
 * text, so that they keep their digits.
 */
function timeOf(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,3})?)?$/.test(text)) return undefined;
  const ms = Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : 'T00:00:00Z'}`);
  return ms >= firstTimeMs ? new Date(ms) : undefined;
}
