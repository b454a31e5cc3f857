import { type JsonValue, QuireError, type Random } from '@quire/core';
import type { TaskRecord } from '@quire/core/table-engine';
import { readDocument, removeDocument, replaceDocument } from '../directory/documents.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import { type CommitPlan, noProgress, type SubtaskOutput, type SubtaskWork, type TaskProgress } from './task-plan.ts';

/** A task as it is on disk: what everybody may read of it, and what is needed to go on with it. */
export interface StoredTask {
  readonly formatVersion: 1;
  readonly record: TaskRecord;
  /** Ids of the tables that it reads and writes: tables made again under the same names are others. */
  readonly sourceTableId: string;
  readonly targetTableId: string;
  readonly work: readonly SubtaskWork[];
  /** What each subtask made, which nobody sees until the whole task is done. */
  readonly outputs: readonly (SubtaskOutput | null)[];
  readonly commit: CommitPlan;
  /** How long an attempt at a subtask may take, in milliseconds; how many there may be. */
  readonly timeoutMs: number;
  readonly attemptsMax: number;
}

/** The documents of tasks. Each is replaced as a whole, in one moment and durably. */
export class TaskStore {
  readonly #directory: TableDirectory;
  readonly #random: Random;

  constructor(directory: TableDirectory, random: Random) {
    this.#directory = directory;
    this.#random = random;
  }

  async readAll(): Promise<readonly StoredTask[]> {
    const documents = await Promise.all(
      (await this.#directory.listTasks()).map((name) => readDocument(this.#directory.task(name))),
    );
    return documents.flatMap((document) => (document === undefined ? [] : [storedTaskOf(document)]));
  }

  write(task: StoredTask): Promise<void> {
    return replaceDocument(this.#directory.task(task.record.taskName), task, this.#random);
  }

  async remove(taskName: string): Promise<void> {
    await removeDocument(this.#directory.task(taskName));
  }

  async readStoppedTypes(): Promise<readonly string[]> {
    const document = (await readDocument(this.#directory.taskQueues)) as { readonly stopped?: readonly string[] } | undefined;
    return document?.stopped ?? [];
  }

  writeStoppedTypes(stopped: readonly string[]): Promise<void> {
    return replaceDocument(this.#directory.taskQueues, { formatVersion: 1, stopped }, this.#random);
  }

  async readProgress(tableId: string): Promise<TaskProgress> {
    const document = await readDocument(this.#directory.data(tableId, 'task-progress.json'));
    return (document as unknown as TaskProgress | undefined) ?? noProgress;
  }

  writeProgress(tableId: string, progress: TaskProgress): Promise<void> {
    return replaceDocument(this.#directory.data(tableId, 'task-progress.json'), progress, this.#random);
  }
}

/** What this package wrote, and nobody else does. */
function storedTaskOf(document: JsonValue): StoredTask {
  const task = document as unknown as StoredTask;
  if (task.formatVersion === 1) return task;
  throw new QuireError('INTERNAL', `A task has format ${String(task.formatVersion)}; this version reads format 1.`);
}
