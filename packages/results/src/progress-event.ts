import type { Schema } from 'apache-arrow';
import { encodeSchemaMessage } from './arrow/encode-message.ts';
import { decodeSchema } from './schema-bytes.ts';

/** An event from the writer of a result to its readers while it grows: small, plain data. */
export type ProgressEvent =
  | { readonly kind: 'started'; readonly schema: Uint8Array; readonly firstOffset: number }
  | {
      readonly kind: 'batch';
      /** The usual number of rows in a batch. */
      readonly rowsPerBatch: number;
      /** The number of rows in this batch. */
      readonly rowCount: number;
      /** The end of its message in bytes. */
      readonly end: number;
      readonly checksum: number;
    };

/** The destination of a writer's readable copy of the rows, and the callback for its progress. */
export interface ProgressTarget {
  /** A file of the reader, which is the only one to delete it. */
  readonly path: string;
  readonly notify: (event: ProgressEvent) => void;
}

/** Returns the event that reports the columns of a result: a stored schema. */
export function startedEvent(schema: Schema, firstOffset: number): ProgressEvent {
  return { kind: 'started', schema: encodeSchemaMessage(schema).bytes, firstOffset };
}

/** Returns the columns of a result that has started. */
export function schemaOfEvent({ schema }: Extract<ProgressEvent, { kind: 'started' }>): Schema {
  return decodeSchema(schema);
}
