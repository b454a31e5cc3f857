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

/** What the processes of a pool are opened with, and callbacks about them. */
export interface WorkerPoolOptions<Setup> {
  readonly setup: Setup;
  readonly limits: WorkerLimits;
  /** Answer what the processes call whether or not they have work; those of their work come first. */
  readonly handlers?: CallHandlers | undefined;
  readonly clock?: Clock;
  /** Called when a process ended by something else than the pool's own wish. */
  readonly onKilled?: (killed: WorkerEnd) => void;
  /** Called when a process could not be started ahead; the caller that brings work is told as well. */
  readonly onStartFailed?: (error: unknown) => void;
}

/** How a piece of work is run. */
export interface RunOptions {
  /** Cancels the work; when it has not ended after the grace, its process is killed. */
  readonly signal?: AbortSignal | undefined;
  readonly timeLimit?: TimeLimit | undefined;
  /** Answer what the work calls. */
  readonly handlers?: CallHandlers | undefined;
  /** Called when the process ended before it gave an answer, before `run` rejects. */
  readonly onGone?: ((end: WorkerEnd) => void) | undefined;
}

/** How long a piece of work may take, and the setting that says so, for messages. */
export interface TimeLimit {
  /** Counted from when the work starts in its process: waiting for a process is not its own time. */
  readonly maxMs: number;
  readonly setting: string;
  /** How long it may wait until it starts; default: as long as it takes. */
  readonly startMaxMs?: number | undefined;
}

/** What a pool needs to know of a kind whose limits it is given. */
type PooledKind<Setup, Input, Output> = Pick<
  WorkerKind<Setup, Input, Output>,
  'name' | 'module' | 'open'
>;

type StartedOptions = RunOptions & Pick<WorkOptions, 'onStarted'>;

/** How many processes a pool has, and how many of them were killed. */
export interface WorkerPoolStatus {
  readonly count: number;
  readonly busyCount: number;
  /** Processes that were killed or died since the pool was made, by reason. */
  readonly killed: { readonly time: number; readonly memory: number; readonly crash: number };
}

/**
 * A bounded number of processes, started ahead and used again, that run one piece of work each at a
 * time. Work that exceeds its memory, or does not end when it is told to, is ended with its
 * process, and costs nobody but itself. No process outlives this one.
 */
export class WorkerPool<Setup, Input, Output> implements AsyncDisposable {
  readonly #kind: PooledKind<Setup, Input, Output>;
  readonly #options: WorkerPoolOptions<Setup>;
  readonly #clock: Clock;
  readonly #slots: Slots;
  readonly #all = new Set<WorkerProcess>();
  /** Free ones, the one that worked last at the end. */
  readonly #idle: WorkerProcess[] = [];
  /** When each of those that have worked was last given back. */
  readonly #idleSinceMs = new WeakMap<WorkerProcess, number>();
  /** Those that start, and that no work waits for yet. */
  readonly #startingAhead: Promise<WorkerProcess>[] = [];
  /** Those that stop after the work that they do now. */
  readonly #retired = new WeakSet<WorkerProcess>();
  readonly #closing = new AbortController();
  /** What must have ended before the pool is closed. */
  readonly #underWay = new Set<Promise<unknown>>();
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
   * Opens a pool with the limits that the settings give its kind of work. Its log says which
   * processes were killed, and why.
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
        const { pid, reason, detail } = killed;
        logger.warn({ pid, reason, detail }, `a worker ended with its ${kind.name}`);
      },
      onStartFailed: (error) => logger.error({ err: error }, 'a worker could not be started'),
    });
  }

  get status(): WorkerPoolStatus {
    return { count: this.#all.size, busyCount: this.#busyCount, killed: { ...this.#killed } };
  }

  /** Sets what processes that start from now on are opened with. */
  replaceSetup(setup: Setup): void {
    this.#setup = setup;
  }

  /**
   * Replaces all processes by new ones, opened as processes are from now on. Work that arrives
   * before those are ready is done by the former, which are stopped then.
   */
  replaceAll(): void {
    const former = [...this.#all];
    const starting = Array.from({ length: this.#options.limits.sizeMin }, () => this.#start());
    for (const each of starting) this.#setAhead(each);
    void Promise.allSettled(starting).then(() => {
      for (const worker of former) this.#retire(worker);
    });
  }

  /** Starts as many processes as are to be kept ready. */
  startAhead(): void {
    while (!this.#closing.signal.aborted && this.#all.size < this.#options.limits.sizeMin) {
      this.#setAhead(this.#start());
    }
  }

  /**
   * Runs a piece of work in a process of its own; first come, first served. It settles when that
   * process is free again or gone: until then it counts as busy.
   *
   * @throws what the work throws; the reason of `signal` when the work had to be killed for it;
   * QUERY_LIMIT_EXCEEDED when it took more memory or time than it may; QUERY_TIMED_OUT when it did
   * not start in time; INTERNAL when its process crashed; SHUTTING_DOWN
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

  /** Kills every process at once. The pool cannot be used afterwards. */
  killAll(): void {
    this.#closing.abort(shuttingDown(this.#kind.name));
    for (const worker of this.#all) worker.kill('stopped');
  }

  /**
   * Cancels the work under way, and ends all processes: those that do not end by themselves within
   * the grace are killed.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(shuttingDown(this.#kind.name));
    await Promise.allSettled(this.#underWay);
    await Promise.all([...this.#all].map((worker) => this.#stop(worker)));
  }

  /** Runs a piece of work, and lets the end of the pool wait for it. */
  async #track(
    input: Input,
    signal: AbortSignal | undefined,
    options: StartedOptions,
  ): Promise<Output> {
    const either =
      signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, signal]);
    const running = this.#run(input, either, options);
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  async #run(
    input: Input,
    signal: AbortSignal,
    { handlers = {}, onStarted, onGone }: StartedOptions,
  ): Promise<Output> {
    const release = await this.#slots.acquire(signal);
    try {
      const worker = await this.#take(signal);
      this.#busyCount += 1;
      try {
        const options = { signal, handlers, onStarted, onGone };
        return (await worker.run(input, options)) as Output;
      } finally {
        this.#busyCount -= 1;
        this.#giveBack(worker);
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
      // Too late for this work; the next may have it.
      if (signal.aborted) this.#setAhead(starting);
      throw error;
    }
  }

  /** Marks a starting process as available, so that queued work is assigned to it. */
  #setAhead(starting: Promise<WorkerProcess>): void {
    this.#startingAhead.push(starting);
    // The caller that has taken it in the meantime handles it.
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
    // One that has grown large stays so: a fresh one takes less.
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

  /** Runs once for each process: a timer for each use would outlive the use. */
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
    this.#underWay.add(stopping);
    await stopping;
    this.#underWay.delete(stopping);
  }

  #forget(worker: WorkerProcess, end: WorkerEnd): void {
    this.#all.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    if (end.reason !== 'stopped') {
      this.#killed[end.reason] += 1;
      this.#options.onKilled?.(end);
    }
    // One that did not even open would not open the next time either.
    if (worker.useCount > 0) this.startAhead();
  }
}

/** Returns what health says of the processes of a pool. */
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
    `The ${work} was not run to its end: the server is shutting down.`,
  );
}

function timeExceeded(work: string, { maxMs, setting }: TimeLimit): QuireError {
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `The ${work} exceeded its time limit of ${maxMs} ms (${setting}) and was ended.`,
  );
}

function notStarted(work: string, startMaxMs: number): QuireError {
  return new QuireError(
    'QUERY_TIMED_OUT',
    `The ${work} did not start within ${startMaxMs} ms: no process was free.`,
  );
}
