/** What one partition of a stream is doing in a table. */
export type PartitionState =
  | 'STARTING' // its consuming segment is being made: nothing is known yet of where it stands, which is not the same as no lag
  | 'CONSUMING'
  | 'COMMITTING' // its consuming segment becomes a committed one; the next one follows
  | 'PAUSED'
  | 'RETRYING' // the stream cannot be reached, or no server consumes; it is tried again with back-off, or once the cause is gone
  | 'STOPPED'; // a message could not be taken, and the table's config says to stop there; or the stream has nothing where it would go on

/** How far one partition of a stream is consumed. */
export interface PartitionConsumption {
  readonly partition: number;
  readonly state: PartitionState;
  /** The consuming segment; null while there is none. */
  readonly segmentName: string | null;
  /** Offset of the next message to consume; null while it is not known. */
  readonly currentOffset: number | null;
  /** Offset that the next message written to the stream will have; null while it is not known. */
  readonly latestOffset: number | null;
  /** Messages between the two; null while either is not known. */
  readonly lagMessages: number | null;
  /** When the last message was consumed, in epoch milliseconds; null before the first. */
  readonly lastConsumedMs: number | null;
  /**
   * How long the newest message that is not consumed yet has waited; null while it is not known.
   */
  readonly lagMs: number | null;
  /**
   * Messages that could not be decoded or transformed, and were skipped, since the engine started.
   */
  readonly skippedCount: number;
  /** Why it is RETRYING or STOPPED, as a sentence; null otherwise. */
  readonly error: string | null;
  /**
   * What its operator has to know though it goes on: messages that the stream had dropped before
   * they were consumed, and the latest that was skipped.
   */
  readonly notice?: string | null;
  /** Every server that has to consume it, by name; left out where one process consumes. */
  readonly replicas?: readonly ReplicaConsumption[];
}

/** How far one server has consumed a partition. */
export interface ReplicaConsumption {
  readonly serverName: string;
  /** UNKNOWN: the server does not answer. NOT_CONSUMING: it answers, and has given up. */
  readonly state: 'CONSUMING' | 'NOT_CONSUMING' | 'UNKNOWN';
  /** As of its partition; null while they are not known. */
  readonly currentOffset: number | null;
  readonly latestOffset: number | null;
  readonly lagMessages: number | null;
  readonly lastConsumedMs: number | null;
  readonly lagMs: number | null;
}

/** How a table consumes its stream. */
export interface Consumption {
  readonly isPaused: boolean;
  /** When it was paused or resumed last, and what was said of it. */
  readonly changedMs: number | null;
  readonly comment: string | null;
  /**
   * In ascending order. Empty while the partitions themselves are not known, which `isReady` tells
   * from a stream without any.
   */
  readonly partitions: readonly PartitionConsumption[];
  /** Whether `partitions` lists all partitions of the stream. */
  readonly isReady: boolean;
  /** Servers that did not answer, and that answered what cannot be read; 0 where left out. */
  readonly serversFailingCount?: number;
  readonly serversUnparsableCount?: number;
}

/**
 * Where consumption goes on: where it stopped, or at one end of the stream, which leaves out or
 * repeats messages.
 */
export type ResumeFrom = 'lastConsumed' | 'smallest' | 'largest';

/** A wish to commit what is being consumed, and how far it has come. */
export interface ForceCommitJob {
  readonly jobId: string;
  readonly tableNameWithType: string;
  readonly submittedMs: number;
  readonly segmentNames: readonly string[];
  /** Those of `segmentNames` that are not committed yet. */
  readonly pendingSegmentNames: readonly string[];
}

/** How far a rebalance is. */
export type RebalanceStatus = 'NO_OP' | 'IN_PROGRESS' | 'DONE' | 'FAILED' | 'CANCELLED';

/** A rebalance of a table: what it moves, and how far it is. */
export interface RebalanceJob {
  readonly jobId: string;
  readonly tableNameWithType: string;
  readonly status: RebalanceStatus;
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** What moved, or why nothing did, or why it failed, as a sentence. */
  readonly description: string;
  readonly segmentsToMoveCount: number;
  readonly segmentsMovedCount: number;
}
