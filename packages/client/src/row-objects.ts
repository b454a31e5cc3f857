import { QuireError } from '@quire/core/portable';
import type { RowObject } from './cells.ts';
import type { QueryPage } from './query-page.ts';

/** The rows of a page by the names of their columns. @throws INVALID_PARAMETER when two columns have the same name */
export function rowObjectsOf({ columns, rows }: Pick<QueryPage, 'columns' | 'rows'>): readonly RowObject[] {
  const names = columns.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    const advice = 'give them names of their own in the SQL, or take rows as arrays';
    throw new QuireError('INVALID_PARAMETER', `Two columns have the name '${repeated}': ${advice}.`);
  }
  // Not by assignment: a column may be named __proto__.
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])));
}
