import type { JsonValue } from '../lossless-json.ts';

/**
 * The two halves that a table may have: rows that are loaded, and rows that are consumed from a
 * stream.
 */
export type TableType = 'OFFLINE' | 'REALTIME';

/**
 * A table config as SPECIFICATION.md section 2.4 shows it. Engines keep every member, those that
 * they do not know as well. `tableName` may come with or without its type's suffix; what an engine
 * gives back has the suffix and `tableType`.
 */
export interface TableConfigDocument {
  readonly tableName: string;
  readonly [member: string]: JsonValue;
}

/** A table's schema as SPECIFICATION.md section 2.5 shows it. */
export interface TableSchemaDocument {
  readonly schemaName: string;
  readonly [member: string]: JsonValue;
}

const typedName = /^(.+)_(OFFLINE|REALTIME)$/;

/** `flights_REALTIME` is the real-time half of `flights`; a name without a suffix has no type. */
export function parseTableName(name: string): {
  readonly rawName: string;
  readonly type: TableType | undefined;
} {
  const match = typedName.exec(name);
  if (match === null) return { rawName: name, type: undefined };
  return { rawName: match[1] ?? name, type: match[2] as TableType };
}
