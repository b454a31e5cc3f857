import type { Clock, QuireError, Random } from '@quire/core';
import type { MessageStream } from '@quire/streams';
import type { FileFinder } from '@quire/tables';
import type { DamagedSegment } from './upkeep/scrub.ts';
import type { RunSubtaskJob } from './tasks/run-subtask.ts';
import type { GarbageEvent } from './upkeep/garbage.ts';
import type { RunChunkJob } from './consumption/chunk-job.ts';
import type { ConsumerEvents } from './consumption/partition-consumer.ts';

/**
 * The dependencies and settings of an embedded table engine. `finder`, `rowBytesMax` and `graceMs`
 * are read at each use, so a getter makes them live.
 */
export interface EmbeddedTableEngineOptions {
  /** The directory of all its files; one server at a time may have it open. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Tenants that tables may name. */
  readonly tenants: readonly string[];
  /** The host name in lists of instances. */
  readonly host: string;
  /** Finds the files that `ingest` may read by URI; if undefined, none may be read. */
  readonly finder: FileFinder | undefined;
  /** The directory in which an upload is stored while it is read; that of the system by default. */
  readonly uploadDirectory?: string | undefined;
  /** The maximum size of a row of a file, in bytes. */
  readonly rowBytesMax: number;
  /** Opens the stream of a real-time table. @throws STREAM_INVALID */
  readonly openStream: (config: Readonly<Record<string, string>>) => MessageStream;
  readonly consumerEvents?: ConsumerEvents | undefined;
  /**
   * Converts messages to rows, for example in processes that can be killed on their own; by default
   * in this process.
   */
  readonly runChunkJob?: RunChunkJob | undefined;
  /** The time for which files that no record names are kept: longer than any query may run. */
  readonly graceMs: number;
  /**
   * The time for which files stay in the trash of their table; a day by default. Read at each use.
   */
  readonly trashRetentionMs?: number | undefined;
  /**
   * Runs subtasks, for example in processes that can be killed on their own; by default in this
   * process.
   */
  readonly runSubtask?: RunSubtaskJob | undefined;
  /** The maximum number of concurrent subtasks; 2 by default. */
  readonly subtasksMax?: number | undefined;
  /**
   * Called for task failures that no caller receives: schedules that cannot be read, states that
   * cannot be written.
   */
  readonly onTaskFailed?: ((error: unknown) => void) | undefined;
  /** Called when a table or a task is set aside because its record is damaged. */
  readonly onSetAside?: ((subject: string, damage: QuireError) => void) | undefined;
  /**
   * Called at the end of each round of upkeep, every ten seconds: retention, garbage collection,
   * and the check of records.
   */
  readonly onUpkeepRound?: (() => void) | undefined;
  /** Called for each file that is moved to the trash, or deleted from it. */
  readonly onGarbage?: ((event: GarbageEvent) => void) | undefined;
  /**
   * Called when the revision of a record could not be recorded, so that an older copy of the record
   * would not be detected.
   */
  readonly onRevisionUnwritten?: ((path: string, error: unknown) => void) | undefined;
  /**
   * The time within which every file of rows is verified against its checksum; a week by default.
   * Read at each use.
   */
  readonly scrubPeriodMs?: number | undefined;
  /**
   * The maximum number of bytes per second that are read for these checks; 20 MiB by default. Read
   * at each use.
   */
  readonly scrubBytesPerSecondMax?: number | undefined;
  /**
   * Called when the file of a segment is found to differ from what was written, and when it is
   * whole again.
   */
  readonly onSegmentDamaged?: ((damage: DamagedSegment) => void) | undefined;
  readonly onSegmentRestored?: ((damage: DamagedSegment) => void) | undefined;
  /** Called when retention or garbage collection fails for another reason than the disk. */
  readonly onUpkeepFailed?: ((error: unknown) => void) | undefined;
  /**
   * Called once when the disk is full, read-only or missing, and with undefined when that is over.
   */
  readonly onDiskProblem?: ((problem: string | undefined) => void) | undefined;
}
