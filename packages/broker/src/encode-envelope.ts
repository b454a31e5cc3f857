import type { CursorResponse, PinotCursorResponse, QueryResponse } from '@quire/api';
import { columnDataTypes, type EncodeOptions, type Result } from '@quire/results';

/** What stands in a JSON response beside the rows. */
export type Envelope =
  | Omit<CursorResponse, 'resultTable'>
  | Omit<QueryResponse, 'resultTable'>
  | Omit<PinotCursorResponse, 'resultTable'>;

/**
 * What a JSON response holds around its rows: the result table first, whose rows are a JSON array, then the other members in the order
 * that they have.
 */
export function encodeEnvelope(schema: Result['schema'], envelope: Envelope): NonNullable<EncodeOptions['around']> {
  const dataSchema = { columnNames: schema.fields.map((field) => field.name), columnDataTypes: columnDataTypes(schema) };
  return {
    before: Buffer.from(`{"resultTable":{"dataSchema":${JSON.stringify(dataSchema)},"rows":`),
    after: Buffer.from(`},${JSON.stringify(envelope).slice(1)}`),
  };
}
