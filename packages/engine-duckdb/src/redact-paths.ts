import type { Redact } from './duckdb-error.ts';
import type { OpenTable } from './table-source.ts';

/** Makes messages name tables where DuckDB names the files behind them, and hides the spill directory. */
export function redactPaths(tables: readonly OpenTable[], spillDirectory: string, liveDirectory?: string): Redact {
  const replacements = new Map<string, string>([[spillDirectory, 'the spill directory']]);
  for (const { name, path, files } of tables) {
    for (const text of [path, ...files]) replacements.set(text, `table ${name}`);
  }
  if (liveDirectory !== undefined) replacements.set(liveDirectory, 'the directory of tables');
  // A path may be the beginning of another.
  const longestFirst = [...replacements].toSorted(([left], [right]) => right.length - left.length);
  return (message) => longestFirst.reduce((text, [path, replacement]) => text.replaceAll(path, replacement), message);
}
