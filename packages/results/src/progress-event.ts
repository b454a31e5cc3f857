import type { Schema } from 'apache-arrow';
import { encodeSchemaMessage } from './arrow/encode-message.ts';
import { decodeSchema } from './schema-bytes.ts';

/** What the writer of a result reports to its readers while it grows: small, plain data. */
export type ProgressEvent =
  | { readonly kind: 'begun'; readonly schema: Uint8Array; readonly firstOffset: number }
  | {
      readonly kind: 'batch';
      readonly rowsPerBatch: number;
      /** Rows of this batch. */
      readonly rowCount: number;
      /** Byte at which its message ends. */
      readonly end: number;
      readonly checksum: number;
    };

/** Where a writer puts a readable copy of the rows, and what it notifies of them. */
export interface ProgressTarget {
  /** A file of the reader, which alone deletes it. */
  readonly path: string;
  readonly notify: (event: ProgressEvent) => void;
}

/** The event that a result has these columns: a stored schema. */
export function startedEvent(schema: Schema, firstOffset: number): ProgressEvent {
  return { kind: 'begun', schema: encodeSchemaMessage(schema).bytes, firstOffset };
}

/** The columns of a result that has started. */
export function schemaOfEvent({ schema }: Extract<ProgressEvent, { kind: 'begun' }>): Schema {
  return decodeSchema(schema);
}
