import type { SegmentDescription } from '@quire/core/table-engine';
import { recordDamaged, type RecordFile } from '../directory/records.ts';

/** How many digits the values of a BIG_DECIMAL column have before and after the point, at most. */
export interface Digits {
  readonly integer: number;
  readonly scale: number;
}

/** What is known of a file of rows from writing it. */
export interface RowFile {
  /** Name in the directory of the table's data. */
  readonly file: string;
  readonly rowCount: number;
  readonly sizeBytes: number;
  /** CRC-32 of its bytes, in decimal digits. */
  readonly checksum: string;
  readonly columnNames: readonly string[];
  /** Of BIG_DECIMAL columns. */
  readonly digits: Readonly<Record<string, Digits>>;
  /** Columns of JSON that hold text which is not. */
  readonly malformedColumnNames: readonly string[];
  readonly minTimeMs: number | null;
  readonly maxTimeMs: number | null;
}

/** A committed segment. */
export interface SegmentRecord extends RowFile {
  readonly segmentName: string;
  readonly createdMs: number;
  readonly committedMs: number;
  readonly stream:
    | (NonNullable<SegmentDescription['stream']> & { readonly endOffset: number })
    | null;
  readonly custom: Readonly<Record<string, string>>;
}

/**
 * How far a partition has been committed: what was consumed before `endOffset` is in committed
 * segments, or was.
 */
export interface Checkpoint {
  readonly partition: number;
  readonly sequence: number;
  readonly endOffset: number;
}

/** A file that a manifest of the table once named, and this one does not. */
export interface RetiredFile {
  readonly file: string;
  readonly retiredMs: number;
  /** Why it was taken out, for the log. */
  readonly reason: string;
}

/** The committed part of a table at one moment. */
export interface Manifest {
  /** In ascending order of their names. */
  readonly segments: readonly SegmentRecord[];
  readonly checkpoints: readonly Checkpoint[];
  /** Until they are in the trash. */
  readonly retired: readonly RetiredFile[];
}

export const emptyManifest: Manifest = { segments: [], checkpoints: [], retired: [] };

/**
 * Reads the content of a manifest; those of the first format name no retired files. @throws
 * RECORD_DAMAGED
 */
export function manifestOf(
  record: RecordFile,
  { segments, checkpoints, retired = [] }: Partial<Manifest>,
): Manifest {
  if (!Array.isArray(segments) || !Array.isArray(checkpoints)) {
    throw recordDamaged(record, 'names no segments');
  }
  return { segments, checkpoints, retired };
}

/** A part of a consuming segment: durable, and seen by queries. */
export interface Chunk extends RowFile {
  readonly startOffset: number;
  readonly endOffset: number;
  /** How often its rows were put together with others. */
  readonly level: number;
}

/**
 * Messages `[fromOffset, toOffset)` that the stream had dropped before they were consumed: they are
 * not in the table.
 */
export interface LostMessages {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly noticedMs: number;
}

/**
 * The consuming segment of a partition: `[startOffset, endOffset)` is in its chunks, which follow
 * each other without a gap.
 */
export interface ConsumingRecord {
  readonly segmentName: string;
  readonly partition: number;
  readonly sequence: number;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly createdMs: number;
  /** When the newest of its messages was consumed. */
  readonly consumedMs: number | null;
  readonly chunks: readonly Chunk[];
  /**
   * The latest loss of the partition, in this segment or one before; left out while there was none.
   */
  readonly lost?: LostMessages | undefined;
}

/**
 * Whether the manifest has the segment of this record already: a crash may have come between the
 * two.
 */
export function isCommitted(
  { partition, sequence }: ConsumingRecord,
  { checkpoints }: Manifest,
): boolean {
  return checkpoints.some(
    (checkpoint) => checkpoint.partition === partition && checkpoint.sequence >= sequence,
  );
}
