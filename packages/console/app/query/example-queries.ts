import { isNumeric } from './grid-columns.ts';
import { type Catalog, type CatalogColumn, quoteName, selectAll } from './catalog.ts';

/** A query that shows the content of a table. */
export interface ExampleQuery {
  readonly title: string;
  readonly sql: string;
}

const examplesMax = 4;

/**
 * Returns example queries of the existing tables: the rows of one, groups of another, and values
 * over time, if columns allow it.
 */
export function exampleQueries(catalog: Catalog): readonly ExampleQuery[] {
  const tables = Object.entries(catalog);
  const kinds = [groupsOf, timeOf].flatMap((exampleOf) => {
    const examples = tables.flatMap(([table, columns]) => exampleOf(table, columns) ?? []);
    return examples.slice(0, 1);
  });
  const rows = tables.map(([table]) => ({
    title: `All rows of ${table}`,
    sql: selectAll(table),
  }));
  return [...rows.slice(0, 1), ...kinds, ...rows.slice(1)].slice(0, examplesMax);
}

function groupsOf(table: string, columns: readonly CatalogColumn[]): ExampleQuery | undefined {
  const group = columns.find(({ dataType }) => dataType === 'STRING');
  const number = numberOf(columns);
  if (group === undefined || number === undefined) return undefined;
  const [groupName, numberName] = [quoteName(group.name), quoteName(number.name)];
  return {
    title: `${number.name} of ${table} for each ${group.name}`,
    sql: `SELECT ${groupName}, count(*) AS row_count, avg(${numberName}) AS average\nFROM ${quoteName(table)}\nGROUP BY ${groupName}\nORDER BY row_count DESC`,
  };
}

function timeOf(table: string, columns: readonly CatalogColumn[]): ExampleQuery | undefined {
  const time = columns.find(({ dataType }) => dataType === 'TIMESTAMP');
  const number = numberOf(columns);
  if (time === undefined || number === undefined) return undefined;
  const timeName = quoteName(time.name);
  return {
    title: `${number.name} of ${table} over time`,
    sql: `SELECT ${timeName}, avg(${quoteName(number.name)}) AS average\nFROM ${quoteName(table)}\nGROUP BY ${timeName}\nORDER BY ${timeName}`,
  };
}

/** Reports whether a column is a measure; ids and years are not. */
function numberOf(columns: readonly CatalogColumn[]): CatalogColumn | undefined {
  return columns.find(
    ({ name, dataType }) => isNumeric(dataType) && !/(?:^|_)(?:id|year)$|Id$/i.test(name),
  );
}
