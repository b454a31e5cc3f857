import type { CursorResponse, PinotCursorResponse, QueryResponse } from '@quire/api';
import { columnDataTypes, type Result } from '@quire/results';

/** What stands in a JSON response beside the rows. */
export type Envelope =
  | Omit<CursorResponse, 'resultTable'>
  | Omit<QueryResponse, 'resultTable'>
  | Omit<PinotCursorResponse, 'resultTable'>;

/**
 * A JSON response with its rows, which come as the bytes of a JSON array: the result table first, then the other members in the
 * order that they have. The first rows share a chunk with what precedes them, and the last with what follows.
 */
export async function* encodeEnvelope(
  schema: Result['schema'],
  rows: AsyncIterable<Uint8Array>,
  envelope: Envelope,
): AsyncGenerator<Uint8Array> {
  const dataSchema = { columnNames: schema.fields.map((field) => field.name), columnDataTypes: columnDataTypes(schema) };
  let pending: Uint8Array = Buffer.from(`{"resultTable":{"dataSchema":${JSON.stringify(dataSchema)},"rows":`);
  let isFirst = true;
  for await (const chunk of rows) {
    if (!isFirst) yield pending;
    pending = isFirst ? Buffer.concat([pending, chunk]) : chunk;
    isFirst = false;
  }
  yield Buffer.concat([pending, Buffer.from(`},${JSON.stringify(envelope).slice(1)}`)]);
}
