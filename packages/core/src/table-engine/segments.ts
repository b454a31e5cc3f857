/** One committed or consuming part of a table. */
export interface SegmentDescription {
  readonly segmentName: string;
  /** A consuming segment still grows; queries already see its rows. */
  readonly state: 'COMMITTED' | 'CONSUMING';
  readonly rowCount: number;
  readonly sizeBytes: number;
  /**
   * Smallest and largest value of the time column, in epoch milliseconds; null if there is no time
   * column, or there are no rows.
   */
  readonly minTimeMs: number | null;
  readonly maxTimeMs: number | null;
  readonly createdMs: number;
  /** The time at which it was committed; null while it is consuming. */
  readonly committedMs: number | null;
  /**
   * The origin of its rows, for a segment of a stream: offsets `[startOffset, endOffset)`; the end
   * is null while it is consuming.
   */
  readonly stream: {
    readonly partition: number;
    readonly sequence: number;
    readonly startOffset: number;
    readonly endOffset: number | null;
  } | null;
  /** The names of the instances that serve it. */
  readonly servers: readonly string[];
  /** The checksum of its data in the engine; null if the engine has none. */
  readonly checksum: string | null;
  /** A problem with its data and the remedy, in sentences; omitted if there is none. */
  readonly problem?: string | undefined;
  /**
   * Facts that are currently unknown, such as its row count while its server is down, in sentences;
   * omitted if there are none.
   */
  readonly notice?: string | undefined;
  /** Other properties that the engine stores about it, by their own names. */
  readonly custom: Readonly<Record<string, string>>;
}
