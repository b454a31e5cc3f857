import type { JsonValue } from '../lossless-json.ts';

/** The two types of a table: rows that are loaded, and rows that are consumed from a stream. */
export type TableType = 'OFFLINE' | 'REALTIME';

/**
 * A table config as in SPECIFICATION.md section 2.4. Engines preserve every member, including
 * unknown ones. `tableName` may have its type's suffix or not; an engine returns it with the suffix
 * and `tableType`.
 */
export interface TableConfigDocument {
  readonly tableName: string;
  readonly [member: string]: JsonValue;
}

/** A table's schema as in SPECIFICATION.md section 2.5. */
export interface TableSchemaDocument {
  readonly schemaName: string;
  readonly [member: string]: JsonValue;
}

const typedName = /^(.+)_(OFFLINE|REALTIME)$/;

/**
 * Parses a table name: `flights_REALTIME` is the real-time half of `flights`; a name without a
 * suffix has no type.
 */
export function parseTableName(name: string): {
  readonly rawName: string;
  readonly type: TableType | undefined;
} {
  const match = typedName.exec(name);
  if (match === null) return { rawName: name, type: undefined };
  return { rawName: match[1] ?? name, type: match[2] as TableType };
}
