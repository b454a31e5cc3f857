import type { QueryState } from '@quire/core/wire';
import { expectArray, expectInteger, expectObject, expectString } from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';
import type { BrokerAddress } from './query-page.ts';

/** The reason why a query has no result, with the server's numbers (CONTRACT.md section 2). */
export interface QueryException {
  readonly errorCode: number;
  readonly message: string;
}

/** The progress of a query. */
export interface QueryStatus {
  readonly requestId: string;
  readonly brokerId: string;
  readonly state: QueryState;
  /** Number of rows that can be read so far; for a query that is DONE, all of them. */
  readonly rowCount: number;
  readonly sizeBytes: number;
  /**
   * For a running query, the share of its rows that the engine has processed, in percent; absent if
   * the engine does not know it.
   */
  readonly processedPercent?: number;
  readonly elapsedMs: number;
  readonly submissionTimeMs: number;
  /** The failure or the cancellation; otherwise empty. */
  readonly exceptions: readonly QueryException[];
  /**
   * The broker that runs it, with which a proxy routes calls directly. Absent if every broker knows
   * it.
   */
  readonly broker?: BrokerAddress;
}

/** A waiting or running query. */
export interface RunningQuery extends QueryStatus {
  readonly owner: string;
  /** The start of its SQL. */
  readonly sql: string;
  readonly isPaginated: boolean;
}

/** Decodes the progress of a query. @throws UNEXPECTED_RESPONSE when it is not valid */
export function decodeQueryStatus(value: JsonValue): QueryStatus {
  const body = expectObject(value, 'query status');
  const { brokerHost, processedPercent } = body;
  return {
    requestId: expectString(body['requestId'], 'requestId'),
    brokerId: expectString(body['brokerId'], 'brokerId'),
    state: expectString(body['state'], 'state') as QueryState,
    rowCount: expectInteger(body['numRowsResultSet'], 'numRowsResultSet'),
    sizeBytes: expectInteger(body['sizeBytes'], 'sizeBytes'),
    elapsedMs: expectInteger(body['timeUsedMs'], 'timeUsedMs'),
    submissionTimeMs: expectInteger(body['submissionTimeMs'], 'submissionTimeMs'),
    exceptions: expectArray(body['exceptions'], 'exceptions').map((each) => {
      const { errorCode, message } = expectObject(each, 'exception');
      return {
        errorCode: expectInteger(errorCode, 'errorCode'),
        message: expectString(message, 'message'),
      };
    }),
    ...(processedPercent !== undefined && {
      processedPercent: expectInteger(processedPercent, 'processedPercent'),
    }),
    ...(typeof brokerHost === 'string' && {
      broker: { host: brokerHost, port: expectInteger(body['brokerPort'], 'brokerPort') },
    }),
  };
}

/** Decodes an entry of the list of queries. @throws UNEXPECTED_RESPONSE when it is not valid */
export function decodeRunningQuery(value: JsonValue): RunningQuery {
  const { owner, query, isPaginated } = expectObject(value, 'query');
  return {
    ...decodeQueryStatus(value),
    owner: expectString(owner, 'owner'),
    sql: expectString(query, 'query'),
    isPaginated: isPaginated === true,
  };
}
