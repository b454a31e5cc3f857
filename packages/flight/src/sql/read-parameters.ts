import { isQuireError, type QueryParameter, QuireError } from '@quire/core';
import type { FlightData } from '../wire/flight-messages.ts';
import { FlatTable } from '../wire/flat-table.ts';
import { ParameterBuffers } from './parameter-buffers.ts';
import { type ParameterReader, parameterReaderOf } from './parameter-types.ts';

/* The messages are those of Message.fbs and Schema.fbs of Apache Arrow 21.0.0. Any authenticated
   caller can send them, so they are read here, within their bytes, and not by a library that trusts
   the lengths they announce. Source: https://arrow.apache.org/docs/format/Columnar.html */

/** The kinds of messages, by the number of the type of their header. */
const headers = { schema: 1, dictionaryBatch: 2, recordBatch: 3 } as const;
/**
 * The maximum number of columns, more than a statement can have: DuckDB numbers its parameters up
 * to 65,535.
 */
const parameterCountMax = 65_535;

/**
 * Reads the values for the parameters of a prepared statement: one row, a column for each.
 *
 * @throws INVALID_BODY when the data is not Arrow, or has no row
 * @throws UNSUPPORTED when it has more than one row, or a type that parameters do not have
 */
export async function readParameters(
  data: AsyncIterable<FlightData>,
): Promise<readonly QueryParameter[]> {
  let columns: readonly ParameterReader[] | undefined;
  let row: readonly QueryParameter[] | undefined;
  for await (const { dataHeader, dataBody } of data) {
    if (dataHeader.length === 0) continue;
    const read = decoded(() => readMessage(dataHeader, dataBody, columns));
    if (read.kind === 'schema') columns = read.columns;
    else if (read.rowCount > 1n || (read.row !== undefined && row !== undefined)) {
      throw new QuireError('UNSUPPORTED', 'Several rows of parameters were sent; expected one.');
    } else row ??= read.row;
  }
  if (row === undefined) {
    throw new QuireError('INVALID_BODY', 'No row of parameters was sent; expected one.');
  }
  return row;
}

type ReadMessage =
  | { readonly kind: 'schema'; readonly columns: readonly ParameterReader[] }
  | {
      readonly kind: 'rows';
      readonly rowCount: bigint;
      /** The values of a batch of one row; undefined for other batches. */
      readonly row: readonly QueryParameter[] | undefined;
    };

function readMessage(
  metadata: Uint8Array,
  body: Uint8Array,
  columns: readonly ParameterReader[] | undefined,
): ReadMessage {
  const message = FlatTable.root(metadata);
  const header = message.table(2);
  const kind = message.uint8(1);
  if (header !== undefined && kind === headers.schema) {
    return { kind: 'schema', columns: readSchema(header) };
  }
  if (kind === headers.dictionaryBatch) throw unsupported('are encoded by a dictionary');
  if (header === undefined || kind !== headers.recordBatch || columns === undefined) {
    throw new RangeError('The message contains neither a schema nor rows.');
  }
  if (header.table(3) !== undefined) throw unsupported('are compressed');
  const rowCount = header.int64(0);
  if (rowCount !== 1n) return { kind: 'rows', rowCount, row: undefined };
  const buffers = new ParameterBuffers(header, body);
  return { kind: 'rows', rowCount, row: columns.map((read) => read(buffers)) };
}

function readSchema(schema: FlatTable): readonly ParameterReader[] {
  const fields = schema.tables(1);
  if (fields.length > parameterCountMax) {
    throw new QuireError(
      'UNSUPPORTED',
      `${fields.length} parameters were sent; expected at most ${parameterCountMax}.`,
    );
  }
  return fields.map(parameterReaderOf);
}

function unsupported(what: string): QuireError {
  return new QuireError('UNSUPPORTED', `The parameters ${what}; expected plain values.`);
}

/** @throws INVALID_BODY for malformed data */
function decoded<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (isQuireError(cause)) throw cause;
    throw new QuireError('INVALID_BODY', 'The parameters are not Arrow data.', { cause });
  }
}
