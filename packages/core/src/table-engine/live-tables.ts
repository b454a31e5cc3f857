import type { CallOptions } from '../object-store.ts';

/** What a column of a table holds. Each is one value of the type, or a list of them. */
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
   * What rows have that were written before there was such a column, as text in the way of the
   * type; null is null.
   */
  readonly absentValue: string | null;
  /** For BIG_DECIMAL: how many digits the values have before and after the point, at most. */
  readonly digits?: { readonly integer: number; readonly scale: number } | undefined;
}

/**
 * A Parquet file of a table, and what tells whether it still is what was written. It stays for
 * longer than any query may run.
 */
export interface RelationFile {
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** CRC-32 of its bytes, in decimal digits. */
  readonly checksum: string;
  /**
   * The segment whose rows it holds, and the table, with type, that this belongs to: what messages
   * name.
   */
  readonly segmentName: string;
  readonly tableName: string;
}

/** Files of a table that hold the same columns. */
export interface RelationPart {
  readonly files: readonly RelationFile[];
  readonly columnNames: readonly string[];
  /** Rows count on this side of a time only, where a table has two halves that overlap. */
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
  /** As the query may spell it, whatever the case. */
  readonly name: string;
  readonly columns: readonly RelationColumn[];
  /** None: the table has no rows. */
  readonly parts: readonly RelationPart[];
  readonly rowCount: number;
  readonly segmentCount: number;
  readonly consumingSegmentCount: number;
  /**
   * The oldest of the times up to which partitions were consumed; null where nothing is being
   * consumed.
   */
  readonly consumedUntilMs: number | null;
}

/**
 * The tables that a server of tables looks after, for engines that answer queries, in this process
 * or another. All that it gives is data.
 */
export interface LiveTables {
  /**
   * The names that queries may use: of each table its raw name, and that name with the suffix of
   * each half that it has.
   */
  listNames(): Promise<readonly string[]>;
  /**
   * The rows that the named tables have now, as one consistent set for each table; a name that is
   * not there is left out. What was committed before the call is in it.
   */
  resolve(names: readonly string[]): Promise<readonly TableRelation[]>;
  /**
   * Reads those files of relations that were not found to be what was written since they were last
   * changed. To be called before their rows are read.
   *
   * @throws TABLE_DAMAGED when a file is missing, or is not what was written; the message names its
   * segment
   */
  verify(relations: readonly TableRelation[], options?: CallOptions): Promise<void>;
}
