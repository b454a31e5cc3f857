import { formatOfName, isPlainText } from './file-format.ts';

/** The delimiters of CSV that one can choose, with their names. */
export const delimiters = [
  [',', 'commas'],
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** The length of a first line that is read. */
const lineLengthMax = 10_000;

/** Returns the delimiter that the first line contains most often outside quotes; commas if none. */
export function likelyDelimiter(text: string): string {
  const [line = ''] = text
    .slice(0, lineLengthMax)
    .replaceAll(/"[^"]*"/g, '')
    .split('\n', 1);
  const counts = delimiters.map(([delimiter]) => line.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))]?.[0] ?? ',';
}

/** Returns the likely delimiter of a CSV file; undefined for files of other formats. */
export async function delimiterOfFile(file: File): Promise<string | undefined> {
  if (formatOfName(file.name) !== 'csv') return undefined;
  if (!isPlainText(file.name)) return ',';
  try {
    return likelyDelimiter(await file.slice(0, lineLengthMax).text());
  } catch {
    // The file cannot be read: the load will say why.
    return ',';
  }
}
