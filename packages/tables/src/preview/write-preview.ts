import { formatBytes, QuireError, writeLosslessJson } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
import { previewLimits } from './preview-limits.ts';
import type { PreviewResponse } from './preview-response.ts';

/** How many bytes a piece has when it is handed on. */
const pieceBytes = 64 * 1024;
/** Room for the finding that says that rows are missing, and for the names around the rows. */
const reservedBytes = 1024;

/**
 * Writes a preview as JSON, in pieces between which others run: integers with all their digits, bytes as hex, NaN and the
 * infinities as texts. Rows that would make it longer than `bytesMax` are left out, which a finding says: rows as they came take
 * at most half of the room, rows of the table the rest.
 *
 * @param options.bytesMax most bytes of the whole; 32 MiB by default
 * @throws INVALID_BODY at once, when the preview is longer without any row
 */
export function writePreview(
  preview: PreviewResponse,
  { bytesMax = previewLimits.answerBytesMax } = {},
): AsyncGenerator<string, void, undefined> {
  const { sourceRows: _sourceRows, rows: _rows, ...rest } = preview;
  const end = `,${writeLosslessJson(rest).slice(1)}`;
  const endBytes = Buffer.byteLength(end) + reservedBytes;
  if (endBytes > bytesMax) {
    throw new QuireError(
      'INVALID_BODY',
      `The preview has ${formatBytes(endBytes)} without its rows; at most ${formatBytes(bytesMax)} are sent. Send a smaller config and schema.`,
    );
  }
  return writeAll(preview, end, bytesMax, bytesMax - endBytes);
}

async function* writeAll(
  { sourceRows, rows, ...rest }: PreviewResponse,
  end: string,
  bytesMax: number,
  roomBytes: number,
): AsyncGenerator<string, void, undefined> {
  // The rows go first, so that the rest can be written as any other value is, and closed by its own brace.
  yield '{"sourceRows":';
  const source = yield* writeRows(sourceRows, roomBytes / 2);
  yield ',"rows":';
  const made = yield* writeRows(rows, roomBytes - source.bytes);
  if (source.count === sourceRows.length && made.count === rows.length) return yield end;
  const message =
    `The answer would have more than ${formatBytes(bytesMax)}: of ${sourceRows.length} rows of the source ` +
    `${source.count} are in it, of ${rows.length} rows of the table ${made.count}.`;
  const cut: Finding = { path: '', code: 'ANSWER_CUT', severity: 'warning', message };
  yield `,${writeLosslessJson({ ...rest, findings: [...rest.findings, cut] }).slice(1)}`;
}

/** Writes as many rows as there is room for; gives how many, and their bytes. */
async function* writeRows(
  rows: readonly object[],
  roomBytes: number,
): AsyncGenerator<string, { readonly count: number; readonly bytes: number }, undefined> {
  let piece = '[';
  let bytes = 0;
  let count = 0;
  for (const row of rows) {
    const text = `${count === 0 ? '' : ','}${writeLosslessJson(row)}`;
    const textBytes = Buffer.byteLength(text);
    if (bytes + textBytes > roomBytes) break;
    bytes += textBytes;
    count += 1;
    piece += text;
    if (piece.length < pieceBytes) continue;
    yield piece;
    piece = '';
    await yieldToEventLoop();
  }
  yield `${piece}]`;
  return { count, bytes };
}
