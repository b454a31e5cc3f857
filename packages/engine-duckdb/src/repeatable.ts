import type { SyntaxNode } from './statement-guard.ts';

/*
 * Which queries have the same answer whenever they are asked of the same data. A test compares the list with what DuckDB says of its
 * functions, so that an upgrade that adds one fails until somebody has looked at it.
 */

/**
 * Functions, and names of the standard that DuckDB takes for functions without brackets, whose
 * values change by themselves.
 */
const changingNames: ReadonlySet<string> = new Set([
  'age', // with one argument: until today
  'ago',
  'current_catalog',
  'current_connection_id',
  'current_database',
  'current_date',
  'current_localtime',
  'current_localtimestamp',
  'current_query',
  'current_query_id',
  'current_role',
  'current_schema',
  'current_schemas',
  'current_time',
  'current_timestamp',
  'current_transaction_id',
  'current_user',
  'currval',
  'error',
  'gen_random_uuid',
  'get_current_time',
  'get_current_timestamp',
  'in_search_path',
  'localtime',
  'localtimestamp',
  'nextval',
  'now',
  'random',
  'session_user',
  'setseed',
  'sleep_ms',
  'stats',
  'today',
  'transaction_timestamp',
  'txid_current',
  'user',
  'uuid',
  'uuidv4',
  'uuidv7',
  'write_log',
]);

/** Tells whether a name may stand for what changes by itself. Takes it in lower case. */
export function isChanging(name: string): boolean {
  return changingNames.has(name);
}

/**
 * Tells whether a query has the same answer whenever it is asked of the same data: it names nothing
 * that changes by itself, takes no random sample and does not look into the catalog. A column that
 * is called as such a function is taken for it.
 *
 * @param tree DuckDB's syntax tree
 */
export function isRepeatable(tree: SyntaxNode): boolean {
  const visits: unknown[] = [tree];
  for (let value = visits.pop(); value !== undefined; value = visits.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const node = value as SyntaxNode;
    if (mayChange(node)) return false;
    for (const child of Object.values(node)) {
      if (typeof child === 'object' && child !== null) visits.push(child);
    }
  }
  return true;
}

function mayChange(node: SyntaxNode): boolean {
  const {
    function_name: functionName,
    column_names: columnNames,
    sample,
    type,
    schema_name: schema,
  } = node;
  if (typeof functionName === 'string' && isChanging(functionName.toLowerCase())) return true;
  if (
    Array.isArray(columnNames) &&
    columnNames.length === 1 &&
    isChanging(String(columnNames[0]).toLowerCase())
  ) {
    return true;
  }
  if (typeof sample === 'object' && sample !== null) return true;
  return type === 'SHOW_REF' || String(schema).toLowerCase() === 'information_schema';
}
