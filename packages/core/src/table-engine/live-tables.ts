import type { CallOptions } from '../object-store.ts';

/** The type of a column of a table. A column holds one value of the type, or a list of them. */
export type RelationType =
  | 'INT'
  | 'LONG'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIG_DECIMAL' // text in files: digits without an exponent
  | 'BOOLEAN'
  | 'TIMESTAMP'
  | 'STRING'
  | 'JSON' // text in files
  | 'BYTES'
  | 'MAP'; // text in files: a JSON object

/** A column of a relation that queries read. */
export interface RelationColumn {
  readonly name: string;
  readonly type: RelationType;
  readonly isList: boolean;
  /**
   * The value of the column in rows written before it existed, as text in the format of the type,
   * or null.
   */
  readonly absentValue: string | null;
  /** The maximum number of digits before and after the decimal point, for BIG_DECIMAL. */
  readonly digits?: { readonly integer: number; readonly scale: number } | undefined;
}

/**
 * A Parquet file of a table, with the data to verify it. It exists for longer than any query may
 * run.
 */
export interface RelationFile {
  /** The absolute path. */
  readonly path: string;
  readonly sizeBytes: number;
  /** CRC-32 of its bytes, in decimal digits. */
  readonly checksum: string;
  /** The segment whose rows the file holds, and its table with type, for messages. */
  readonly segmentName: string;
  readonly tableName: string;
}

/** Files of a table that have the same columns. */
export interface RelationPart {
  readonly files: readonly RelationFile[];
  readonly columnNames: readonly string[];
  /** The time boundary of the rows to include, if the table has two halves that overlap. */
  readonly boundary?:
    | {
        readonly columnName: string;
        readonly side: 'upTo' | 'after';
        readonly value: string;
        readonly isText: boolean;
      }
    | undefined;
}

/** All rows of a table at one moment. */
export interface TableRelation {
  /** The name as the query may spell it, in any case. */
  readonly name: string;
  readonly columns: readonly RelationColumn[];
  /** The files of the table; empty if the table has no rows. */
  readonly parts: readonly RelationPart[];
  readonly rowCount: number;
  readonly segmentCount: number;
  readonly consumingSegmentCount: number;
  /** The oldest time up to which a partition was consumed; null if nothing is being consumed. */
  readonly consumedUntilMs: number | null;
}

/**
 * The tables of a table server, for query engines in this process or another. All of its answers
 * are plain data.
 */
export interface LiveTables {
  /**
   * Returns the names that queries may use: the raw name of each table, and that name with the
   * suffix of each of its halves.
   *
   * @throws STORE_UNAVAILABLE when the tables are not known, such as when their disk is missing
   */
  listNames(): Promise<readonly string[]>;
  /**
   * Returns the current rows of the named tables, as one consistent set for each table; unknown
   * names are omitted. Rows committed before the call are included.
   *
   * @throws STORE_UNAVAILABLE as `listNames`
   */
  resolve(names: readonly string[]): Promise<readonly TableRelation[]>;
  /**
   * Verifies the files of relations that have changed since their last verification. Call it before
   * reading rows.
   *
   * @throws TABLE_DAMAGED when a file is missing or damaged; the message names its segment
   */
  verify(relations: readonly TableRelation[], options?: CallOptions): Promise<void>;
}
