import { type Clock, isQuireError } from '@quire/core';
import {
  type Consumption,
  type PartitionState,
  type TableEngine,
  type TableProblem,
  type TaskRecord,
  type TaskState,
  taskStates,
} from '@quire/core/table-engine';
import { RecentValue } from '@quire/core/wait';

/** The state of all tables together, without names of tables. */
export interface TablesStatus {
  readonly tableCount: number;
  /** The numbers of stream partitions by state. */
  readonly partitions: Readonly<Record<PartitionState, number>>;
  /** The known number of messages that no table has consumed yet. */
  readonly lagMessages: number;
  /** The age of the oldest such message. */
  readonly lagMsMax: number;
  /** The number of messages that were skipped since the engine started. */
  readonly skippedCount: number;
  /** The numbers of known tasks by state. */
  readonly tasks: Readonly<Record<TaskState, number>>;
  readonly failedSubtaskCount: number;
}

/** The time for which a result is reused, and the longest wait for a new one. */
const limits = { ageMaxMs: 2_000, waitMaxMs: 1_000 };

/** Reads the state of all tables on request, at a limited rate. Does nothing without requests. */
export class TableWatch {
  readonly #engine: TableEngine;
  readonly #listJobProblems: () => Promise<readonly TableProblem[]>;
  readonly #status: RecentValue<TablesStatus>;

  /** @param listJobProblems lists the restream jobs that are set aside */
  constructor(
    engine: TableEngine,
    clock: Clock,
    listJobProblems: () => Promise<readonly TableProblem[]> = async () => [],
  ) {
    this.#engine = engine;
    this.#listJobProblems = listJobProblems;
    this.#status = new RecentValue(() => this.#look(), clock, limits);
  }

  /**
   * Returns the current state or, if streams are slow to answer, the last one; undefined if
   * unknown.
   */
  read(): Promise<TablesStatus | undefined> {
    return this.#status.read();
  }

  /**
   * Returns the damaged items that are set aside, and the unknown files that are kept, without
   * waiting for any stream. Undefined if unknown.
   */
  async readProblems(): Promise<readonly TableProblem[] | undefined> {
    // Jobs cannot be listed while their directory is missing, which is a problem of tables.
    const ofTables = await unlessUnknown(this.#engine.listProblems());
    const ofJobs = await unlessUnknown(this.#listJobProblems());
    return ofTables && [...ofTables, ...(ofJobs ?? [])];
  }

  /** Returns undefined if the engine cannot be reached, so that the last state is kept. */
  async #look(): Promise<TablesStatus | undefined> {
    try {
      const tables = await this.#engine.listTables();
      const consumptions = await Promise.all(
        tables
          .filter(({ type }) => type === 'REALTIME')
          .map((table) => this.#readConsumption(table.tableNameWithType)),
      );
      return summarize(
        tables.length,
        consumptions.filter((each) => each !== undefined),
        await this.#listTasks(),
      );
    } catch (error) {
      if (!isQuireError(error)) throw error;
      return undefined;
    }
  }

  /** Returns undefined for a table that was deleted in the meantime, or is set aside. */
  async #readConsumption(tableNameWithType: string): Promise<Consumption | undefined> {
    try {
      return await this.#engine.readConsumption(tableNameWithType);
    } catch (error) {
      if (isQuireError(error, 'TABLE_NOT_FOUND', 'TABLE_DAMAGED', 'UNSUPPORTED')) return undefined;
      throw error;
    }
  }

  async #listTasks(): Promise<readonly TaskRecord[]> {
    const types = await this.#engine.listTaskTypes();
    return (
      await Promise.all(types.map((taskType) => this.#engine.listTasks({ taskType })))
    ).flat();
  }
}

async function unlessUnknown(
  problems: Promise<readonly TableProblem[]>,
): Promise<readonly TableProblem[] | undefined> {
  try {
    return await problems;
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return undefined;
  }
}

function summarize(
  tableCount: number,
  consumptions: readonly Consumption[],
  tasks: readonly TaskRecord[],
): TablesStatus {
  const partitions = {
    STARTING: 0,
    CONSUMING: 0,
    COMMITTING: 0,
    PAUSED: 0,
    RETRYING: 0,
    STOPPED: 0,
  };
  let [lagMessages, lagMsMax, skippedCount] = [0, 0, 0];
  for (const partition of consumptions.flatMap((each) => each.partitions)) {
    partitions[partition.state] += 1;
    lagMessages += partition.lagMessages ?? 0;
    lagMsMax = Math.max(lagMsMax, partition.lagMs ?? 0);
    skippedCount += partition.skippedCount;
  }
  const byState = Object.fromEntries(taskStates.map((state) => [state, 0])) as Record<
    TaskState,
    number
  >;
  for (const { state } of tasks) byState[state] += 1;
  const failedSubtaskCount = tasks
    .flatMap(({ subtasks }) => subtasks)
    .filter(({ state }) => state === 'TASK_ERROR' || state === 'TIMED_OUT').length;
  return {
    tableCount,
    partitions,
    lagMessages,
    lagMsMax,
    skippedCount,
    tasks: byState,
    failedSubtaskCount,
  };
}
