import type { QuireAdminClient } from '@quire/client';
import { counted } from '../format.ts';

/** Formats of uploads by the ends of their names, as the batch config calls them. */
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

/** For the field that chooses a file. */
export const uploadEnds = Object.keys(formatByEnd).flatMap((end) =>
  end === 'csv' || end.startsWith('json') || end === 'ndjson'
    ? [`.${end}`, `.${end}.gz`]
    : [`.${end}`],
);

/** The format that a name tells, also of a compressed file; undefined when it tells none. */
function formatOfName(name: string): string | undefined {
  const end = name
    .toLowerCase()
    .replace(/\.(?:gz|zst|br)$/, '')
    .split('.')
    .at(-1);
  return formatByEnd[end ?? ''];
}

/**
 * Loads a file into the offline half of a table: the browser streams it from the disk. Resolves to
 * a sentence. @throws as `QuireAdminClient.ingestFile`
 */
export async function uploadFile(
  admin: QuireAdminClient,
  table: string,
  file: { readonly name: string; readonly content: Blob; readonly format?: string | undefined },
  signal?: AbortSignal,
): Promise<string> {
  const inputFormat = file.format ?? formatOfName(file.name);
  const { rowCount } = await admin.ingestFile(`${table}_OFFLINE`, file, {
    signal,
    ...(inputFormat !== undefined && { batchConfig: { inputFormat } }),
  });
  return `${counted(rowCount, 'row')} of ${file.name} loaded into ${table}.`;
}
