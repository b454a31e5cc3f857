import { SourceProblem } from '../source-file.ts';

/** Formats of files that rows can be read from. */
export const fileFormats = ['csv', 'tsv', 'json', 'jsonl', 'parquet', 'arrow', 'avro'] as const;

export type FileFormat = (typeof fileFormats)[number];

const endings: readonly (readonly [pattern: RegExp, format: FileFormat])[] = [
  [/\.(jsonl|ndjson|jsonlines)$/i, 'jsonl'],
  [/\.json$/i, 'json'],
  [/\.csv$/i, 'csv'],
  [/\.(tsv|tab)$/i, 'tsv'],
  [/\.(parquet|pq)$/i, 'parquet'],
  [/\.(arrow|arrows|feather)$/i, 'arrow'],
  [/\.avro$/i, 'avro'],
];

/** The format of a file: by its first bytes where they tell, else by the end of its name, else by what its text begins with. @throws SourceProblem FILE_FORMAT when it is not text */
export function formatOf(uri: string, head: Uint8Array): FileFormat {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('PAR1')) return 'parquet';
  if (text.startsWith('ARROW1')) return 'arrow';
  if (text.startsWith('Obj\u0001')) return 'avro';
  const name = uri.replace(/\.(gz|gzip|zst|zstd)$/i, '');
  const byName = endings.find(([pattern]) => pattern.test(name))?.[1];
  if (byName !== undefined) return byName;
  if (head.includes(0)) {
    throw new SourceProblem('FILE_FORMAT', `${uri} is neither text nor of a binary format that is read here.`);
  }
  return /^(?:ï»¿)?\s*[[{]/.test(text) ? 'json' : 'csv';
}

/** The format that a config names; undefined when there is no such one. */
export function formatNamed(name: string): FileFormat | undefined {
  const word = name.toLowerCase();
  return fileFormats.find((format) => format === word);
}
