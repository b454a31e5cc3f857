import { type Clock, QuireError, systemClock } from '@quire/core';
import { sleepUnlessAborted, Slots, unlessAborted } from '@quire/core/wait';
import {
  type CallHandlers,
  type WorkerEnd,
  WorkerProcess,
  type WorkerProcessOptions,
} from './worker-process.ts';

/** The processes of a pool: how many, their module, and their limits. */
export interface WorkerPoolOptions extends Omit<WorkerProcessOptions, 'clock' | 'setup'> {
  /** Handed to `openWorker` of every process. */
  readonly setup: unknown;
  /** Processes at most; further work waits. */
  readonly sizeMax: number;
  /** Processes that are kept ready though there is no work. */
  readonly sizeMin: number;
  /** How long a process above `sizeMin` may be without work before it is stopped. */
  readonly idleMs: number;
  /** Between asking work to end and killing its process. */
  readonly killGraceMs: number;
  readonly clock?: Clock;
  /** Told of every process that ended by something else than the pool's own wish. */
  readonly onKilled?: (killed: WorkerEnd) => void;
  /**
   * Told when a process could not be started ahead; the caller that brings work is told as well.
   */
  readonly onStartFailed?: (error: unknown) => void;
}

/** How a piece of work is run. */
export interface RunOptions {
  /** Cancels the work; when it has not ended after the grace, its process is killed. */
  readonly signal?: AbortSignal | undefined;
  /** Answer what the work calls. */
  readonly handlers?: CallHandlers | undefined;
  /** Told when the process ended before it gave an answer, before `run` rejects. */
  readonly onGone?: ((end: WorkerEnd) => void) | undefined;
}

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
export class WorkerPool implements AsyncDisposable {
  readonly #options: WorkerPoolOptions;
  readonly #clock: Clock;
  readonly #slots: Slots;
  readonly #all = new Set<WorkerProcess>();
  /** Free ones, the one that worked last at the end. */
  readonly #idle: WorkerProcess[] = [];
  /** Those that start, and that no work waits for yet. */
  readonly #startingAhead: Promise<WorkerProcess>[] = [];
  /** Those that stop after the work that they do now. */
  readonly #retired = new WeakSet<WorkerProcess>();
  readonly #closing = new AbortController();
  /** What must have ended before the pool is closed. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #killed = { time: 0, memory: 0, crash: 0 };
  #setup: unknown;
  #busyCount = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#setup = options.setup;
    this.#clock = options.clock ?? systemClock;
    this.#slots = new Slots(options.sizeMax);
  }

  get status(): WorkerPoolStatus {
    return { count: this.#all.size, busyCount: this.#busyCount, killed: { ...this.#killed } };
  }

  /** What processes that start from now on are set up with. */
  replaceSetup(setup: unknown): void {
    this.#setup = setup;
  }

  /**
   * Has others, set up as processes are from now on, take the place of all that there are. Work
   * that comes before those are ready finds the former, which are stopped when they have done it.
   */
  replaceAll(): void {
    const former = [...this.#all];
    const starting = Array.from({ length: this.#options.sizeMin }, () => this.#start());
    for (const each of starting) this.#setAhead(each);
    void Promise.allSettled(starting).then(() => {
      for (const worker of former) this.#retire(worker);
    });
  }

  /** Starts as many processes as are to be kept ready. */
  startAhead(): void {
    while (!this.#closing.signal.aborted && this.#all.size < this.#options.sizeMin) {
      this.#setAhead(this.#start());
    }
  }

  /**
   * Runs a piece of work in a process of its own; first come, first served. It settles when that
   * process is free again or gone: until then it counts as busy.
   *
   * @throws what the work throws; the reason of `signal` when the work had to be killed for it;
   * QUERY_LIMIT_EXCEEDED when it took more memory than it may; INTERNAL when its process crashed;
   * SHUTTING_DOWN
   */
  async run(input: unknown, options: RunOptions = {}): Promise<unknown> {
    const { signal } = options;
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

  /** Kills every process now. For those who cannot wait: the pool is of no use afterwards. */
  killAll(): void {
    this.#closing.abort(shuttingDown(this.#options.work));
    for (const worker of this.#all) worker.kill('stopped');
  }

  /**
   * Cancels the work under way, and ends all processes: those that do not end by themselves within
   * the grace are killed.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(shuttingDown(this.#options.work));
    await Promise.allSettled(this.#underWay);
    await Promise.all([...this.#all].map((worker) => this.#stop(worker)));
  }

  async #run(
    input: unknown,
    signal: AbortSignal,
    { handlers = {}, onGone }: RunOptions,
  ): Promise<unknown> {
    const release = await this.#slots.acquire(signal);
    try {
      const worker = await this.#take(signal);
      this.#busyCount += 1;
      try {
        return await worker.run(input, {
          signal,
          handlers,
          onGone,
          killGraceMs: this.#options.killGraceMs,
        });
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
      // It comes too late for this one; the next may have it.
      if (signal.aborted) this.#setAhead(starting);
      throw error;
    }
  }

  /** Has a process that starts wait for work, be it still starting. */
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
    const worker = new WorkerProcess({ ...this.#options, setup: this.#setup, clock: this.#clock });
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
    if (this.#retired.has(worker) || worker.residentBytes > this.#options.memory.maxBytes / 2) {
      void this.#stop(worker);
    } else this.#setIdle(worker);
  }

  #setIdle(worker: WorkerProcess): void {
    if (this.#closing.signal.aborted || worker.hasEnded) return;
    this.#idle.push(worker);
    void this.#stopWhenUnused(worker);
  }

  async #stopWhenUnused(worker: WorkerProcess): Promise<void> {
    const { idleMs, sizeMin } = this.#options;
    const useCount = worker.useCount;
    await sleepUnlessAborted(this.#clock, idleMs, this.#closing.signal);
    const index = this.#idle.indexOf(worker);
    if (
      this.#closing.signal.aborted ||
      index < 0 ||
      worker.useCount !== useCount ||
      this.#all.size <= sizeMin
    ) {
      return;
    }
    this.#idle.splice(index, 1);
    await this.#stop(worker);
  }

  async #stop(worker: WorkerProcess): Promise<void> {
    this.#all.delete(worker);
    const stopping = worker.stop(this.#options.killGraceMs);
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

function shuttingDown(work: string): QuireError {
  return new QuireError(
    'SHUTTING_DOWN',
    `The ${work} was not run to its end: the server is shutting down.`,
  );
}
