/** A node of DuckDB's syntax tree, as `json_serialize_sql` writes it. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
