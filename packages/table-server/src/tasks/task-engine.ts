import { isQuireError, type JsonValue, QuireError } from '@quire/core';
import type {
  ScheduledTasks,
  TableProblem,
  TaskRecord,
  TaskTrigger,
} from '@quire/core/table-engine';
import { sleepUnlessAborted, Slots } from '@quire/core/wait';
import type { TaskEngineOptions } from './task-engine-options.ts';
import { countOf, invalid, periodOf, taskOptionsOf, textsOf } from './task-options.ts';
import type { TaskPlan } from './task-plan.ts';
import { TaskRunner } from './task-runner.ts';
import { type StoredTask, TaskStore } from './task-store.ts';
import { isFinal } from './task-transitions.ts';
import { plannerOf, taskTypes } from './task-types.ts';
import { causeOf, diskProblemOf } from '../directory/disk-problem.ts';
import type { ServedTable } from '../served-table.ts';
import { parseSchedule } from '../task-schedule.ts';

const tickMs = 1_000;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,179}$/;

interface TaskRequest {
  readonly taskType: string;
  readonly tableNameWithType: string;
  readonly taskName?: string | undefined;
  readonly trigger: TaskTrigger;
  readonly configs: Readonly<Record<string, string>>;
}

/** Creates tasks, on schedule or on request, and hands them to the runner. */
export class TaskEngine implements AsyncDisposable {
  readonly #options: TaskEngineOptions;
  readonly #store: TaskStore;
  readonly #runner: TaskRunner;
  readonly #closing = new AbortController();
  #ticking: Promise<void> = Promise.resolve();
  /** Plans run sequentially, so that each sees the tasks of the earlier ones. */
  readonly #plans = new Slots(1);

  private constructor(options: TaskEngineOptions, store: TaskStore, runner: TaskRunner) {
    this.#options = options;
    this.#store = store;
    this.#runner = runner;
  }

  /** Opens the engine, which continues with the tasks on disk. */
  static async open(options: TaskEngineOptions): Promise<TaskEngine> {
    const store = new TaskStore(options.directory, options.records);
    const engine = new TaskEngine(options, store, await TaskRunner.open({ ...options, store }));
    engine.#ticking = engine.#tick();
    return engine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new QuireError('SHUTTING_DOWN', 'The table server is shutting down.'));
    await this.#ticking;
    await this.#plans.run(async () => undefined);
    await this.#runner[Symbol.asyncDispose]();
  }

  /** @throws TASK_TYPE_NOT_FOUND, TABLE_NOT_FOUND */
  async schedule({
    taskType,
    tableNameWithType,
  }: {
    readonly taskType?: string | undefined;
    readonly tableNameWithType?: string | undefined;
  }): Promise<ScheduledTasks> {
    if (taskType !== undefined) plannerOf(taskType);
    const { registry } = this.#options;
    const tables =
      tableNameWithType === undefined ? registry.tables : [registry.get(tableNameWithType)];
    const outcome = { scheduled: [], skipped: [], errors: [] } as {
      [name in keyof ScheduledTasks]: ScheduledTasks[name][number][];
    };
    for (const table of tables) {
      for (const type of taskType === undefined ? taskTypes : [taskType]) {
        const about = { taskType: type, tableNameWithType: table.name };
        const configs = taskOptionsOf(table.record.config, type);
        if (configs === undefined) {
          if (taskType !== undefined && tableNameWithType !== undefined) {
            outcome.skipped.push({
              ...about,
              reason: 'The config of the table has no tasks of this type.',
            });
          }
          continue;
        }
        try {
          const made = await this.#make({ ...about, trigger: 'MANUAL_TRIGGER', configs });
          if ('reason' in made) outcome.skipped.push({ ...about, reason: made.reason });
          else outcome.scheduled.push({ ...about, taskName: made.taskName });
        } catch (error) {
          if (!isQuireError(error)) throw error;
          outcome.errors.push({ ...about, message: error.message });
        }
      }
    }
    return outcome;
  }

  /**
   * @throws TASK_TYPE_NOT_FOUND, TABLE_NOT_FOUND, TASK_EXISTS; TABLE_INVALID also when there is
   * nothing to do
   */
  async execute(request: {
    readonly taskType: string;
    readonly tableNameWithType: string;
    readonly taskName?: string | undefined;
    readonly configs: Readonly<Record<string, JsonValue>>;
  }): Promise<TaskRecord> {
    const { taskType, tableNameWithType, taskName, configs } = request;
    plannerOf(taskType);
    const own = taskOptionsOf(
      this.#options.registry.get(tableNameWithType).record.config,
      taskType,
    );
    const made = await this.#make({
      taskType,
      tableNameWithType,
      taskName,
      trigger: 'ADHOC_TRIGGER',
      configs: { ...own, ...textsOf(configs) },
    });
    if ('reason' in made) throw invalid('taskConfigs', `Nothing to do: ${made.reason}`);
    return made;
  }

  /** The names of all tasks whose records are intact. */
  get names(): readonly string[] {
    return this.#runner.tasks.map(({ taskName }) => taskName);
  }

  /** The problems of tasks that are set aside because their record is damaged. */
  get problems(): readonly TableProblem[] {
    return this.#runner.damaged.problems;
  }

  /** Newest first. @throws TASK_TYPE_NOT_FOUND */
  list({
    taskType,
    tableNameWithType,
  }: {
    readonly taskType: string;
    readonly tableNameWithType?: string | undefined;
  }): readonly TaskRecord[] {
    plannerOf(taskType);
    return this.#runner.tasks.filter(
      (task) =>
        task.taskType === taskType &&
        (tableNameWithType === undefined || task.tableNameWithType === tableNameWithType),
    );
  }

  /** @throws TASK_NOT_FOUND */
  read(taskName: string): TaskRecord {
    return this.#runner.read(taskName);
  }

  /** @throws TASK_TYPE_NOT_FOUND */
  readQueue(taskType: string): 'RUNNING' | 'STOPPED' {
    plannerOf(taskType);
    return this.#runner.isStopped(taskType) ? 'STOPPED' : 'RUNNING';
  }

  /** @throws TASK_TYPE_NOT_FOUND */
  async setQueue(taskType: string, state: 'RUNNING' | 'STOPPED'): Promise<void> {
    plannerOf(taskType);
    await this.#runner.setStopped(taskType, state === 'STOPPED');
  }

  /** @throws TASK_NOT_FOUND, CONFLICT */
  async cancel(taskName: string): Promise<void> {
    await this.#runner.cancel(taskName);
  }

  /** @throws as `execute` */
  #make(request: TaskRequest): Promise<TaskRecord | { readonly reason: string }> {
    return this.#plans.run(() => this.#planAndAdd(request));
  }

  async #planAndAdd({
    taskType,
    tableNameWithType,
    taskName,
    trigger,
    configs,
  }: TaskRequest): Promise<TaskRecord | { readonly reason: string }> {
    const { registry, clock, random, ingestion } = this.#options;
    const table = registry.get(tableNameWithType);
    const active = this.#runner.tasks.find(
      (task) =>
        task.taskType === taskType && task.tableNameWithType === table.name && !isFinal(task.state),
    );
    if (active !== undefined) {
      return {
        reason: `The task ${active.taskName} is ${active.state}: the next one must wait until it ends.`,
      };
    }
    // The damaged task may have loaded the same files, or merged the same segments.
    const damage = this.#runner.damaged.findOfType(taskType);
    if (damage !== undefined) throw damage;
    const nowMs = clock.nowMs();
    const name = nameOf(
      taskType,
      taskName ?? `${Buffer.from(random.bytes(8)).toString('hex')}_${nowMs}`,
    );
    if (this.#runner.tasks.some((task) => task.taskName === name)) {
      throw new QuireError('TASK_EXISTS', `A task ${name} exists already.`);
    }
    const plan = await plannerOf(taskType)({
      table,
      offline: registry.tables.find(
        (each) => each.rawName === table.rawName && each.type === 'OFFLINE',
      ),
      configs,
      progress: await this.#store.readProgress(table.record.tableId),
      finder: ingestion.finder,
      nowMs,
      signal: this.#closing.signal,
    });
    if ('reason' in plan) return plan;
    const record = newRecord(plan, {
      taskName: name,
      taskType,
      tableNameWithType: table.name,
      trigger,
      nowMs,
    });
    const stored: StoredTask = {
      record,
      sourceTableId: table.record.tableId,
      targetTableId: registry.get(plan.commit.targetTable).record.tableId,
      work: plan.subtasks.map(({ work }) => work),
      outputs: plan.subtasks.map(() => null),
      commit: plan.commit,
      timeoutMs: periodOf(configs, 'taskTimeout', '1h'),
      attemptsMax: countOf(configs, 'maxAttemptsPerTask', 3),
    };
    await this.#runner.add(stored);
    return record;
  }

  /**
   * Creates the tasks that are due, until it is stopped. Tasks that were due while no server was
   * running are not created later; those that were due while the disk took no writes are, once. If
   * the clock jumps ahead, a schedule is due once; if it is set back, schedules follow the new
   * time.
   */
  async #tick(): Promise<void> {
    const { clock, registry, onFailed } = this.#options;
    const { signal } = this.#closing;
    /** The tasks to create, by type and table. */
    const pending = new Map<string, DueTask>();
    /** The messages about schedules that cannot be parsed. */
    const reported = new Set<string>();
    const onInvalid = (error: QuireError): void => {
      if (!reported.has(error.message)) onFailed?.(error);
      reported.add(error.message);
    };
    for (let sinceMs = clock.nowMs(); !signal.aborted;) {
      await sleepUnlessAborted(clock, tickMs, signal);
      const nowMs = clock.nowMs();
      if (signal.aborted) return;
      await this.#runner.resumeRestored().catch((error: unknown) => onFailed?.(error));
      for (const due of dueTasks(registry.tables, { sinceMs, nowMs }, onInvalid)) {
        const key = `${due.taskType} ${due.tableNameWithType}`;
        pending.set(key, pending.get(key) ?? due);
      }
      for (const [key, due] of pending) {
        if (await this.#createDue(due)) pending.delete(key);
        else pending.set(key, { ...due, isReported: true });
      }
      sinceMs = nowMs;
    }
  }

  /**
   * Creates a task that is due, if its table is still there and has something to do. Resolves to
   * false if the disk takes no writes; all other failures are reported only.
   */
  async #createDue({ taskType, tableNameWithType, isReported }: DueTask): Promise<boolean> {
    const { registry, directory, onFailed } = this.#options;
    try {
      const { config } = registry.get(tableNameWithType).record;
      const configs = taskOptionsOf(config, taskType);
      if (configs !== undefined) {
        await this.#make({ taskType, tableNameWithType, trigger: 'CRON_TRIGGER', configs });
      }
      return true;
    } catch (thrown) {
      if (isQuireError(thrown, 'TABLE_NOT_FOUND')) return true; // it was deleted in the meantime
      const cause = await causeOf(thrown, directory.root);
      if (diskProblemOf(cause) !== undefined) {
        if (isReported !== true) onFailed?.(cause);
        return false;
      }
      const reason = isQuireError(cause) ? cause.message : String(cause);
      const message = `${taskType} for ${tableNameWithType}: ${reason}`;
      onFailed?.(new QuireError('INTERNAL', message, { cause }));
      return true;
    }
  }
}

function newRecord(
  plan: TaskPlan,
  about: Pick<TaskRecord, 'taskName' | 'taskType' | 'tableNameWithType' | 'trigger'> & {
    readonly nowMs: number;
  },
): TaskRecord {
  const { nowMs, ...names } = about;
  return {
    ...names,
    state: 'NOT_STARTED',
    createdMs: nowMs,
    startedMs: null,
    finishedMs: null,
    subtasks: plan.subtasks.map(({ configs }, index) => {
      const subtaskId = `${names.taskName}_${index}`;
      return {
        subtaskId,
        state: 'WAITING',
        startedMs: null,
        finishedMs: null,
        participant: null,
        info: null,
        attemptCount: 0,
        progress: null,
        configs: { ...configs, TASK_ID: subtaskId, triggeredBy: names.trigger ?? '' },
      };
    }),
  };
}

/** Checks the name of a task, which becomes a file name. @throws INVALID_PARAMETER */
function nameOf(taskType: string, given: string): string {
  const name = given.startsWith('Task_') ? given : `Task_${taskType}_${given}`;
  if (namePattern.test(name)) return name;
  throw new QuireError(
    'INVALID_PARAMETER',
    `taskName is '${given.slice(0, 100)}'; expected letters, digits, _, - and dots.`,
  );
}

interface DueTask {
  readonly taskType: string;
  readonly tableNameWithType: string;
  /** True if it could not be created so far, and the reason was reported. */
  readonly isReported?: boolean;
}

/**
 * Returns the tasks whose `schedule`, a cron expression in UTC, matches a time in `(sinceMs,
 * nowMs]`.
 *
 * @param onInvalid called for expressions that cannot be parsed
 */
function dueTasks(
  tables: readonly ServedTable[],
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
  onInvalid: (error: QuireError) => void,
): readonly DueTask[] {
  return tables.flatMap((table) =>
    taskTypes.flatMap((taskType): DueTask[] => {
      const schedule = taskOptionsOf(table.record.config, taskType)?.['schedule'];
      if (schedule === undefined) return [];
      try {
        const next = parseSchedule(schedule).nextRun(new Date(sinceMs));
        return next !== null && next.getTime() <= nowMs
          ? [{ taskType, tableNameWithType: table.name }]
          : [];
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        onInvalid(
          new QuireError(
            'INVALID_SETTING',
            `${table.name}: the schedule ‘${schedule}’ of ${taskType} cannot be followed: ${reason}`,
            { cause },
          ),
        );
        return [];
      }
    }),
  );
}
