import type { SyntaxNode } from './syntax-tree.ts';

/**
 * Functions, and keywords of the standard that DuckDB treats as functions without brackets, whose
 * values change over time. A test compares them with DuckDB's list of functions, and fails after an
 * upgrade that adds one.
 */
const changingNames: ReadonlySet<string> = new Set([
  'age', // with one argument, its result depends on the current date
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

/** Reports whether a name, in lower case, may be that of a value that changes over time. */
export function isChanging(name: string): boolean {
  return changingNames.has(name);
}

const summingFunctions: ReadonlySet<string> = new Set([
  'sum',
  'count_if',
  'countif',
  'list_sum',
  'list_aggr',
  'list_aggregate',
  'array_aggr',
  'array_aggregate',
]);

/** The traits of a query that follow from single nodes of its syntax tree. */
export class StatementTraits {
  #isChanging = false;
  #isSumming = false;
  #namesHugeint = false;
  #readsCatalog = false;

  /** Takes one node into account; it must be called for each node of the tree. */
  observe(node: SyntaxNode): void {
    const { function_name: functionName, type_name: typeName, sample, type, schema_name } = node;
    this.#isChanging ||= namesWhatChanges(node) || (typeof sample === 'object' && sample !== null);
    this.#isSumming ||=
      typeof functionName === 'string' && summingFunctions.has(functionName.toLowerCase());
    this.#namesHugeint ||= typeName === 'HUGEINT';
    this.#readsCatalog ||=
      type === 'SHOW_REF' ||
      (typeof schema_name === 'string' && schema_name.toLowerCase() === 'information_schema');
  }

  /**
   * True if the query always has the same answer for the same data: it names nothing that changes
   * over time, takes no random sample and does not read the catalog. A column with the name of such
   * a function counts as the function.
   */
  get isRepeatable(): boolean {
    return !this.#isChanging && !this.#readsCatalog;
  }

  /** True if it reads names and columns of tables: by SHOW, DESCRIBE or catalog views. */
  get readsCatalog(): boolean {
    return this.#readsCatalog;
  }

  /**
   * True if its HUGEINT columns may be sums, which requires that the query itself does not name
   * HUGEINT.
   */
  get hasSums(): boolean {
    return this.#isSumming && !this.#namesHugeint;
  }
}

function namesWhatChanges({
  function_name: functionName,
  column_names: columnNames,
}: SyntaxNode): boolean {
  if (typeof functionName === 'string' && isChanging(functionName.toLowerCase())) return true;
  return (
    Array.isArray(columnNames) &&
    columnNames.length === 1 &&
    isChanging(String(columnNames[0]).toLowerCase())
  );
}
