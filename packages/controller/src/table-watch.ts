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

/** What tables do as a whole, with the name of none. */
export interface TablesStatus {
  readonly tableCount: number;
  /** Partitions of streams, by what they do. */
  readonly partitions: Readonly<Record<PartitionState, number>>;
  /** Messages that no table has consumed yet, as far as it is known. */
  readonly lagMessages: number;
  /** How long the message has waited that waits longest. */
  readonly lagMsMax: number;
  /** Messages that were left out since the engine started. */
  readonly skippedCount: number;
  /** Tasks that the engine still knows, by their state. */
  readonly tasks: Readonly<Record<TaskState, number>>;
  readonly failedSubtaskCount: number;
}

/** How long an answer holds, and how long a caller waits at most for a new one. */
const limits = { ageMaxMs: 2_000, waitMaxMs: 1_000 };

/**
 * Looks at all tables when somebody asks, and no oftener than it is worth: nothing is done while
 * nobody does.
 */
export class TableWatch {
  readonly #engine: TableEngine;
  readonly #listJobProblems: () => Promise<readonly TableProblem[]>;
  readonly #status: RecentValue<TablesStatus>;

  /** @param listJobProblems lists the jobs of the tables that are set aside */
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
   * As it is now, or, where streams take long to answer, as it was last; undefined when nothing is
   * known.
   */
  read(): Promise<TablesStatus | undefined> {
    return this.#status.read();
  }

  /**
   * What is set aside, or kept because nothing explains it; it waits for no stream. Undefined when
   * nothing is known.
   */
  async readProblems(): Promise<readonly TableProblem[] | undefined> {
    try {
      return [...(await this.#engine.listProblems()), ...(await this.#listJobProblems())];
    } catch (error) {
      if (!isQuireError(error)) throw error;
      return undefined;
    }
  }

  /** An engine that cannot be reached leaves what was known. */
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

  /** Undefined for a table that was deleted meanwhile, or is set aside. */
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
