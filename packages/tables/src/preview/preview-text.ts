import { parseDocument } from './parse-document.ts';
import { previewLimits } from './preview-limits.ts';
import { type PreviewOptions, previewTable } from './preview-table.ts';
import { writePreview } from './write-preview.ts';

/**
 * Previews a table as the body of a request asks for it, and writes the answer, both JSON: see `previewTable` and `writePreview`.
 *
 * @throws INVALID_BODY when the body is not a JSON object, or the answer would be too long without any row; ABORTED
 */
export async function previewText(body: string, options: PreviewOptions): Promise<AsyncGenerator<string, void, undefined>> {
  const { digitsMax, answerBytesMax } = { ...previewLimits, ...options.limits };
  const preview = await previewTable(parseDocument(body, { digitsMax }), options);
  return writePreview(preview, { bytesMax: answerBytesMax });
}
