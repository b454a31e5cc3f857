import type { DownloadFormat, QuireClient } from '@quire/client';
import { pageFormats } from '@quire/core/wire';
import { saveFile } from '../save-file.ts';
import type { OpenResult } from './result-pages.ts';

/**
 * The formats of files. Excel files are written here, the others are downloaded from the server.
 */
export type FileFormat = DownloadFormat | 'excel';

const excelType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * Saves a result as a file, and reports the number of rows received so far. Excel opens at most
 * `excelRowsMax`. @throws as the pages of the result
 */
export async function downloadResult(
  client: QuireClient,
  result: OpenResult,
  options: {
    readonly format: FileFormat;
    readonly onProgress: (rowCount: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { format } = options;
  const isExcel = format === 'excel';
  const { fileExtension, mediaType: type } = isExcel
    ? { fileExtension: 'xlsx', mediaType: excelType }
    : pageFormats[format];
  const bytes = isExcel
    ? await (await import('./excel-file.ts')).excelFile(client, result, options)
    : await openDownload(client, result, { ...options, format });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let parts: Blob[] = [];
  let heldBytes = 0;
  for await (const chunk of chunksOf(bytes)) {
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
    heldBytes += chunk.byteLength;
    // The browser stores blobs on its disk; arrays stay in memory.
    if (heldBytes >= 8 * 2 ** 20) {
      parts = [new Blob([...parts, ...chunks.splice(0)])];
      heldBytes = 0;
    }
  }
  saveFile(new Blob([...parts, ...chunks], { type }), `${result.requestId}.${fileExtension}`);
}

async function openDownload(
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
): Promise<AsyncIterable<Uint8Array>> {
  const cursor = await client.open(requestId, { rowCount: 1, signal });
  return cursor.download({
    format,
    // CSV is opened in spreadsheets, which would execute texts that begin like formulas.
    formulas: format === 'csv' ? 'escape' : undefined,
    signal,
    onProgress: ({ rowCount }) => onProgress(rowCount),
  });
}

/** Not every browser iterates streams. */
async function* chunksOf(
  bytes: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (!(bytes instanceof ReadableStream)) {
    yield* bytes;
    return;
  }
  const reader = bytes.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
