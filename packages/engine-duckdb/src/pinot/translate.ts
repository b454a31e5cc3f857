import type { Query as GivenQuery, QuireError } from '@quire/core';
import { parseStatement } from './parse-query.ts';
import { assertOption } from './query-options.ts';
import type { Column } from './scope.ts';
import type { Source } from './syntax.ts';
import { QueryTranslator } from './translate-query.ts';

/** A query in DuckDB's words. */
export interface Translation {
  readonly sql: string;
  /** Whether the plan of that query is asked for, not its rows. */
  readonly isPlan: boolean;
}

/** Tells the columns of what a query reads, as DuckDB has them. */
export interface ColumnSource {
  /** The name of a table as DuckDB knows it, in whatever case it is given; undefined where there is none. */
  readonly tableNamed: (name: string) => string | undefined;
  readonly tableNotFound: (name: string) => QuireError;
  readonly columnsOfTable: (name: string) => Promise<readonly Column[]>;
  readonly columnsOfResult: (id: string) => Promise<readonly Column[]>;
}

/**
 * Translates a query of Apache Pinot's SQL, whole: what each expression means there is what it means
 * in DuckDB's words.
 *
 * @throws QUERY_SYNTAX when it cannot be parsed, QUERY_INVALID, COLUMN_NOT_FOUND when it cannot be
 * translated
 */
export async function translatePinot(
  { sql, parameters }: GivenQuery,
  source: ColumnSource,
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
    const key = named.path.at(-1)?.text.toLowerCase() ?? '';
    const name = tables.has(key) ? undefined : source.tableNamed(key);
    if (name !== undefined) tables.set(key, { name, columns: await source.columnsOfTable(name) });
  }
  const translator = new QueryTranslator(
    sql,
    {
      table: (name) => tables.get(name.toLowerCase()),
      tableNotFound: source.tableNotFound,
      result: (id) => results.get(id) ?? [],
    },
    parameters,
  );
  return { sql: translator.translate(query).sql, isPlan };
}

type NamedSource = Source & { readonly kind: 'table' | 'result' };

/** The tables and results that a query names, in whatever part of it. */
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
