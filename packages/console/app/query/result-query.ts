import type { Catalog } from './catalog.ts';
import type { OpenResult } from './result-pages.ts';

/** What the editor calls a result whose columns it completes. */
const resultName = 'result';

/** A query of all rows of a stored result. */
export function selectResult(requestId: string): string {
  return `SELECT *\nFROM result('${requestId}')`;
}

/** What the editor completes where a query names the result that is open: also its columns. */
export function withResult(
  catalog: Catalog | undefined,
  { columns }: Pick<OpenResult, 'columns'>,
): Catalog {
  return { ...catalog, [resultName]: columns.map(({ name, dataType }) => ({ name, dataType })) };
}
