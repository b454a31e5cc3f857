import { counted } from '../format.ts';
import type { FileSending, SendFile } from '../send-file.ts';
import { formatOfName } from './file-format.ts';
import type { Finding } from './preview-parts.tsx';

/** A file to load. */
export interface LoadableFile {
  /** Its extension is that of its format. */
  readonly name: string;
  readonly content: Blob;
  /** Separates the cells of CSV; a comma by default. */
  readonly delimiter?: string | undefined;
}

/** A file that was loaded. */
export interface LoadedFile {
  readonly sentence: string;
  readonly findings: readonly Finding[];
}

/**
 * Loads a file into the offline half of a table: the browser streams it from the disk.
 *
 * @throws CallError with the findings, where the server cannot load it
 */
export async function uploadFile(
  sendFile: SendFile,
  table: string,
  file: LoadableFile,
  sending: FileSending = {},
): Promise<LoadedFile> {
  const inputFormat = formatOfName(file.name);
  const batchConfig = {
    inputFormat,
    ...(inputFormat === 'csv' && { 'recordReader.prop.delimiter': file.delimiter }),
  };
  const query = new URLSearchParams({
    tableNameWithType: `${table}_OFFLINE`,
    batchConfigMapStr: JSON.stringify(batchConfig),
  });
  const form = new FormData();
  form.append('file', file.content, file.name);
  const answer = (await sendFile(`/ingestFromFile?${query.toString()}`, form, sending)) as {
    readonly rowCount?: number;
    readonly findings?: readonly Finding[];
  };
  return {
    sentence: `${counted(answer.rowCount ?? 0, 'row')} of ${file.name} loaded into ${table}.`,
    findings: answer.findings ?? [],
  };
}
