import type { Schema } from 'apache-arrow';
import { encodeSchemaMessage } from './arrow/encode-message.ts';
import { decodeSchema } from './schema-bytes.ts';

/**
 * What the writer of a result tells those who read it while it grows: small, and plain data, for it
 * may come from another process.
 */
export type GrowthNews =
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

/** Where a writer puts what can be read before the result exists, and whom it tells. */
export interface GrowthPlace {
  /** A file, made by the reader, which alone decides when it goes. */
  readonly path: string;
  readonly tell: (news: GrowthNews) => void;
}

/** The news that a result has these columns: a stored schema. */
export function begunNews(schema: Schema, firstOffset: number): GrowthNews {
  return { kind: 'begun', schema: encodeSchemaMessage(schema).bytes, firstOffset };
}

/** The columns that a result has begun with. */
export function schemaOfNews({ schema }: Extract<GrowthNews, { kind: 'begun' }>): Schema {
  return decodeSchema(schema);
}
