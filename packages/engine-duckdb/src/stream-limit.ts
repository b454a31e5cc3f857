import { isNode, type SyntaxNode } from './syntax-tree.ts';

/** The largest limit at which DuckDB reads the rows in one pass anyway. */
const smallLimit = 50;

/** The parts of a query that reads one table and does nothing else with its rows. */
const plainParts: ReadonlySet<string> = new Set([
  'type',
  'modifiers',
  'select_list',
  'from_table',
  'cte_map',
  'aggregate_handling',
]);

/**
 * Zero, which DuckDB cannot compute before the query runs: a limit that it does not know is applied
 * while the table is read.
 */
const unknownZero = 'CAST(random() * 0 AS BIGINT)';

/**
 * Returns a query whose LIMIT, if it only takes the first rows of a table, is applied while the
 * table is read.
 *
 * For a constant limit of up to a million, DuckDB finds out which rows they are, reads the table
 * again for them and sorts them (its late materialization, `OptimizeLargeLimit`). Then the first
 * row arrives after the last, and the rows must fit in memory, which a query without LIMIT does not
 * need. Only an OFFSET is faster in that way. A parameter (`LIMIT ?`) is not changed, because the
 * tree does not say where it is in the text.
 *
 * Nothing before the limit changes, so positions in messages are those of the given text.
 *
 * @param tree its syntax tree
 */
export function withStreamedLimit(sql: string, { node }: SyntaxNode): string {
  const limit = limitOf(node);
  if (limit === undefined) return sql;
  const bytes = Buffer.from(sql);
  const before = bytes.subarray(0, limit.query_location).toString();
  const after = bytes.subarray(limit.query_location).toString();
  // FETCH FIRST takes a number only. Locations are too small after spaces beyond ASCII, such as
  // U+00A0, which DuckDB replaces by shorter ones.
  if (!/\bLIMIT[\s(]*$/i.test(before) || !/^\d/.test(after)) return sql;
  return `${before}${unknownZero} + ${after}`;
}

interface ConstantLimit {
  readonly class: 'CONSTANT';
  /** In bytes. */
  readonly query_location: number;
  readonly value: { readonly type: { readonly id: 'INTEGER' }; readonly value: number };
}

/** Returns the limit of a plain query if it is a constant that is not small, and has no OFFSET. */
function limitOf(node: unknown): ConstantLimit | undefined {
  if (!isNode(node) || node['type'] !== 'SELECT_NODE') return undefined;
  if (Object.keys(node).some((part) => !plainParts.has(part))) return undefined;
  const { modifiers, from_table: table } = node;
  const isTable =
    isNode(table) && (table['type'] === 'BASE_TABLE' || table['type'] === 'TABLE_FUNCTION');
  // The limit is the last of the modifiers, so that there are no others.
  const [modifier] = Array.isArray(modifiers) ? (modifiers as SyntaxNode[]) : [];
  if (!isTable || modifier?.['type'] !== 'LIMIT_MODIFIER' || 'offset' in modifier) return undefined;
  const limit = modifier['limit'] as ConstantLimit;
  const isWhole = limit.class === 'CONSTANT' && limit.value.type.id === 'INTEGER';
  return isWhole && limit.value.value > smallLimit ? limit : undefined;
}
