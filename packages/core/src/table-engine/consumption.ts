/** The state of one partition of a stream in a table. */
export type PartitionState =
  | 'STARTING' // its consuming segment is being created: its offset is still unknown, which differs from a lag of 0
  | 'CONSUMING'
  | 'COMMITTING' // its consuming segment is being committed; the next one follows
  | 'PAUSED'
  | 'RETRYING' // the stream cannot be reached, or no server consumes; it is retried with back-off, or once the cause is fixed
  | 'STOPPED'; // a message could not be consumed and the table's config requires a stop there, or the stream lacks the next offset

/** The progress of one partition of a stream. */
export interface PartitionConsumption {
  readonly partition: number;
  readonly state: PartitionState;
  /** The consuming segment; null if there is none. */
  readonly segmentName: string | null;
  /** Offset of the next message to consume; null while it is not known. */
  readonly currentOffset: number | null;
  /** Offset that the next message written to the stream will have; null while it is not known. */
  readonly latestOffset: number | null;
  /** Messages between the two; null while either is not known. */
  readonly lagMessages: number | null;
  /**
   * The time at which the last message was consumed, in epoch milliseconds; null before the first.
   */
  readonly lastConsumedMs: number | null;
  /** The time for which the newest unconsumed message has waited; null while it is unknown. */
  readonly lagMs: number | null;
  /**
   * The number of messages skipped since the engine started because they could not be decoded or
   * transformed.
   */
  readonly skippedCount: number;
  /** The reason why it is RETRYING or STOPPED, as a sentence; null otherwise. */
  readonly error: string | null;
  /**
   * A notice for the operator although consumption continues: messages that the stream dropped
   * before they were consumed, and the latest skipped message.
   */
  readonly notice?: string | null;
  /** Every server that must consume the partition, by name; omitted where one process consumes. */
  readonly replicas?: readonly ReplicaConsumption[];
}

/** The progress of one server in a partition. */
export interface ReplicaConsumption {
  readonly serverName: string;
  /** UNKNOWN: the server does not answer. NOT_CONSUMING: it answers, and has stopped consuming. */
  readonly state: 'CONSUMING' | 'NOT_CONSUMING' | 'UNKNOWN';
  /** As in its partition; null while they are unknown. */
  readonly currentOffset: number | null;
  readonly latestOffset: number | null;
  readonly lagMessages: number | null;
  readonly lastConsumedMs: number | null;
  readonly lagMs: number | null;
}

/** The pause of a table, which is known without its stream and its servers. */
export interface PauseStatus {
  readonly isPaused: boolean;
  /** The time of the last pause or resume, and its comment. */
  readonly changedMs: number | null;
  readonly comment: string | null;
  /** The segments that are being consumed, in ascending order of their names. */
  readonly segmentNames: readonly string[];
}

/** The consumption of a table's stream. */
export interface Consumption extends Omit<PauseStatus, 'segmentNames'> {
  /**
   * In ascending order. Empty while the partitions are unknown; `isReady` distinguishes that from a
   * stream without any.
   */
  readonly partitions: readonly PartitionConsumption[];
  /** True if `partitions` lists all partitions of the stream. */
  readonly isReady: boolean;
  /** The number of servers that did not answer, or whose answer could not be read; 0 if omitted. */
  readonly serversFailingCount?: number;
  readonly serversUnparsableCount?: number;
}

/**
 * The position where consumption continues: where it stopped, or at one end of the stream, which
 * skips or repeats messages.
 */
export type ResumeFrom = 'lastConsumed' | 'smallest' | 'largest';

/** A request to commit the consuming segments, and its progress. */
export interface ForceCommitJob {
  readonly jobId: string;
  readonly tableNameWithType: string;
  readonly submittedMs: number;
  readonly segmentNames: readonly string[];
  /** The `segmentNames` that are not committed yet. */
  readonly pendingSegmentNames: readonly string[];
}

/** The state of a rebalance. */
export type RebalanceStatus = 'NO_OP' | 'IN_PROGRESS' | 'DONE' | 'FAILED' | 'CANCELLED';

/** A rebalance of a table: the segments it moves, and its state. */
export interface RebalanceJob {
  readonly jobId: string;
  readonly tableNameWithType: string;
  readonly status: RebalanceStatus;
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** The segments that moved, or the reason why none did or why it failed, as a sentence. */
  readonly description: string;
  readonly segmentsToMoveCount: number;
  readonly segmentsMovedCount: number;
}
