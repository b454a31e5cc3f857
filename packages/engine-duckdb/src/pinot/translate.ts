import type { Query as GivenQuery, QuireError } from '@quire/core';
import { foldName } from '../statement-guard.ts';
import type { StatementLimits } from '../statement-limits.ts';
import { parseStatement } from './parse-query.ts';
import { assertOption } from './query-options.ts';
import type { Column } from './scope.ts';
import type { Source } from './syntax.ts';
import { QueryTranslator } from './translate-query.ts';

/** A query in DuckDB's SQL. */
export interface Translation {
  readonly sql: string;
  /** True if the plan of that query is requested instead of its rows. */
  readonly isPlan: boolean;
}

/** Returns the columns of tables and results, with DuckDB's types. */
export interface ColumnSource {
  /**
   * Returns the name of a table in DuckDB's spelling, given in any case; undefined if it does not
   * exist.
   */
  readonly tableNamed: (name: string) => string | undefined;
  readonly tableNotFound: (name: string) => QuireError;
  readonly columnsOfTable: (name: string) => Promise<readonly Column[]>;
  readonly columnsOfResult: (id: string) => Promise<readonly Column[]>;
}

/**
 * Translates a query of Apache Pinot's SQL to DuckDB's SQL with the same meaning.
 *
 * @throws QUERY_SYNTAX when it cannot be parsed, QUERY_INVALID, COLUMN_NOT_FOUND when it cannot be
 *   translated
 */
export async function translatePinot(
  { sql, parameters }: GivenQuery,
  source: ColumnSource,
  limits: StatementLimits,
): Promise<Translation> {
  const { query, isPlan, options } = parseStatement(sql);
  for (const [name, value] of options) assertOption(name, value);
  const tables = new Map<string, { name: string; columns: readonly Column[] }>();
  const results = new Map<string, readonly Column[]>();
  for (const named of sourcesIn(query)) {
    if (named.kind === 'result') {
      results.set(named.id, results.get(named.id) ?? (await source.columnsOfResult(named.id)));
      continue;
    }
    const key = foldName(named.path.at(-1)?.text ?? '');
    const name = tables.has(key) ? undefined : source.tableNamed(key);
    if (name !== undefined) tables.set(key, { name, columns: await source.columnsOfTable(name) });
  }
  const translator = new QueryTranslator(
    sql,
    {
      table: (name) => tables.get(foldName(name)),
      tableNotFound: source.tableNotFound,
      result: (id) => results.get(id) ?? [],
    },
    parameters,
    limits,
  );
  return { sql: translator.translate(query).sql, isPlan };
}

type NamedSource = Source & { readonly kind: 'table' | 'result' };

/** Returns the tables and results that a query names, in any part of it. */
function sourcesIn(query: object): readonly NamedSource[] {
  const found: NamedSource[] = [];
  const visits: unknown[] = [query];
  for (let value = visits.pop(); value !== undefined; value = visits.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const { kind, alias } = value as Partial<NamedSource>;
    if ((kind === 'table' || kind === 'result') && alias !== undefined) {
      found.push(value as NamedSource);
    }
    for (const child of Object.values(value)) if (typeof child === 'object') visits.push(child);
  }
  return found;
}
