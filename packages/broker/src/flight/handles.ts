import { parseQueryParameters } from '@quire/api';
import {
  isRequestId,
  QuireError,
  type QueryParameters,
  type RequestId,
  writeExactJson,
} from '@quire/core';

/* The state that clients keep instead of the server: tickets and prepared statements contain all
   the data of their answers. They grant no access, which is checked for each call. */

/** The rows of a result that a ticket refers to. */
export interface RowsTicket {
  readonly requestId: RequestId;
  readonly offset: number;
  /** Absent: all following rows. */
  readonly rowCount?: number | undefined;
}

/** A statement with the values of its parameters, if they are bound. */
export interface StatementHandle {
  readonly sql: string;
  readonly parameters?: QueryParameters | undefined;
}

/** The version of tickets and statements, which may reach a broker of another version. */
const version = 1;

export function encodeRowsTicket({ requestId, offset, rowCount }: RowsTicket): Uint8Array {
  return encode({ version, requestId, offset, ...(rowCount !== undefined && { rowCount }) });
}

/** @throws INVALID_PARAMETER when it is not a ticket of a broker */
export function decodeRowsTicket(bytes: Uint8Array): RowsTicket {
  const { requestId, offset, rowCount } = decode('ticket', bytes);
  const isValid =
    typeof requestId === 'string' &&
    isRequestId(requestId) &&
    isCount(offset) &&
    (rowCount === undefined || isCount(rowCount));
  if (!isValid) throw invalid('ticket');
  return { requestId, offset, rowCount };
}

export function encodeStatementHandle({ sql, parameters }: StatementHandle): Uint8Array {
  return encode({ version, sql, ...(parameters !== undefined && { parameters }) });
}

/** @throws INVALID_PARAMETER when it is not the handle of a statement that a broker has prepared */
export function decodeStatementHandle(bytes: Uint8Array): StatementHandle {
  const { sql, parameters } = decode('prepared statement', bytes);
  if (typeof sql !== 'string') throw invalid('prepared statement');
  return {
    sql,
    parameters: parameters === undefined ? undefined : parseQueryParameters(parameters),
  };
}

function encode(value: Readonly<Record<string, unknown>>): Uint8Array {
  return new TextEncoder().encode(writeExactJson(value));
}

function decode(what: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw invalid(what, cause);
  }
  if (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    value.version === version
  ) {
    return value;
  }
  throw invalid(what);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function invalid(what: string, cause?: unknown): QuireError {
  return new QuireError(
    'INVALID_PARAMETER',
    `The ${what} was not issued by this version of Quire; run the query again.`,
    { cause },
  );
}
