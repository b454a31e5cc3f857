import { counted } from '../format.ts';
import type { FileSending, SendFile } from '../send-file.ts';
import type { Finding } from './preview-parts.tsx';

/** The formats of uploads by file extension, with their names in the batch config. */
const formatByEnd: Readonly<Record<string, string>> = {
  csv: 'csv',
  txt: 'csv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  parquet: 'parquet',
  arrow: 'arrow',
  avro: 'avro',
};

/** For the file input. */
export const uploadEnds = Object.keys(formatByEnd).flatMap((end) =>
  end === 'csv' || end.startsWith('json') || end === 'ndjson'
    ? [`.${end}`, `.${end}.gz`]
    : [`.${end}`],
);

/** Returns the format of a file name, also of a compressed file; undefined for an unknown one. */
function formatOfName(name: string): string | undefined {
  const end = name
    .toLowerCase()
    .replace(/\.(?:gz|zst|br)$/, '')
    .split('.')
    .at(-1);
  return formatByEnd[end ?? ''];
}

/** Files whose rows are text that a page can show; others are sampled by the server. */
export function isPlainText(name: string): boolean {
  return /\.(?:csv|txt|json|jsonl|ndjson)$/i.test(name);
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
  file: { readonly name: string; readonly content: Blob; readonly format?: string | undefined },
  sending: FileSending = {},
): Promise<LoadedFile> {
  const inputFormat = file.format ?? formatOfName(file.name);
  const query = new URLSearchParams({
    tableNameWithType: `${table}_OFFLINE`,
    ...(inputFormat !== undefined && { batchConfigMapStr: JSON.stringify({ inputFormat }) }),
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
