import duckdb, { type LogicalType } from '@duckdb/node-bindings';
import { formatBytes, MiB, QuireError } from '@quire/core';
import { duckDbSettings } from './settings.ts';

/**
 * The limits on the size of a query: all of them are checked before DuckDB plans the query, most of
 * them before it parses it.
 */
export interface StatementLimits {
  /** The maximum size of the text, in bytes of UTF-8. */
  readonly textBytesMax: number;
  /** The maximum number of columns of a result; the members of structs count as columns. */
  readonly columnsMax: number;
  /**
   * The maximum number of values in a row of a result: arrays of fixed size count all elements,
   * null or not.
   */
  readonly valuesMax: number;
  /**
   * The maximum nesting of brackets in the text, and of nodes in the syntax tree; the parts of a
   * UNION count as nested in each other.
   */
  readonly depthMax: number;
  /**
   * The maximum number of nodes of the syntax tree: each constant, column, call, table and clause
   * is one.
   */
  readonly nodesMax: number;
}

/** The default limits. */
export const statementLimits: StatementLimits = {
  textBytesMax: MiB,
  columnsMax: 5_000,
  valuesMax: 16_384,
  depthMax: 1_000,
  nodesMax: 50_000,
};

/** Returns the error for a query that exceeds a limit. */
export function overLimit(
  limits: StatementLimits,
  limit: keyof StatementLimits,
  found: string,
): QuireError {
  const most = limit === 'textBytesMax' ? formatBytes(limits[limit]) : String(limits[limit]);
  return new QuireError(
    'QUERY_INVALID',
    `The query has ${found}; at most ${most} are allowed (${duckDbSettings.settings[limit].key}).`,
  );
}

/**
 * Checks the text alone, in one pass.
 *
 * @throws QUERY_INVALID when it is too long, or its brackets are nested too deep
 */
export function checkText(sql: string, limits: StatementLimits): void {
  const bytes = Buffer.byteLength(sql);
  if (bytes > limits.textBytesMax) {
    throw overLimit(limits, 'textBytesMax', `${formatBytes(bytes)} of text`);
  }
  const depth = bracketDepth(sql);
  if (depth > limits.depthMax) {
    throw overLimit(limits, 'depthMax', `brackets that are nested ${depth} levels deep`);
  }
}

/**
 * Returns the depth of nested brackets, ignoring those in quotes and comments, but not those in
 * dollar-quoted text.
 */
function bracketDepth(sql: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < sql.length; at += 1) {
    const character = sql.charAt(at);
    if (character === '(' || character === '[' || character === '{') {
      deepest = Math.max(deepest, (depth += 1));
    } else if (character === ')' || character === ']' || character === '}') {
      depth = Math.max(0, depth - 1);
    } else at = endOfQuoted(sql, at, character);
  }
  return deepest;
}

/**
 * Returns the last position of the quoted text or comment that starts here, or this position if
 * none does.
 */
function endOfQuoted(sql: string, at: number, character: string): number {
  let end: number;
  if (character === "'" || character === '"') end = sql.indexOf(character, at + 1);
  else if (character === '-' && sql.charAt(at + 1) === '-') end = sql.indexOf('\n', at);
  else if (character === '/' && sql.charAt(at + 1) === '*') end = sql.indexOf('*/', at + 2) + 1;
  else return at;
  // An unclosed one extends to the end.
  return end <= 0 ? sql.length : end;
}

/**
 * Checks the columns of a result by their types alone, before anything is created for them.
 *
 * @throws QUERY_INVALID when there are too many, or a row has too many values
 */
export function checkColumns(types: readonly LogicalType[], limits: StatementLimits): void {
  let columnCount = 0;
  let valueCount = 0;
  for (const type of types) {
    const width = widthOf(type, limits);
    columnCount += width.columns;
    valueCount += width.values;
    checkWidth(columnCount, valueCount, limits);
  }
}

/** @throws QUERY_INVALID when there are too many */
export function checkColumnCount(count: number, limits: StatementLimits): void {
  if (count > limits.columnsMax) throw overLimit(limits, 'columnsMax', `${count} columns`);
}

interface Width {
  readonly columns: number;
  readonly values: number;
}

const { Type } = duckdb;

function widthOf(type: LogicalType, limits: StatementLimits): Width {
  switch (duckdb.get_type_id(type)) {
    case Type.LIST:
      return widthOf(duckdb.list_type_child_type(type), limits);
    case Type.ARRAY: {
      const element = widthOf(duckdb.array_type_child_type(type), limits);
      return {
        columns: element.columns,
        values: element.values * duckdb.array_type_array_size(type),
      };
    }
    case Type.STRUCT:
      return widthOfStruct(type, limits);
    default:
      return { columns: 1, values: 1 };
  }
}

function widthOfStruct(type: LogicalType, limits: StatementLimits): Width {
  const count = duckdb.struct_type_child_count(type);
  checkColumnCount(count, limits);
  let columns = 0;
  let values = 0;
  for (let index = 0; index < count; index += 1) {
    const member = widthOf(duckdb.struct_type_child_type(type, index), limits);
    columns += member.columns;
    values += member.values;
    checkWidth(columns, values, limits);
  }
  return { columns, values };
}

function checkWidth(columnCount: number, valueCount: number, limits: StatementLimits): void {
  if (columnCount > limits.columnsMax) {
    throw overLimit(limits, 'columnsMax', `${columnCount} columns or more`);
  }
  if (valueCount > limits.valuesMax) {
    throw overLimit(limits, 'valuesMax', `${valueCount} values or more in each row`);
  }
}
