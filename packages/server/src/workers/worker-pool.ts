import { type Clock, QuireError, systemClock } from '@quire/core';
import { Deadline, sleepUnlessAborted, Slots, unlessAborted } from '@quire/core/wait';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import type { WorkerKind, WorkerLimits } from './worker-kind.ts';
import {
  type CallHandlers,
  type WorkerEnd,
  WorkerProcess,
  type WorkOptions,
} from './worker-process.ts';

/** The setup of a pool's processes, and its callbacks. */
export interface WorkerPoolOptions<Setup> {
  readonly setup: Setup;
  readonly limits: WorkerLimits;
  /**
   * The handlers for calls of processes, with or without work; those of their work take precedence.
   */
  readonly handlers?: CallHandlers | undefined;
  readonly clock?: Clock;
  /** Called when a process ended without a request of the pool. */
  readonly onKilled?: (killed: WorkerEnd) => void;
  /**
   * Called when a process could not be started ahead; the caller with the next work also receives
   * the error.
   */
  readonly onStartFailed?: (error: unknown) => void;
}

/** The options of a piece of work. */
export interface RunOptions {
  /** Cancels the work; if it has not ended after the grace period, its process is killed. */
  readonly signal?: AbortSignal | undefined;
  readonly timeLimit?: TimeLimit | undefined;
  /** The handlers for calls of the work. */
  readonly handlers?: CallHandlers | undefined;
  /** Called when the process ended before it answered, before `run` rejects. */
  readonly onGone?: ((end: WorkerEnd) => void) | undefined;
}

/** The timeout of a piece of work, and its setting, for messages. */
export interface TimeLimit {
  /** The timeout from the start of the work in its process, without waiting for a process. */
  readonly maxMs: number;
  readonly setting: string;
  /** The maximum wait for the start; default: unlimited. */
  readonly startMaxMs?: number | undefined;
}

/** The members of a kind that a pool uses if its limits are given. */
type PooledKind<Setup, Input, Output> = Pick<
  WorkerKind<Setup, Input, Output>,
  'name' | 'module' | 'open'
>;

type StartedOptions = RunOptions & Pick<WorkOptions, 'onStarted'>;

/** The number of processes in a pool, and the number of killed ones. */
export interface WorkerPoolStatus {
  readonly count: number;
  readonly busyCount: number;
  /** Processes that were killed or died since the pool was created, by reason. */
  readonly killed: { readonly time: number; readonly memory: number; readonly crash: number };
}

/**
 * A bounded number of reusable processes, started ahead, that run one piece of work each at a time.
 * Work that exceeds its memory, or does not end when it is cancelled, is ended with its process,
 * without an effect on other work. No process outlives this one.
 */
export class WorkerPool<Setup, Input, Output> implements AsyncDisposable {
  readonly #kind: PooledKind<Setup, Input, Output>;
  readonly #options: WorkerPoolOptions<Setup>;
  readonly #clock: Clock;
  readonly #slots: Slots;
  readonly #all = new Set<WorkerProcess>();
  /** Idle processes, most recently used last. */
  readonly #idle: WorkerProcess[] = [];
  /** The times at which processes became idle. */
  readonly #idleSinceMs = new WeakMap<WorkerProcess, number>();
  /** Starting processes that no work waits for. */
  readonly #startingAhead: Promise<WorkerProcess>[] = [];
  /** Processes that stop after their current work. */
  readonly #retired = new WeakSet<WorkerProcess>();
  readonly #closing = new AbortController();
  /** Promises that must settle before the pool is closed. */
  readonly #inProgress = new Set<Promise<unknown>>();
  readonly #killed = { time: 0, memory: 0, crash: 0 };
  #setup: Setup;
  #busyCount = 0;

  constructor(kind: PooledKind<Setup, Input, Output>, options: WorkerPoolOptions<Setup>) {
    this.#kind = kind;
    this.#options = options;
    this.#setup = options.setup;
    this.#clock = options.clock ?? systemClock;
    this.#slots = new Slots(options.limits.sizeMax);
  }

  /**
   * Opens a pool with the limits in the settings for its kind of work. Logs which processes were
   * killed, and why.
   */
  static open<Setup, Input, Output>(
    kind: WorkerKind<Setup, Input, Output>,
    settings: Settings,
    {
      logger,
      onKilled,
      ...dependencies
    }: Omit<WorkerPoolOptions<Setup>, 'setup' | 'limits'> & { readonly logger: Logger },
  ): WorkerPool<Setup, Input, Output> {
    return new WorkerPool(kind, {
      setup: kind.setup(settings),
      limits: kind.limits(settings),
      ...dependencies,
      onKilled: (killed) => {
        onKilled?.(killed);
        const { isAbandoned, ...about } = killed;
        // Callers may leave or cancel at any time: a warning is for limits and crashes.
        logger[isAbandoned ? 'info' : 'warn'](
          about,
          `a worker was terminated with its ${kind.name}`,
        );
      },
      onStartFailed: (error) => logger.error({ err: error }, 'a worker could not be started'),
    });
  }

  get status(): WorkerPoolStatus {
    return { count: this.#all.size, busyCount: this.#busyCount, killed: { ...this.#killed } };
  }

  /** Sets the setup of processes that start from now on. */
  replaceSetup(setup: Setup): void {
    this.#setup = setup;
  }

  /**
   * Replaces processes whose resident memory exceeds `maxBytes` by new ones with the current setup,
   * and starts processes up to the number that is kept ready. The old ones run the work that
   * arrives before the new ones are ready, and are then stopped.
   */
  replaceAbove(maxBytes: number): void {
    const former = [...this.#all].filter(({ residentBytes }) => residentBytes > maxBytes);
    const keptCount = this.#all.size - former.length;
    const length = Math.max(0, this.#options.limits.sizeMin - keptCount);
    const starting = Array.from({ length }, () => this.#start());
    for (const each of starting) this.#setAhead(each);
    void Promise.allSettled(starting).then(() => {
      for (const worker of former) this.#retire(worker);
    });
  }

  /** Starts processes up to the number that is kept ready. */
  startAhead(): void {
    if (this.#closing.signal.aborted) return;
    // Counted before they start: `#all` does not contain a process that cannot be started.
    const missing = this.#options.limits.sizeMin - this.#all.size;
    for (let count = 0; count < missing; count += 1) this.#setAhead(this.#start());
  }

  /**
   * Runs a piece of work in a separate process, in order of arrival. It settles when that process
   * is free again or has ended: until then the process counts as busy.
   *
   * @throws the error of the work; the reason of `signal` if the work was killed for it;
   *   QUERY_LIMIT_EXCEEDED when it exceeded its memory or time; QUERY_TIMED_OUT when it did not
   *   start in time; INTERNAL when its process crashed; SHUTTING_DOWN
   */
  async run(input: Input, options: RunOptions = {}): Promise<Output> {
    const { signal, timeLimit } = options;
    if (timeLimit === undefined) return this.#track(input, signal, options);
    let hasStarted = false;
    const error = (timeoutMs: number): QuireError =>
      hasStarted
        ? timeExceeded(this.#kind.name, timeLimit)
        : notStarted(this.#kind.name, timeoutMs);
    using deadline = new Deadline({ clock: this.#clock, signal, error });
    if (timeLimit.startMaxMs !== undefined) deadline.start(timeLimit.startMaxMs);
    const onStarted = (): void => {
      hasStarted = true;
      deadline.start(timeLimit.maxMs);
    };
    return await this.#track(input, deadline.signal, { ...options, onStarted });
  }

  /** Kills every process immediately. The pool cannot be used afterwards. */
  killAll(): void {
    this.#closing.abort(shuttingDown(this.#kind.name));
    for (const worker of this.#all) worker.kill('stopped');
  }

  /**
   * Cancels all work, and ends all processes; those that do not end within the grace period are
   * killed.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(shuttingDown(this.#kind.name));
    await Promise.allSettled(this.#inProgress);
    for (const worker of this.#all) void this.#stop(worker);
    // A process that was large or replaced has been stopping since the end of its last work.
    await Promise.allSettled(this.#inProgress);
  }

  /** Runs a piece of work, which the end of the pool waits for. */
  async #track(
    input: Input,
    signal: AbortSignal | undefined,
    options: StartedOptions,
  ): Promise<Output> {
    const either =
      signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, signal]);
    const running = this.#run(input, either, options);
    this.#inProgress.add(running);
    try {
      return await running;
    } finally {
      this.#inProgress.delete(running);
    }
  }

  async #run(
    input: Input,
    signal: AbortSignal,
    { handlers = {}, onStarted, onGone }: StartedOptions,
  ): Promise<Output> {
    const release = await this.#slots.acquire(signal);
    try {
      for (;;) {
        const worker = await this.#take(signal);
        const wasIdle = this.#idleSinceMs.has(worker);
        let hasStarted = false;
        let isLost = false;
        this.#busyCount += 1;
        try {
          const options = {
            signal,
            handlers,
            onStarted: () => {
              hasStarted = true;
              onStarted?.();
            },
            onGone: (end: WorkerEnd) => {
              isLost =
                wasIdle && !hasStarted && (end.reason === 'crash' || end.reason === 'memory');
              if (!isLost) onGone?.(end);
            },
          };
          return (await worker.run(input, options)) as Output;
        } catch (error) {
          // An idle process had ended when it was given the work, such as one that the kernel chose
          // when memory was short, but its end was not known yet. The next process gets the work.
          if (!isLost || signal.aborted) throw error;
        } finally {
          this.#busyCount -= 1;
          this.#giveBack(worker);
        }
      }
    } finally {
      release();
    }
  }

  async #take(signal: AbortSignal): Promise<WorkerProcess> {
    for (let worker = this.#idle.pop(); worker !== undefined; worker = this.#idle.pop()) {
      if (!worker.hasEnded) return worker;
    }
    const starting = this.#startingAhead.shift() ?? this.#start();
    try {
      return await unlessAborted(starting, signal);
    } catch (error) {
      // The process starts too late for this work, but the next work may use it.
      if (signal.aborted) this.#setAhead(starting);
      throw error;
    }
  }

  /** Marks a starting process as available, so that queued work is assigned to it. */
  #setAhead(starting: Promise<WorkerProcess>): void {
    this.#startingAhead.push(starting);
    // If a caller has taken the process, that caller handles the failure.
    const isStillAhead = (): boolean => {
      const index = this.#startingAhead.indexOf(starting);
      if (index >= 0) void this.#startingAhead.splice(index, 1);
      return index >= 0;
    };
    starting.then(
      (worker) => isStillAhead() && this.#setIdle(worker),
      (error: unknown) => {
        if (isStillAhead() && !this.#closing.signal.aborted) this.#options.onStartFailed?.(error);
      },
    );
  }

  async #start(): Promise<WorkerProcess> {
    const worker = new WorkerProcess({
      kind: this.#kind,
      setup: this.#setup,
      limits: this.#options.limits,
      handlers: this.#options.handlers,
      clock: this.#clock,
    });
    this.#all.add(worker);
    void worker.ended.then((end) => this.#forget(worker, end));
    await worker.open();
    return worker;
  }

  /** Stops a process as soon as it has no work. */
  #retire(worker: WorkerProcess): void {
    const index = this.#idle.indexOf(worker);
    if (index < 0) return void this.#retired.add(worker);
    this.#idle.splice(index, 1);
    void this.#stop(worker);
  }

  #giveBack(worker: WorkerProcess): void {
    if (worker.hasEnded) return;
    // A process that has grown large stays large: a new one uses less.
    if (
      this.#retired.has(worker) ||
      worker.residentBytes > this.#options.limits.memory.maxBytes / 2
    ) {
      void this.#stop(worker);
    } else this.#setIdle(worker);
  }

  #setIdle(worker: WorkerProcess): void {
    if (this.#closing.signal.aborted || worker.hasEnded) return;
    this.#idle.push(worker);
    const isWatched = this.#idleSinceMs.has(worker);
    this.#idleSinceMs.set(worker, this.#clock.monotonicMs());
    if (!isWatched) void this.#stopWhenUnused(worker);
  }

  /**
   * Stops a process that has been idle for too long. A process has a single timer, because a timer
   * for each use would outlive the use.
   */
  async #stopWhenUnused(worker: WorkerProcess): Promise<void> {
    const { idleMs, sizeMin } = this.#options.limits;
    let leftMs = idleMs;
    for (;;) {
      await sleepUnlessAborted(this.#clock, leftMs, this.#closing.signal);
      if (this.#closing.signal.aborted || worker.hasEnded) return;
      const index = this.#idle.indexOf(worker);
      const idleSinceMs = this.#idleSinceMs.get(worker) ?? 0;
      leftMs = idleSinceMs + idleMs - this.#clock.monotonicMs();
      if (index >= 0 && leftMs <= 0 && this.#all.size > sizeMin) {
        this.#idle.splice(index, 1);
        await this.#stop(worker);
        return;
      }
      if (index < 0 || leftMs <= 0) leftMs = idleMs;
    }
  }

  async #stop(worker: WorkerProcess): Promise<void> {
    this.#all.delete(worker);
    const stopping = worker.stop();
    this.#inProgress.add(stopping);
    await stopping;
    this.#inProgress.delete(stopping);
  }

  #forget(worker: WorkerProcess, end: WorkerEnd): void {
    this.#all.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    if (end.reason !== 'stopped') {
      this.#killed[end.reason] += 1;
      this.#options.onKilled?.(end);
    }
    // A process that failed to open would fail again.
    if (worker.useCount > 0) this.startAhead();
  }
}

/** Returns the health of a pool's processes. */
export function workersHealth({ count, busyCount, killed }: WorkerPoolStatus): {
  readonly count: number;
  readonly busyCount: number;
  readonly killedCount: number;
} {
  return { count, busyCount, killedCount: killed.time + killed.memory + killed.crash };
}

function shuttingDown(work: string): QuireError {
  return new QuireError(
    'SHUTTING_DOWN',
    `The ${work} did not finish: the server is shutting down.`,
  );
}

function timeExceeded(work: string, { maxMs, setting }: TimeLimit): QuireError {
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `The ${work} exceeded its time limit of ${maxMs} ms (${setting}) and was terminated.`,
  );
}

function notStarted(work: string, startMaxMs: number): QuireError {
  return new QuireError(
    'QUERY_TIMED_OUT',
    `The ${work} did not start within ${startMaxMs} ms: no process was free.`,
  );
}
