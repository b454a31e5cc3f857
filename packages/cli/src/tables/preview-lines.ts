import type { PreviewResponse } from '@quire/tables';
import { tabbedHeader, tabbedRow } from '../row-lines.ts';
import { columnCell, columnsOfPreview } from './preview-columns.ts';

/** The rows as the table would hold them, as lines: a line of names, then each row; no value is `\N`. */
export function* previewLines(preview: PreviewResponse): Generator<string> {
  const columns = columnsOfPreview(preview);
  if (columns.length === 0) return;
  yield tabbedHeader(columns);
  for (const row of preview.rows) yield tabbedRow(columns.map((column) => columnCell(row, column)));
}
