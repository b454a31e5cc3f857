import { join } from 'node:path';
import { isQuireError, QuireError } from '@quire/core';
import type { TableProblem } from '@quire/core/table-engine';
import { trashName } from '../upkeep/trash.ts';
import type { TaskEngineOptions } from './task-engine-options.ts';
import type { DamagedTask, StoredTask, TaskStore } from './task-store.ts';
import { taskTypes } from './task-types.ts';

export type DamagedTasksOptions = Pick<TaskEngineOptions, 'directory' | 'clock' | 'onSetAside'> & {
  readonly store: TaskStore;
};

/** The tasks that are set aside because their records are damaged: their progress is unknown. */
export class DamagedTasks {
  readonly #options: DamagedTasksOptions;
  readonly #tasks = new Map<string, QuireError>();
  /** The reason why the paused types are unknown; undefined if they are known. */
  #queueDamage: QuireError | undefined;

  constructor(options: DamagedTasksOptions) {
    this.#options = options;
  }

  get problems(): readonly TableProblem[] {
    const tasks = [...this.#tasks].map(([taskName, damage]): TableProblem => {
      return { kind: 'task', subject: taskName, problem: taskDamaged(taskName, damage).message };
    });
    if (this.#queueDamage === undefined) return tasks;
    const problem = `${this.#queueDamage.message} All task types are paused until one of them is resumed.`;
    return [
      ...tasks,
      { kind: 'record', subject: this.#options.directory.taskQueues.relativePath, problem },
    ];
  }

  /** Returns the error for calls about a task; undefined if its record is not damaged. */
  find(taskName: string): QuireError | undefined {
    const damage = this.#tasks.get(taskName);
    return damage && taskDamaged(taskName, damage);
  }

  /**
   * Returns the error of a damaged task that is or may be of a type: a new task could repeat its
   * work.
   */
  findOfType(taskType: string): QuireError | undefined {
    const typeOf = (name: string): string =>
      taskTypes.find((type) => name.startsWith(`Task_${type}_`)) ?? taskType;
    const name = [...this.#tasks.keys()].find((each) => typeOf(each) === taskType);
    return name === undefined ? undefined : this.find(name);
  }

  setAside({ taskName, error }: DamagedTask): void {
    this.#tasks.set(taskName, error);
    this.#options.onSetAside?.(taskName, error);
  }

  /** Returns the tasks whose records are intact again. */
  async restore(): Promise<readonly StoredTask[]> {
    const restored: StoredTask[] = [];
    for (const taskName of this.#tasks.keys()) {
      const task = await this.#options.store.read(taskName);
      if (task === undefined || 'error' in task) continue;
      this.#tasks.delete(taskName);
      restored.push(task);
    }
    return restored;
  }

  /**
   * Discards a task: its record is moved to the trash, and garbage collection deletes its files.
   */
  async discard(taskName: string): Promise<void> {
    const { store, directory, clock } = this.#options;
    await store.discard(
      taskName,
      join(directory.folder('trash'), trashName(clock.nowMs(), `${taskName}.json`)),
    );
    this.#tasks.delete(taskName);
  }

  /** Reads which types are paused; if that is unknown, all of them are. */
  async readStoppedTypes(): Promise<readonly string[]> {
    const { store, directory, onSetAside } = this.#options;
    try {
      return await store.readStoppedTypes();
    } catch (error) {
      if (!isQuireError(error, 'RECORD_DAMAGED')) throw error;
      this.#queueDamage = error;
      onSetAside?.(directory.taskQueues.relativePath, error);
      return taskTypes;
    }
  }

  async writeStoppedTypes(stopped: readonly string[]): Promise<void> {
    await this.#options.store.writeStoppedTypes(stopped);
    this.#queueDamage = undefined;
  }
}

function taskDamaged(taskName: string, { message }: QuireError): QuireError {
  const help =
    'Restore the file to continue the task, or cancel the task so that others of its type can be created again.';
  return new QuireError('RECORD_DAMAGED', `The task ${taskName} is set aside: ${message} ${help}`);
}
