import { isQuireError, QuireError } from '@quire/core';
import type { TaskRecord } from '@quire/core/table-engine';
import { Deadline, sleepUnlessAborted, Slots } from '@quire/core/wait';
import type { ServedTable } from '../served-table.ts';
import { attemptSubtask } from './attempt-subtask.ts';
import { DamagedTasks } from './damaged-tasks.ts';
import { commitTask, hasCommitted, releaseFiles, tablesOf } from './commit-task.ts';
import type { TaskEngineOptions } from './task-engine-options.ts';
import type { SubtaskOutput } from './task-plan.ts';
import { applyTaskEvent, isActive, isReadyToCommit, type TaskEvent } from './task-state.ts';
import type { StoredTask, TaskStore } from './task-store.ts';
import { isFinal } from './task-transitions.ts';

export type TaskRunnerOptions = TaskEngineOptions & { readonly store: TaskStore };

/** The default number of subtasks that run concurrently. */
const runningMaxDefault = 2;
const retryAfterMs = 2_000;
/**
 * The number of additional attempts after interruptions of the process, for which the work may not
 * be the cause.
 */
const restartsMax = 10;
/** The number of finished tasks of a type that are kept. */
const finishedMax = 100;

/** The outcome of one attempt: its output, or the error that prevented it. */
type Outcome = SubtaskOutput | { readonly error: unknown; readonly signal: AbortSignal };

/**
 * Runs tasks, a few subtasks at a time. Every step is on disk before the next one depends on it;
 * `damaged` has the tasks that are set aside.
 */
export class TaskRunner implements AsyncDisposable {
  readonly #options: TaskRunnerOptions;
  readonly #tasks = new Map<string, StoredTask>();
  readonly #stopped = new Set<string>();
  readonly #running = new Map<string, AbortController>();
  readonly #progress = new Map<string, string>();
  /** The names of tasks, and the ids of subtasks, that wait to be retried. */
  readonly #waiting = new Set<string>();
  readonly #works = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #changes = new Slots(1);
  readonly damaged: DamagedTasks;

  private constructor(options: TaskRunnerOptions) {
    this.#options = options;
    this.damaged = new DamagedTasks(options);
  }

  static async open(options: TaskRunnerOptions): Promise<TaskRunner> {
    const runner = new TaskRunner(options);
    for (const taskType of await runner.damaged.readStoppedTypes()) runner.#stopped.add(taskType);
    const { tasks, damaged } = await options.store.readAll();
    for (const task of damaged) runner.damaged.setAside(task);
    for (const task of tasks) runner.#tasks.set(task.record.taskName, task);
    for (const { record } of runner.#stored()) await runner.#resumeTask(record.taskName);
    runner.#pump();
    return runner;
  }

  /** Resumes tasks that were set aside and whose records are intact again. */
  async resumeRestored(): Promise<void> {
    // In one turn, because a call may cancel them at the same time.
    const restored = await this.#changes.run(async () => {
      const tasks = await this.damaged.restore();
      for (const task of tasks) this.#tasks.set(task.record.taskName, task);
      return tasks;
    });
    for (const { record } of restored) await this.#resumeTask(record.taskName);
    this.#pump();
  }

  /** Stops the work; it continues when the directory is opened again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new QuireError('SHUTTING_DOWN', 'The table server is shutting down.'));
    await Promise.all(this.#works);
    await this.#changes.run(async () => undefined);
  }

  /** Newest first. */
  get tasks(): readonly TaskRecord[] {
    return this.#stored()
      .map(({ record }) => this.#withProgress(record))
      .toReversed();
  }

  /** @throws TASK_NOT_FOUND */
  read(taskName: string): TaskRecord {
    return this.#withProgress(this.#get(taskName).record);
  }

  isStopped(taskType: string): boolean {
    return this.#stopped.has(taskType);
  }

  async add(task: StoredTask): Promise<void> {
    await this.#changes.run(async () => {
      await this.#put(task);
      const ended = this.#stored().filter(
        ({ record }) => record.taskType === task.record.taskType && isFinal(record.state),
      );
      for (const { record } of ended.slice(0, Math.max(0, ended.length - finishedMax))) {
        await this.#options.store.remove(record.taskName);
        this.#tasks.delete(record.taskName);
      }
    });
    this.#pump();
  }

  /** @throws TASK_NOT_FOUND; CONFLICT when it has ended, or its outputs are in the table already */
  async cancel(taskName: string): Promise<void> {
    const isDiscarded = await this.#changes.run(async () => {
      if (this.damaged.find(taskName) === undefined) return false;
      await this.damaged.discard(taskName);
      return true;
    });
    if (isDiscarded) return;
    await this.#apply(taskName, { kind: 'cancel' });
    this.#halt((task) => task.record.taskName === taskName);
  }

  async setStopped(taskType: string, isStopped: boolean): Promise<void> {
    await this.#changes.run(async () => {
      const types = new Set(this.#stopped).add(taskType);
      if (!isStopped) types.delete(taskType);
      await this.damaged.writeStoppedTypes([...types].toSorted());
      if (isStopped) this.#stopped.add(taskType);
      else this.#stopped.delete(taskType);
    });
    const affected = this.#stored().filter(
      ({ record }) => record.taskType === taskType && !isFinal(record.state),
    );
    for (const { record } of affected) {
      await this.#apply(record.taskName, { kind: isStopped ? 'stop' : 'resume' });
    }
    if (isStopped) {
      this.#halt(({ record }) => record.taskType === taskType && record.state === 'STOPPING');
    }
    this.#pump();
  }

  /** Oldest first. */
  #stored(): readonly StoredTask[] {
    const time = ({ record }: StoredTask): number => record.createdMs ?? 0;
    return [...this.#tasks.values()].toSorted((left, right) => time(left) - time(right));
  }

  #get(taskName: string): StoredTask {
    const task = this.#tasks.get(taskName) ?? this.damaged.find(taskName);
    if (task !== undefined && !isQuireError(task)) return task;
    throw task ?? new QuireError('TASK_NOT_FOUND', `There is no task '${taskName.slice(0, 200)}'.`);
  }

  #withProgress(record: TaskRecord): TaskRecord {
    const subtasks = record.subtasks.map((each) => ({
      ...each,
      progress: this.#progress.get(each.subtaskId) ?? null,
    }));
    return { ...record, subtasks };
  }

  /** Starts waiting subtasks, the oldest first, up to the limit. */
  #pump(): void {
    const runningMax = this.#options.ingestion.subtasksMax ?? runningMaxDefault;
    for (const { record } of this.#stored()) {
      if (!isActive(record) || this.#stopped.has(record.taskType)) continue;
      for (const [index, { subtaskId, state }] of record.subtasks.entries()) {
        if (this.#running.size >= runningMax || this.#closing.signal.aborted) return;
        if (state !== 'WAITING' || this.#running.has(subtaskId) || this.#waiting.has(subtaskId)) {
          continue;
        }
        const aborter = new AbortController();
        this.#running.set(subtaskId, aborter);
        const work = this.#work(record.taskName, index, aborter).finally(() => {
          this.#works.delete(work);
          this.#running.delete(subtaskId);
          this.#progress.delete(subtaskId);
          this.#pump();
        });
        this.#works.add(work);
      }
    }
  }

  #halt(concerns: (task: StoredTask) => boolean): void {
    for (const task of this.#tasks.values()) {
      const aborters = concerns(task)
        ? task.record.subtasks.map(({ subtaskId }) => this.#running.get(subtaskId))
        : [];
      for (const aborter of aborters) {
        aborter?.abort(new QuireError('ABORTED', 'The task was stopped.'));
      }
    }
  }

  async #work(taskName: string, index: number, aborter: AbortController): Promise<void> {
    try {
      await this.#apply(taskName, {
        kind: 'started',
        index,
        participant: this.#options.instanceName,
      });
      const task = this.#get(taskName);
      if (task.record.subtasks[index]?.state !== 'RUNNING') return;
      await this.#settle(task, index, await this.#attempt(task, index, aborter.signal));
    } catch (error) {
      // The disk is full or missing: the subtask still waits.
      this.#options.onFailed?.(error);
      this.#later(`${taskName}_${index}`);
    }
  }

  async #attempt(task: StoredTask, index: number, aborted: AbortSignal): Promise<Outcome> {
    const { timeoutMs } = task;
    using deadline = new Deadline({
      clock: this.#options.clock,
      timeoutMs,
      signal: aborted,
      error: tooLong,
    });
    const { signal } = deadline;
    try {
      const subtaskId = task.record.subtasks[index]?.subtaskId ?? '';
      const onProgress = (sentence: string): void => void this.#progress.set(subtaskId, sentence);
      return await attemptSubtask(task, index, {
        parts: this.#options,
        signal: AbortSignal.any([signal, this.#closing.signal]),
        onProgress,
      });
    } catch (error) {
      return { error, signal };
    }
  }

  /**
   * Records the outcome of an attempt. As long as it cannot be written, the outcome is kept, and
   * the subtask is RUNNING: nothing else would end it.
   */
  async #settle(task: StoredTask, index: number, outcome: Outcome): Promise<void> {
    const { taskName } = task.record;
    const event = this.#eventOf(taskName, index, outcome);
    const output = 'error' in outcome ? undefined : outcome;
    const { clock, onFailed } = this.#options;
    const { signal: closing } = this.#closing;
    // A restart continues a subtask that the end of the process interrupted.
    if (output === undefined && closing.aborted) return;
    for (;;) {
      try {
        await this.#apply(taskName, event, output);
        break;
      } catch (error) {
        if (isQuireError(error, 'TASK_NOT_FOUND')) {
          // It was cancelled, and other tasks that have ended since took its place in the list.
          if (output !== undefined) await releaseFiles(task, [output], this.#options.registry);
          return;
        }
        onFailed?.(error);
      }
      await sleepUnlessAborted(clock, retryAfterMs, closing);
      if (closing.aborted) return;
    }
    this.#halt(
      ({ record }) =>
        record.taskName === taskName &&
        (record.state === 'FAILING' || record.state === 'TIMING_OUT'),
    );
  }

  #eventOf(taskName: string, index: number, outcome: Outcome): TaskEvent {
    if (!('error' in outcome)) return { kind: 'done', index, info: outcome.info };
    const { error, signal } = outcome;
    if (this.#closing.signal.aborted) return { kind: 'halted', index };
    if (signal.aborted) {
      const reason = signal.reason as QuireError;
      return reason.code === 'QUERY_TIMED_OUT'
        ? { kind: 'timedOut', index, info: reason.message }
        : { kind: 'halted', index };
    }
    const { record, attemptsMax } = this.#get(taskName);
    const { attemptCount = 1, subtaskId = '' } = record.subtasks[index] ?? {};
    // Invalid input and exceeded limits fail every time, so they are not retried.
    const isHopeless =
      isQuireError(error) && (error.kind === 'invalid' || error.code === 'QUERY_LIMIT_EXCEEDED');
    const isLast = isHopeless || attemptCount >= attemptsMax;
    if (!isLast) this.#later(subtaskId);
    // The log has the stack of an unexpected error; the record of the task has its message.
    if (!isQuireError(error)) this.#options.onFailed?.(error);
    return { kind: 'failed', index, info: reasonOf(error), isFinal: isLast };
  }

  /** Runs work for a task or subtask after a while, and then starts waiting subtasks. */
  #later(key: string, work?: () => Promise<void>): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    const wait = this.#waitFor(key, work).finally(() => this.#works.delete(wait));
    this.#works.add(wait);
  }

  async #waitFor(key: string, work?: () => Promise<void>): Promise<void> {
    await sleepUnlessAborted(this.#options.clock, retryAfterMs, this.#closing.signal);
    this.#waiting.delete(key);
    if (this.#closing.signal.aborted) return;
    await work?.();
    this.#pump();
  }

  /**
   * Resumes a task. A failure, such as a disk that cannot be written, must not prevent other tasks
   * from being resumed: it is reported, and this task is resumed later.
   */
  async #resumeTask(taskName: string): Promise<void> {
    await this.#orResumeLater(taskName, () => this.#recover(taskName));
  }

  async #orResumeLater(taskName: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onFailed?.(error);
      this.#later(taskName, () => this.#resumeTask(taskName));
    }
  }

  /**
   * Holds the outputs of a task that has not ended, requeues its subtasks that were running when
   * the process ended, and commits finished work that was not visible yet.
   */
  async #recover(taskName: string): Promise<void> {
    const task = await this.#changes.run(async () => this.#holdOutputs(taskName));
    if (task === undefined) return;
    for (const [index, subtask] of task.record.subtasks.entries()) {
      const { subtaskId, state, attemptCount } = subtask;
      if (state !== 'RUNNING' || this.#running.has(subtaskId)) continue;
      const isTooOften = attemptCount >= task.attemptsMax + restartsMax;
      const info = `The process of the subtask ended unexpectedly ${attemptCount} times.`;
      await this.#apply(
        taskName,
        isTooOften ? { kind: 'failed', index, info, isFinal: true } : { kind: 'halted', index },
      );
    }
    await this.#changes.run(async () => {
      const after = this.#tasks.get(taskName);
      if (after !== undefined && isReadyToCommit(after.record)) await this.#commit(after);
    });
  }

  /** Returns a task whose outputs are held; undefined if it has ended. */
  #holdOutputs(taskName: string): StoredTask | undefined {
    const task = this.#tasks.get(taskName);
    if (task === undefined || isFinal(task.record.state)) return undefined;
    const target = this.#targetOf(task);
    for (const { file } of task.outputs.flatMap((output) => output?.segments ?? [])) {
      target?.holdFile(file);
    }
    return task;
  }

  #targetOf({ targetTableId }: StoredTask): ServedTable | undefined {
    return this.#options.registry.tables.find(({ record }) => record.tableId === targetTableId);
  }

  /**
   * @throws CONFLICT when a task is to be cancelled that has ended, or whose outputs are in the
   *   table
   */
  #apply(taskName: string, event: TaskEvent, output?: SubtaskOutput): Promise<void> {
    return this.#changes.run(async () => {
      const before = this.#get(taskName);
      const nowMs = this.#options.clock.nowMs();
      let record = applyTaskEvent(before.record, event, nowMs);
      if (record === before.record) {
        if (output !== undefined) await releaseFiles(before, [output], this.#options.registry);
        return;
      }
      // Its type was resumed while the task was stopping.
      if (record.state === 'STOPPED' && !this.#stopped.has(record.taskType)) {
        record = applyTaskEvent(record, { kind: 'resume' }, nowMs);
      }
      if (event.kind === 'cancel') this.#assertInvisible(before);
      const outputs =
        output === undefined || event.kind !== 'done'
          ? before.outputs
          : before.outputs.with(event.index, output);
      const after = { ...before, record, outputs };
      await this.#put(after);
      if (isReadyToCommit(record)) await this.#commit(after);
    });
  }

  /** @throws CONFLICT when the outputs of a task are in the table */
  #assertInvisible(task: StoredTask): void {
    const target = this.#targetOf(task);
    if (target === undefined || !hasCommitted(task, target.segments.manifest)) return;
    throw new QuireError(
      'CONFLICT',
      `Task ${task.record.taskName} can no longer be cancelled: its segments are in ${target.name}. It completes once that can be recorded.`,
    );
  }

  /**
   * Commits a finished task. A failure that may pass, such as that of a full disk, is reported, and
   * the commit is repeated: part of it may have happened.
   */
  async #commit(task: StoredTask): Promise<void> {
    await this.#orResumeLater(task.record.taskName, () => this.#commitOnce(task));
  }

  async #commitOnce(task: StoredTask): Promise<void> {
    const { clock, store } = this.#options;
    let event: TaskEvent = { kind: 'committed' };
    try {
      await commitTask(task, {
        ...tablesOf(task, this.#options.registry),
        store,
        nowMs: clock.nowMs(),
      });
    } catch (error) {
      // Its inputs or a table are gone, and nothing has changed. Other failures may pass.
      if (!isQuireError(error, 'CONFLICT', 'TABLE_NOT_FOUND')) throw error;
      event = { kind: 'commitFailed', info: reasonOf(error) };
    }
    await this.#put({ ...task, record: applyTaskEvent(task.record, event, clock.nowMs()) });
  }

  /** Stores a task. Callers see it as ended only after its files were released. */
  async #put(task: StoredTask): Promise<void> {
    await this.#options.store.write(task);
    if (isFinal(task.record.state)) await releaseFiles(task, task.outputs, this.#options.registry);
    this.#tasks.set(task.record.taskName, task);
  }
}

/** Returns the error for a task that exceeded its timeout. */
function tooLong(timeoutMs: number): QuireError {
  return new QuireError(
    'QUERY_TIMED_OUT',
    `The subtask exceeded the timeout of its task, ${timeoutMs} ms.`,
  );
}

/** Returns the reason for a failure, including its causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let text = isQuireError(error) ? error.message : String(error);
  for (let { cause } = error; cause instanceof Error; { cause } = cause) {
    if (!text.includes(cause.message)) text += `\nCaused by: ${cause.message}`;
  }
  return text;
}
