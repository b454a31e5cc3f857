import { type PageRequest, nextPage, previousPage } from '@quire/core/portable';
import { type CellModes, type Column, decodeRows, type Row } from './cells.ts';
import { expectArray, expectInteger, expectObject, expectString } from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';
import { throwFirstException } from './server-error.ts';

/**
 * The address of a result's broker, if no other can serve it; a proxy needs it (SPECIFICATION.md
 * section 4.5).
 */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** One page of a stored result. */
export interface QueryPage {
  readonly requestId: string;
  readonly brokerId: string;
  /** Absent if every broker can serve the result. */
  readonly broker?: BrokerAddress;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Number of the first row of this page. */
  readonly offset: number;
  /** Number of rows in the whole result. */
  readonly totalRowCount: number;
  /** Absent if no row follows. */
  readonly next?: PageRequest;
  /** Absent if no row precedes. */
  readonly previous?: PageRequest;
}

/**
 * Decodes the cursor response (SPECIFICATION.md section 2.6) to a request with `rowCount`; without
 * it, the page's own size counts.
 *
 * @throws QUERY_SYNTAX, TABLE_NOT_FOUND, QUERY_FAILED, QUERY_TIMED_OUT … when the response contains
 *   an exception
 * @throws UNEXPECTED_RESPONSE when it is not a cursor response
 */
export function decodeQueryPage(
  answer: JsonValue,
  rowCount: number | undefined,
  modes: CellModes,
): QueryPage {
  const body = expectObject(answer, 'body');
  throwFirstException(body);
  const table = expectObject(body['resultTable'], 'resultTable');
  const dataSchema = expectObject(table['dataSchema'], 'dataSchema');
  const dataTypes = expectArray(dataSchema['columnDataTypes'], 'columnDataTypes');
  const columns = expectArray(dataSchema['columnNames'], 'columnNames').map((name, index) => ({
    name: expectString(name, 'column name'),
    dataType: expectString(dataTypes[index], 'column type'),
  }));
  const rows = decodeRows(
    columns,
    expectArray(table['rows'], 'rows') as readonly (readonly JsonValue[])[],
    modes,
  );
  const offset = expectInteger(body['offset'], 'offset');
  const totalRowCount = expectInteger(body['numRowsResultSet'], 'numRowsResultSet');
  const page = { offset, rowCount: rowCount ?? Math.max(1, rows.length) };
  const next = nextPage(page, totalRowCount);
  const previous = previousPage(page);
  return {
    requestId: expectString(body['requestId'], 'requestId'),
    brokerId: expectString(body['brokerId'], 'brokerId'),
    ...(typeof body['brokerHost'] === 'string' && {
      broker: { host: body['brokerHost'], port: expectInteger(body['brokerPort'], 'brokerPort') },
    }),
    columns,
    rows,
    offset,
    totalRowCount,
    ...(next !== undefined && { next }),
    ...(previous !== undefined && { previous }),
  };
}
