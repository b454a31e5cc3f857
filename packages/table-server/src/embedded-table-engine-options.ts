import type { Clock, QuireError, Random } from '@quire/core';
import type { MessageStream } from '@quire/streams';
import type { FileFinder } from '@quire/tables';
import type { DamagedSegment } from './upkeep/scrub.ts';
import type { RunSubtaskJob } from './tasks/run-subtask.ts';
import type { GarbageEvent } from './upkeep/garbage.ts';
import type { RunChunkJob } from './consumption/chunk-job.ts';
import type { ConsumerEvents } from './consumption/partition-consumer.ts';

/**
 * What an embedded table engine is made of. `finder`, `rowBytesMax` and `graceMs` are read at each
 * use: a getter makes them live.
 */
export interface EmbeddedTableEngineOptions {
  /** Directory of all that it keeps; one server at a time may have it open. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Tenants that tables may name. */
  readonly tenants: readonly string[];
  /** How it shows in lists. */
  readonly host: string;
  /** Finds the files that `ingest` may read by URI; undefined: none. */
  readonly finder: FileFinder | undefined;
  /** The longest row of a file. */
  readonly rowBytesMax: number;
  /** Opens the stream of a real-time table. @throws STREAM_INVALID */
  readonly openStream: (config: Readonly<Record<string, string>>) => MessageStream;
  readonly consumerEvents?: ConsumerEvents | undefined;
  /** Makes rows of messages, such as in processes that may die alone; left out: it is done here. */
  readonly runChunkJob?: RunChunkJob | undefined;
  /** How long files stay that no table names any more: longer than any query may run. */
  readonly graceMs: number;
  /** How long files stay in the trash of their table; a day by default. Read at each use. */
  readonly trashRetentionMs?: number | undefined;
  /** Does the work of tasks, such as in processes that may die alone; left out: it is done here. */
  readonly runSubtask?: RunSubtaskJob | undefined;
  /** Subtasks that run at once; the default is 2. */
  readonly subtasksMax?: number | undefined;
  /**
   * Called for failures of tasks that are reported to no caller: schedules that cannot be read,
   * states that cannot be written.
   */
  readonly onTaskFailed?: ((error: unknown) => void) | undefined;
  /** Called when a table, or a task, is set aside since its record is damaged. */
  readonly onSetAside?: ((subject: string, damage: QuireError) => void) | undefined;
  /**
   * Called at the end of each round of upkeep, every ten seconds: retention, the collection of
   * garbage, and the check of records.
   */
  readonly onUpkeepRound?: (() => void) | undefined;
  /** Called for each file that is moved to the trash, or deleted from it. */
  readonly onGarbage?: ((event: GarbageEvent) => void) | undefined;
  /**
   * Called when the revision of a record could not be noted: an older copy of it would not be
   * recognized.
   */
  readonly onRevisionUnwritten?: ((path: string, error: unknown) => void) | undefined;
  /**
   * Within which time every file of rows is compared with what was written; a week by default. Read
   * at each use.
   */
  readonly scrubPeriodMs?: number | undefined;
  /** Bytes that are read for that in a second, at most; 20 MiB by default. Read at each use. */
  readonly scrubBytesPerSecondMax?: number | undefined;
  /**
   * Called when the file of a segment is found not to be what was written, and when it is so again.
   */
  readonly onSegmentDamaged?: ((damage: DamagedSegment) => void) | undefined;
  readonly onSegmentRestored?: ((damage: DamagedSegment) => void) | undefined;
  /** Called when retention or the collection of files fails; both are tried again. */
  readonly onUpkeepFailed?: ((error: unknown) => void) | undefined;
}
