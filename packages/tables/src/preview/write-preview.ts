import { writeJson } from '../expression/values/json.ts';
import type { SourceValue } from '../row.ts';
import { letOthersRun } from './pace.ts';
import type { PreviewResponse } from './preview-response.ts';

/** Rows that are written at once. */
const rowsOfPiece = 200;

/**
 * Writes a preview as JSON, in pieces between which others run: integers with all their digits, bytes as hex, NaN and the
 * infinities as texts.
 */
export async function* writePreview(preview: PreviewResponse): AsyncGenerator<string> {
  const { sourceRows, rows, ...rest } = preview;
  // The rows go first, so that the rest can be written as any other value is, and closed by its own brace.
  yield '{"sourceRows":';
  yield* writeRows(sourceRows);
  yield ',"rows":';
  yield* writeRows(rows);
  yield `,${writeAnyJson(rest).slice(1)}`;
}

/** Writes any value as `writePreview` does. */
export function writeAnyJson(value: object): string {
  return writeJson(value as SourceValue);
}

async function* writeRows(rows: readonly object[]): AsyncGenerator<string> {
  for (let start = 0; start < rows.length; start += rowsOfPiece) {
    const piece = rows.slice(start, start + rowsOfPiece).map(writeAnyJson);
    yield `${start === 0 ? '[' : ','}${piece.join(',')}`;
    await letOthersRun();
  }
  yield rows.length === 0 ? '[]' : ']';
}
