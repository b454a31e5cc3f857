import { isQuireError, type QuireError } from '@quire/core';
import type { TaskRecord } from '@quire/core/table-engine';
import { recordDamaged, type Records } from '../directory/records.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import {
  type CommitPlan,
  noProgress,
  type SubtaskOutput,
  type SubtaskWork,
  type TaskProgress,
} from './task-plan.ts';

/** A task as stored on disk: the record that callers may read, and the data to continue it. */
export interface StoredTask {
  readonly record: TaskRecord;
  /**
   * The ids of the tables that it reads and writes: a table that was created again under the same
   * name has another id.
   */
  readonly sourceTableId: string;
  readonly targetTableId: string;
  readonly work: readonly SubtaskWork[];
  /** The output of each subtask, invisible until the whole task is done. */
  readonly outputs: readonly (SubtaskOutput | null)[];
  readonly commit: CommitPlan;
  /** The timeout of an attempt at a subtask, and the maximum number of attempts. */
  readonly timeoutMs: number;
  readonly attemptsMax: number;
}

/** A task whose record is damaged: its progress is unknown. */
export interface DamagedTask {
  readonly taskName: string;
  readonly error: QuireError;
}

/** The records of tasks. */
export class TaskStore {
  readonly #directory: TableDirectory;
  readonly #records: Records;

  constructor(directory: TableDirectory, records: Records) {
    this.#directory = directory;
    this.#records = records;
  }

  async readAll(): Promise<{
    readonly tasks: readonly StoredTask[];
    readonly damaged: readonly DamagedTask[];
  }> {
    const tasks: StoredTask[] = [];
    const damaged: DamagedTask[] = [];
    const known = (await this.#records.names(this.#directory.folder('tasks'))).map((file) =>
      file.replace(/\.json$/, ''),
    );
    for (const taskName of new Set([...(await this.#directory.listTasks()), ...known])) {
      const task = await this.read(taskName);
      if (task === undefined) continue;
      if ('error' in task) damaged.push(task);
      else tasks.push(task);
    }
    return { tasks, damaged };
  }

  async read(taskName: string): Promise<StoredTask | DamagedTask | undefined> {
    try {
      const file = this.#directory.task(taskName);
      const task = await this.#records.read<Partial<StoredTask>>(file);
      if (task !== undefined && task.record?.taskName !== taskName) {
        throw recordDamaged(file, 'describes no task of this name');
      }
      return task as StoredTask | undefined;
    } catch (error) {
      if (isQuireError(error, 'RECORD_DAMAGED')) return { taskName, error };
      throw error;
    }
  }

  write(task: StoredTask): Promise<void> {
    return this.#records.replace(this.#directory.task(task.record.taskName), task);
  }

  async remove(taskName: string): Promise<void> {
    await this.#records.remove(this.#directory.task(taskName));
  }

  /** Moves the record of a task, damaged or not, to a path. */
  async discard(taskName: string, to: string): Promise<void> {
    await this.#records.move(this.#directory.task(taskName), to);
  }

  /** @throws RECORD_DAMAGED */
  async readStoppedTypes(): Promise<readonly string[]> {
    const record = await this.#records.read<{ readonly stopped: readonly string[] }>(
      this.#directory.taskQueues,
    );
    return record?.stopped ?? [];
  }

  writeStoppedTypes(stopped: readonly string[]): Promise<void> {
    return this.#records.replace(this.#directory.taskQueues, { stopped });
  }

  async readProgress(tableId: string): Promise<TaskProgress> {
    return (
      (await this.#records.read<TaskProgress>(this.#directory.taskProgress(tableId))) ?? noProgress
    );
  }

  writeProgress(tableId: string, progress: TaskProgress): Promise<void> {
    return this.#records.replace(this.#directory.taskProgress(tableId), progress);
  }
}
