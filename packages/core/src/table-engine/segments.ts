/** One committed or consuming part of a table. */
export interface SegmentDescription {
  readonly segmentName: string;
  /** A consuming segment still grows; its rows may be queried already. */
  readonly state: 'COMMITTED' | 'CONSUMING';
  readonly rowCount: number;
  readonly sizeBytes: number;
  /**
   * Smallest and largest value of the time column, in epoch milliseconds; null without a time
   * column, or without rows.
   */
  readonly minTimeMs: number | null;
  readonly maxTimeMs: number | null;
  readonly createdMs: number;
  /** When it was committed; null while it is consuming. */
  readonly committedMs: number | null;
  /**
   * Where its rows come from, for a segment of a stream: offsets `[startOffset, endOffset)`; the
   * end is null while it is consuming.
   */
  readonly stream: {
    readonly partition: number;
    readonly sequence: number;
    readonly startOffset: number;
    readonly endOffset: number | null;
  } | null;
  /** Name of the instance, or instances, that serve it. */
  readonly servers: readonly string[];
  /** Checksum of its data as the engine keeps it; null where the engine has none. */
  readonly checksum: string | null;
  /**
   * What is wrong with its data, and what to do, in sentences; left out where nothing is known to
   * be.
   */
  readonly problem?: string | undefined;
  /**
   * What is not known of it at the moment, such as its rows while its server is away, in sentences;
   * left out where all is known.
   */
  readonly notice?: string | undefined;
  /** What else the engine keeps about it, by its own names. */
  readonly custom: Readonly<Record<string, string>>;
}
