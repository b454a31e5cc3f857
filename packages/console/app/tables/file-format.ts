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
export function formatOfName(name: string): string | undefined {
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
