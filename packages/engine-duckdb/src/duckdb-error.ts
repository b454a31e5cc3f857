import { type ErrorCode, QuireError } from '@quire/core';
import { shortenMessage } from './shorten-message.ts';

/** A failure that DuckDB reports as JSON, because of its setting `errors_as_json`. */
export interface DuckDbFailure {
  /** DuckDB's exception type, such as `Binder` or `Out of Range`. */
  readonly type: string;
  readonly message: string;
  /** More specific than the type, such as `COLUMN_NOT_FOUND`; empty if there is none. */
  readonly subtype: string;
  /** The kind of a missing catalog entry, such as `Table`; empty otherwise. */
  readonly entryType: string;
  /** The byte offset into the SQL, if the failure is about a position in it. */
  readonly position: number | undefined;
}

/** Hides text that callers must not see, above all paths of the server. */
export type Redact = (message: string) => string;

/** Distinguishes failures before the first row from failures while rows are computed. */
export type QueryPhase = 'planning' | 'running';

/** Parses an error of the bindings; one that is not DuckDB's own has the type `Unknown`. */
export function parseFailure(error: unknown): DuckDbFailure {
  const text = error instanceof Error ? error.message : String(error);
  const start = text.indexOf('{"exception_type"');
  const fields = start >= 0 ? parseObject(text.slice(start)) : undefined;
  if (fields === undefined) {
    // Some errors ignore the setting: `Invalid Error: message`. Those of an appender have no type.
    const match = /^([A-Z][A-Za-z ]*) Error: (.*)$/s.exec(text);
    const memory = /^Failed to append: (?:Failed to commit: )?((?:could not|failed to) .*)$/s;
    const outOfMemory = memory.exec(text)?.[1];
    return {
      type: outOfMemory === undefined ? (match?.[1] ?? 'Unknown') : 'Out of Memory',
      message: outOfMemory ?? match?.[2] ?? text,
      subtype: '',
      entryType: '',
      position: undefined,
    };
  }
  const field = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  return {
    type: field('exception_type'),
    message: field('exception_message'),
    subtype: field('error_subtype'),
    entryType: field('type'),
    position: field('position') === '' ? undefined : Number(field('position')),
  };
}

/** Parses an error of SQL with a query after a prefix; its position is the one in the query. */
export function parseFailureAfter(prefix: string, error: unknown): DuckDbFailure {
  const failure = parseFailure(error);
  const { position } = failure;
  return { ...failure, position: position === undefined ? undefined : position - prefix.length };
}

/** The location of a failure, as far as it is known. */
export interface FailedQuery {
  /** The query that DuckDB's position refers to. */
  readonly sql?: string | undefined;
  /** The tables that it reads. */
  readonly tables?: readonly string[];
}

/**
 * Converts a failure to the error that the caller of the query receives: one of Quire's codes,
 * DuckDB's message, and the position in the SQL.
 */
export function queryError(
  failure: DuckDbFailure,
  phase: QueryPhase,
  redact: Redact,
  query: FailedQuery = {},
): QuireError {
  const { sql, tables = [] } = query;
  const marker =
    sql === undefined || failure.position === undefined ? '' : markPosition(sql, failure.position);
  const own =
    missingFileMessage(failure) ??
    outOfMemoryMessage(failure) ??
    unknownNameMessage(failure.message);
  const detail = redact(own ?? `${failure.type} Error: ${failure.message}`);
  // DuckDB reports invalid bytes without the name of their file.
  const namesNoTable = failure.type === 'Invalid' && tables.length > 0;
  const message = namesNoTable
    ? `${detail.replace(/[\s.:]*$/, '')}. A file of table ${tables.join(' or ')} may be damaged.`
    : detail;
  // DuckDB indents lists by tabs, which terminals show as escapes, and ends them by empty lines.
  const laidOut = message.replaceAll(/^\t+/gm, '  ').trimEnd();
  return new QuireError(codeOf(failure, phase), shortenMessage(laidOut) + marker);
}

/** Describes a missing column or table, with similar names, in one line. */
function unknownNameMessage(message: string): string | undefined {
  const [, what, name, near] =
    /^Referenced (column|table) "(.*?)" (?:was )?not found(?: in FROM clause| because the FROM clause is missing)?!?(?:\nCandidate (?:bindings|tables): (.*))?$/.exec(
      message,
    ) ?? [];
  if (what === undefined || name === undefined) return undefined;
  const hint = near === undefined ? '' : ` The nearest are: ${near.replaceAll('"', '')}.`;
  return `Binder Error: The query has no ${what} "${name}" in its FROM clause.${hint}`;
}

/**
 * A query that passed the check reads the tables' files only. If one of them is missing, DuckDB
 * reports a directory instead.
 */
function missingFileMessage({ type, message }: DuckDbFailure): string | undefined {
  if (type !== 'Permission') return undefined;
  const file = /^Cannot access file "(.*?)(?:\/\*\*\/\*\.\w+)?" - /.exec(message)?.[1];
  return `Permission Error: ${file === undefined ? message : `The file ${file} no longer exists. Restore it, or restart the server to open the table without it.`}`;
}

/** DuckDB advises statements that callers cannot run; the settings of the server decide instead. */
function outOfMemoryMessage({ type, message }: DuckDbFailure): string | undefined {
  if (type !== 'Out of Memory') return undefined;
  const [cause = ''] = message.split('\n', 1);
  const limit = message.includes('max_temp_directory_size')
    ? 'disk space for intermediate data (engine.duckdb.spill.maxMB)'
    : 'memory for queries (engine.duckdb.memory.maxMB)';
  return `${type} Error: ${cause.replace(/\.?$/, '.')} This is the query’s share of the ${limit}.`;
}

/** Returns the error for a column that DuckDB cannot cast to a type that Arrow has. */
export function unsupportedColumn({ message }: DuckDbFailure, redact: Redact): QuireError {
  return new QuireError(
    'UNSUPPORTED_COLUMN_TYPE',
    shortenMessage(redact(`The type of a column cannot be converted to text: ${message}`)),
  );
}

/**
 * Failures that are caused by the data and not by the text of the query, even if DuckDB detects
 * them while planning.
 */
const dataFailures: ReadonlySet<string> = new Set([
  'Conversion',
  'Decimal',
  'Divide by Zero',
  'Invalid Input',
  'IO',
  'Out of Range',
  'Permission',
]);

function codeOf(failure: DuckDbFailure, phase: QueryPhase): ErrorCode {
  switch (failure.type) {
    case 'Parser':
    case 'Syntax':
      return 'QUERY_SYNTAX';
    case 'Catalog':
      return failure.entryType === 'Table' ? 'TABLE_NOT_FOUND' : 'QUERY_INVALID';
    case 'Binder':
      return isMissingColumn(failure) ? 'COLUMN_NOT_FOUND' : 'QUERY_INVALID';
    case 'Out of Memory':
      return 'QUERY_LIMIT_EXCEEDED';
    case 'FATAL':
    case 'INTERNAL':
      return 'INTERNAL';
    default:
      return phase === 'running' || dataFailures.has(failure.type)
        ? 'QUERY_FAILED'
        : 'QUERY_INVALID';
  }
}

/**
 * Reports whether a column is missing. DuckDB has no subtype for `t.c` if `t` exists and `c` does
 * not.
 */
function isMissingColumn({ subtype, message }: DuckDbFailure): boolean {
  return subtype === 'COLUMN_NOT_FOUND' || message.includes('does not have a column named');
}

const excerptBefore = 50;
const excerptAfter = 30;

/** Shows the line around a byte offset with a caret below, like DuckDB. */
function markPosition(sql: string, position: number): string {
  const before = Buffer.from(sql).subarray(0, position).toString();
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineNumber = before.split('\n').length;
  const lineEnd = sql.indexOf('\n', before.length);
  const column = before.length - lineStart;
  const line = sql.slice(lineStart, lineEnd < 0 ? sql.length : lineEnd);
  const start = Math.max(0, column - excerptBefore);
  const end = Math.min(line.length, column + excerptAfter);
  const prefix = `LINE ${lineNumber}: ${start > 0 ? '...' : ''}`;
  const excerpt = `${line.slice(start, end)}${end < line.length ? '...' : ''}`;
  return `\n\n${prefix}${excerpt}\n${' '.repeat(prefix.length + column - start)}^`;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    // The text is truncated, or continues after the object: it is used as the message.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
