import type { Clock, QuireError, Random } from '@quire/core';
import type { FileFinder } from '@quire/tables';
import type { Records } from '../directory/records.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import type { TableRegistry } from '../table-registry.ts';
import type { RunSubtaskJob } from './run-subtask.ts';

/** The dependencies of tasks, and of each attempt at one. */
export interface TaskEngineOptions {
  readonly registry: TableRegistry;
  readonly directory: TableDirectory;
  readonly records: Records;
  readonly clock: Clock;
  readonly random: Random;
  readonly instanceName: string;
  /** Read at each use. */
  readonly ingestion: {
    readonly finder: FileFinder | undefined;
    readonly rowBytesMax: number;
    readonly runSubtask?: RunSubtaskJob | undefined;
    readonly subtasksMax?: number | undefined;
  };
  /** Called when a task is set aside because its record is damaged. */
  readonly onSetAside?: ((subject: string, damage: QuireError) => void) | undefined;
  /**
   * Called for failures without a caller: schedules that cannot be read, tasks that could not be
   * created.
   */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}
