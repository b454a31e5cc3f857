import { MiB, QuireError } from '@quire/core';
import { queryError, type Redact } from './duckdb-error.ts';
import type { QueryConnection } from './query-connection.ts';
import { readRows } from './read-rows.ts';
import { shortenMessage } from './shorten-message.ts';
import { overLimit, type StatementLimits } from './statement-limits.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/**
 * The maximum length of a syntax tree in characters. DuckDB counts its nodes first, but not long
 * texts in them.
 */
const syntaxTreeLengthMax = 16 * MiB;

/** The output of `json_serialize_sql`: a syntax tree for each statement, or an error. */
interface ParsedSql {
  readonly statements?: readonly SyntaxNode[];
  readonly error_type?: string;
  readonly error_message?: string;
  readonly position?: string;
}

/**
 * Returns the syntax tree of a query and the number of its nodes, counted in DuckDB's own thread:
 * each has one unescaped `"type":"`.
 */
const serializedTree = `
  WITH serialized AS MATERIALIZED (
    SELECT CAST(json_serialize_sql(CAST(? AS VARCHAR), skip_null := true, skip_empty := true, skip_default := true) AS VARCHAR) AS tree
  )
  SELECT CASE WHEN length(tree) <= ${syntaxTreeLengthMax} THEN tree END AS tree,
    CAST((length(tree) - length(replace(tree, '"type":"', ''))) // 8 AS INTEGER) AS nodes
  FROM serialized`;

/**
 * Parses the one SELECT-like statement in the text to its syntax tree, without looking up or
 * running anything.
 */
export async function parseSelect(
  connection: QueryConnection,
  sql: string,
  limits: StatementLimits,
  redact: Redact,
): Promise<SyntaxNode> {
  const [row] = await connection.call((handle) => readRows(handle, serializedTree, sql));
  const nodeCount = Number(row?.['nodes']);
  if (nodeCount > limits.nodesMax) throw overLimit(limits, 'nodesMax', `${nodeCount} parts`);
  const text = row?.['tree'];
  if (typeof text !== 'string') {
    const message = `The query’s syntax tree has more than ${syntaxTreeLengthMax} characters, which is the limit.`;
    throw new QuireError('QUERY_INVALID', message);
  }
  const { statements, error_type: type, error_message: message = '', position } = parseTree(text);
  if (type === 'parser' || type === 'syntax') {
    const offset = position === undefined ? undefined : Number(position);
    throw queryError(
      { type: 'Parser', message, subtype: '', entryType: '', position: offset },
      'planning',
      redact,
      { sql },
    );
  }
  if (statements === undefined) {
    const reason = type === 'not implemented' ? '' : ` ${shortenMessage(redact(message))}`;
    throw new QuireError(
      'QUERY_INVALID',
      `Expected a SELECT, WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, EXPLAIN or SHOW TABLES.${reason}`,
    );
  }
  const [statement] = statements;
  if (statement === undefined) {
    throw new QuireError('QUERY_SYNTAX', 'The query contains no statement.');
  }
  if (statements.length > 1) {
    throw new QuireError(
      'QUERY_INVALID',
      `Expected one statement, but the query has ${statements.length}.`,
    );
  }
  return statement;
}

/**
 * DuckDB writes numbers that are too large, and NaN, in a form that is not JSON; their values do
 * not matter here.
 */
function parseTree(text: string): ParsedSql {
  try {
    return JSON.parse(text) as ParsedSql;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const withNulls = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?(?:Infinity|NaN)/g, (part) =>
    part.startsWith('"') ? part : 'null',
  );
  return JSON.parse(withNulls) as ParsedSql;
}
