import { QuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import { isFunctionRefused, isTableFunctionAllowed } from './function-policy.ts';
import { overLimit, type StatementLimits } from './statement-limits.ts';
import { StatementTraits } from './statement-traits.ts';
import { isNode, type SyntaxNode } from './syntax-tree.ts';

/** The tables that a query may read: names in lower case, each with its configured spelling. */
export type TableNames = ReadonlyMap<string, string>;

/** The tables and results that a query may read. */
export interface Readable {
  readonly tables: TableNames;
  /** Ids of stored results, in lower case. */
  readonly results: ReadonlySet<string>;
}

/** The tables and results that a query reads, and its traits. */
export interface CheckedStatement {
  readonly tables: readonly string[];
  readonly results: readonly string[];
  readonly traits: StatementTraits;
}

/** The tables and results found so far. */
interface Reading extends Readable {
  readonly tablesRead: Set<string>;
  readonly resultsRead: Set<string>;
}

interface Visit {
  readonly value: unknown;
  /** The number of its enclosing nodes. */
  readonly depth: number;
  readonly scope: Scope | undefined;
}

/**
 * The common table expressions that are visible in a part of a query: those of one WITH before some
 * position, and all of the enclosing scope.
 */
interface Scope {
  /** Names in lower case, each with its first position in the WITH. */
  readonly positions: ReadonlyMap<string, number>;
  readonly visibleCount: number;
  readonly outer: Scope | undefined;
}

/**
 * The number of visited nodes after which the walk yields to the event loop; they take a few
 * milliseconds.
 */
const visitsAtOnce = 10_000;

/**
 * Parts of a SELECT that do not affect what is read. Parts that are neither listed here nor handled
 * below are refused.
 */
const harmlessNodes: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
  'SUBQUERY',
  'JOIN',
  'EXPRESSION_LIST',
  'EMPTY',
  'PIVOT',
  'ORDER_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'DISTINCT_MODIFIER',
  'ORDER_DEFAULT',
  'ASCENDING',
  'DESCENDING',
]);

/** The function that reads a stored result: `FROM result('<requestId>')`. */
export const resultFunction = 'result';

/** Views of the catalog that reveal only names and columns of tables. */
const catalogViews: ReadonlySet<string> = new Set(['tables', 'columns']);
/** The prefixes of DuckDB's own catalog views, which need no schema. */
const reservedPrefixes = ['duckdb_', 'pg_', 'pragma_', 'sqlite_'];
/**
 * The names that DuckDB takes for files if they are those of nothing else (also `x.csv.gz` and
 * `x.csv?y`).
 */
const fileName = /\.(?:csv|tsv|parquet|jsonl?|ndjson|db|ddb|duckdb)(?:[.?]|$)/;
/** SHOW TABLES and SHOW ALL TABLES in the syntax tree. */
const showableNames: ReadonlySet<string> = new Set(['"tables"', '__show_tables_expanded']);

/**
 * Reports whether a name may be that of a catalog view: no table or common table expression can
 * have it.
 */
export function isReservedName(name: string): boolean {
  return reservedPrefixes.some((prefix) => name.toLowerCase().startsWith(prefix));
}

/**
 * Checks that a SELECT reads configured tables and the given results, and nothing else. Returns the
 * names of those that it reads, and other traits of its syntax tree, which is walked once.
 *
 * The syntax tree is DuckDB's own (`json_serialize_sql`), so no spelling, quoting or comment can
 * bypass the check. It is an allow-list of everything that can be read from, and a deny-list of
 * scalar functions, which cannot read files.
 *
 * @throws TABLE_NOT_FOUND when a table is not configured
 * @throws QUERY_INVALID when the query uses anything else that could read outside of the tables, or
 *   is nested too deep
 */
export async function checkStatement(
  statement: SyntaxNode,
  readable: Readable,
  limits: StatementLimits,
): Promise<CheckedStatement> {
  const reading: Reading = { ...readable, tablesRead: new Set(), resultsRead: new Set() };
  const traits = new StatementTraits();
  const visits: Visit[] = [{ value: statement, scope: undefined, depth: 0 }];
  let visitCount = 0;
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    visitCount += 1;
    if (visitCount % visitsAtOnce === 0) await yieldToEventLoop();
    const { value, scope, depth } = visit;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) visits.push({ value: item, scope, depth });
    } else if (isNode(value)) {
      checkNode(value, scope, reading);
      traits.observe(value);
      if (isNode(value['function'])) traits.observe(value['function']);
      const below = depth + nestingOf(value);
      if (below > limits.depthMax) {
        throw overLimit(limits, 'depthMax', `parts that are nested ${below} or more levels deep`);
      }
      for (const child of childrenOf(value, scope)) visits.push({ ...child, depth: below });
    }
  }
  return { tables: [...reading.tablesRead].toSorted(), results: [...reading.resultsRead], traits };
}

/**
 * Returns the additional depth of the parts of a node; the planner nests those of a set operation
 * in each other.
 */
function nestingOf(node: SyntaxNode): number {
  if (typeof node['type'] !== 'string') return 0;
  return node['type'] === 'SET_OPERATION_NODE' && Array.isArray(node['children'])
    ? node['children'].length
    : 1;
}

function checkNode(node: SyntaxNode, scope: Scope | undefined, reading: Reading): void {
  const { type } = node;
  if (typeof node['class'] === 'string') {
    const name = nameIn(node, 'function_name');
    if (isFunctionRefused(name)) throw refused(`the function ${shortenName(name)}`);
  } else if (type === 'BASE_TABLE') {
    const table = resolveTable(node, scope, reading.tables);
    if (table !== undefined) reading.tablesRead.add(table);
  } else if (type === 'TABLE_FUNCTION') {
    const call = isNode(node['function']) ? node['function'] : {};
    const name = nameIn(call, 'function_name');
    if (name === resultFunction) reading.resultsRead.add(namedResult(call, reading));
    else if (!isTableFunctionAllowed(name)) {
      throw refused(`the table function ${shortenName(name)}`);
    }
  } else if (type === 'SHOW_REF') {
    if (!isNode(node['query']) && !showableNames.has(nameIn(node, 'table_name'))) {
      throw refused('this SHOW');
    }
  } else if (typeof type === 'string' && !harmlessNodes.has(type) && !type.endsWith('_TYPE_INFO')) {
    throw refused(`a ${type}`);
  }
}

/**
 * Returns the result that is read: its id must be a constant, and one that was opened for the
 * query.
 */
function namedResult(call: SyntaxNode, { results }: Reading): string {
  const [argument, ...more] = Array.isArray(call['children'])
    ? (call['children'] as unknown[])
    : [];
  const constant =
    isNode(argument) && argument['class'] === 'CONSTANT' ? argument['value'] : undefined;
  const text = isNode(constant) ? nameIn(constant, 'value') : '';
  if (more.length === 0 && results.has(text)) return text;
  throw new QuireError(
    'QUERY_INVALID',
    "result takes the id of a stored result, as a text literal: result('01a2…').",
  );
}

/**
 * Returns the configured table that is read; undefined for a common table expression or a harmless
 * view of the catalog.
 */
function resolveTable(
  node: SyntaxNode,
  scope: Scope | undefined,
  tableNames: TableNames,
): string | undefined {
  const catalog = nameIn(node, 'catalog_name');
  const schema = nameIn(node, 'schema_name');
  const name = nameIn(node, 'table_name');
  // No common table expression has the name of a file, so that a file can never be read in place of
  // one that is not visible.
  const isRefused = isReservedName(name) || fileName.test(name);
  if (schema === '' && catalog === '' && isInScope(name, scope) && !isRefused) return undefined;
  if (schema === 'information_schema' && catalog === '' && catalogViews.has(name)) return undefined;
  // `memory` is DuckDB's name for the database of the tables, and may be in either position.
  const isOwnSchema = schema === '' || schema === 'main' || (schema === 'memory' && catalog === '');
  const isOwnCatalog = catalog === '' || catalog === 'memory';
  const table = tableNames.get(name);
  if (table !== undefined && isOwnSchema && isOwnCatalog) return table;
  const written = [node['catalog_name'], node['schema_name'], node['table_name']].filter(
    (part) => typeof part === 'string',
  );
  throw tableNotFound(written.join('.'), tableNames);
}

/** Returns the error for a table that does not exist, which lists the existing ones. */
export function tableNotFound(name: string, tableNames: TableNames): QuireError {
  return new QuireError(
    'TABLE_NOT_FOUND',
    `Table ${shortenName(name)} does not exist. ${listTables(tableNames)}`,
  );
}

const tablesListedMax = 20;
const nameLengthMax = 120;

function listTables(tableNames: TableNames): string {
  const all = [...tableNames.values()].toSorted();
  // If the list contains the name of a table, its halves are left out.
  const names = all.filter(
    (name) =>
      !all.includes(name.replace(/_(?:OFFLINE|REALTIME)$/, '')) ||
      !/_(?:OFFLINE|REALTIME)$/.test(name),
  );
  if (names.length === 0) return 'There are no tables.';
  const more = names.length > tablesListedMax ? ` and ${names.length - tablesListedMax} more` : '';
  return `There ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, tablesListedMax).join(', ')}${more}.`;
}

/**
 * Returns the nodes to visit next: a common table expression may reference those before it, and
 * itself only in the recursive part of a recursive one.
 */
function childrenOf(node: SyntaxNode, outer: Scope | undefined): readonly Omit<Visit, 'depth'>[] {
  const expressions = commonTableExpressions(node);
  const positions = new Map(
    expressions.map(({ name }, position) => [name, position] as const).toReversed(),
  );
  const visits = expressions.map(({ value }, position): Omit<Visit, 'depth'> => ({
    value,
    scope: { positions, visibleCount: position, outer },
  }));
  const scope =
    expressions.length === 0 ? outer : { positions, visibleCount: expressions.length, outer };
  for (const [key, value] of Object.entries(node)) {
    // The call inside a table function was checked with it; its arguments are ordinary expressions.
    if (key === 'function') {
      visits.push({ value: Object.values(isNode(value) ? value : {}), scope });
    } else if (key === 'right' && node['type'] === 'RECURSIVE_CTE_NODE') {
      visits.push({ value, scope: recursiveScope(node, scope) });
    } else if (key !== 'cte_map') visits.push({ value, scope });
  }
  return visits;
}

/**
 * Returns the scope of the recursive part of a common table expression. In its first part, DuckDB
 * takes the name for that of a table or a file.
 */
function recursiveScope(node: SyntaxNode, outer: Scope | undefined): Scope {
  return { positions: new Map([[nameIn(node, 'cte_name'), 0]]), visibleCount: 1, outer };
}

function isInScope(name: string, scope: Scope | undefined): boolean {
  for (let current = scope; current !== undefined; current = current.outer) {
    if ((current.positions.get(name) ?? Infinity) < current.visibleCount) return true;
  }
  return false;
}

function commonTableExpressions(node: SyntaxNode): readonly { name: string; value: unknown }[] {
  const map = isNode(node['cte_map']) ? node['cte_map']['map'] : undefined;
  if (!Array.isArray(map)) return [];
  return map.filter(isNode).map((entry) => ({ name: nameIn(entry, 'key'), value: entry['value'] }));
}

function nameIn(node: SyntaxNode, key: string): string {
  const name = node[key];
  return typeof name === 'string' ? foldName(name) : '';
}

/** Returns a name with ASCII letters in lower case: DuckDB distinguishes the case of all others. */
export function foldName(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the first line of a name, truncated. */
function shortenName(name: string): string {
  const [firstLine = ''] = name.split('\n', 1);
  return firstLine.length === name.length && name.length <= nameLengthMax
    ? name
    : `${firstLine.slice(0, nameLengthMax)}…`;
}

function refused(what: string): QuireError {
  return new QuireError(
    'QUERY_INVALID',
    `A query may read only the configured tables, not ${what}.`,
  );
}
