import type { DownloadFormat, QuireClient } from '@quire/client';
import { pageFormats } from '@quire/core/wire';
import { saveFile } from '../save-file.ts';
import type { OpenResult } from './result-pages.ts';

/**
 * Saves a whole result as a file, and tells how many of its rows are there. @throws as the pages of
 * the result
 */
export async function downloadResult(
  client: QuireClient,
  { requestId }: OpenResult,
  {
    format,
    onProgress,
    signal,
  }: {
    readonly format: DownloadFormat;
    readonly onProgress: (rowCount: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { fileExtension, mediaType: type } = pageFormats[format];
  const cursor = await client.open(requestId, { rowCount: 1, signal });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let parts: Blob[] = [];
  let bytes = 0;
  // People open CSV in spreadsheets, which would run texts that begin like formulas.
  const formulas = format === 'csv' ? 'escape' : undefined;
  const download = cursor.download({
    format,
    formulas,
    signal,
    onProgress: ({ rowCount }) => onProgress(rowCount),
  });
  for await (const chunk of download) {
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
    bytes += chunk.byteLength;
    // The browser keeps blobs on its disk; arrays stay in memory.
    if (bytes >= 8 * 2 ** 20) {
      parts = [new Blob([...parts, ...chunks.splice(0)])];
      bytes = 0;
    }
  }
  saveFile(new Blob([...parts, ...chunks], { type }), `${requestId}.${fileExtension}`);
}
