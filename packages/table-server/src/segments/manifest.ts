import type { SegmentDescription } from '@quire/core/table-engine';
import { recordDamaged, type RecordFile } from '../directory/records.ts';

/**
 * The maximum number of digits of a BIG_DECIMAL column's values before and after the decimal point.
 */
export interface Digits {
  readonly integer: number;
  readonly scale: number;
}

/** A file of rows, as described by its writer. */
export interface RowFile {
  /** The name in the data directory of the table. */
  readonly file: string;
  readonly rowCount: number;
  readonly sizeBytes: number;
  /** CRC-32 of its bytes, in decimal digits. */
  readonly checksum: string;
  readonly columnNames: readonly string[];
  /** The digits of each BIG_DECIMAL column. */
  readonly digits: Readonly<Record<string, Digits>>;
  /** JSON columns with at least one value that is not valid JSON. */
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
 * The offset up to which a partition was committed: messages before `endOffset` are in committed
 * segments, or were.
 */
export interface Checkpoint {
  readonly partition: number;
  readonly sequence: number;
  readonly endOffset: number;
}

/** A file that an earlier manifest of the table named, but this one does not. */
export interface RetiredFile {
  readonly file: string;
  readonly retiredMs: number;
  /** The reason for its removal, for the log. */
  readonly reason: string;
}

/** The committed part of a table at one moment. */
export interface Manifest {
  /** In ascending order of their names. */
  readonly segments: readonly SegmentRecord[];
  readonly checkpoints: readonly Checkpoint[];
  /** The retired files that are not in the trash yet. */
  readonly retired: readonly RetiredFile[];
}

export const emptyManifest: Manifest = { segments: [], checkpoints: [], retired: [] };

/**
 * Reads the content of a manifest. Manifests of the first format have no retired files. @throws
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

/** A part of a consuming segment: durable, and visible to queries. */
export interface Chunk extends RowFile {
  readonly startOffset: number;
  readonly endOffset: number;
  /** The number of times that its rows were merged with others. */
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
 * The consuming segment of a partition: the messages `[startOffset, endOffset)` are in its chunks,
 * which have no gaps.
 */
export interface ConsumingRecord {
  readonly segmentName: string;
  readonly partition: number;
  readonly sequence: number;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly createdMs: number;
  /** The time at which the newest of its messages was consumed. */
  readonly consumedMs: number | null;
  readonly chunks: readonly Chunk[];
  /**
   * The latest loss of messages of the partition, in this segment or an earlier one; absent if
   * there was none.
   */
  readonly lost?: LostMessages | undefined;
}

/**
 * Reports whether the manifest already has the segment of this record: a crash may have happened
 * between the two writes.
 */
export function isCommitted(
  { partition, sequence }: ConsumingRecord,
  { checkpoints }: Manifest,
): boolean {
  return checkpoints.some(
    (checkpoint) => checkpoint.partition === partition && checkpoint.sequence >= sequence,
  );
}
