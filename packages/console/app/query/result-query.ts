import type { Catalog } from './catalog.ts';
import type { OpenResult } from './result-pages.ts';

/** The editor's name of a result whose columns it completes. */
const resultName = 'result';

/** Returns a query of all rows of a stored result. */
export function selectResult(requestId: string): string {
  return `SELECT *\nFROM result('${requestId}')`;
}

/**
 * Returns a query of stored results in the language that the console writes, whatever that of the
 * caller is.
 */
export function inOwnDialect(sql: string, dialects: readonly string[]): string {
  return dialects.includes('duckdb') ? `SET dialect = 'duckdb'; ${sql}` : sql;
}

/** Completions for a query that names the open result, including its columns. */
export function withResult(
  catalog: Catalog | undefined,
  { columns }: Pick<OpenResult, 'columns'>,
): Catalog {
  return { ...catalog, [resultName]: columns.map(({ name, dataType }) => ({ name, dataType })) };
}
