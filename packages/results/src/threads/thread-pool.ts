import { Worker } from 'node:worker_threads';
import { type Clock, MiB, QuireError, systemClock } from '@quire/core';
import { decodeError, moduleBeside } from '@quire/core/process';
import { sleepUnlessAborted } from '@quire/core/wait';
import { BufferPool } from '../buffer-pool.ts';
import type { PageThreadsOptions, PageThreadsStatus } from './page-threads-options.ts';
import { outputSizes } from './part-outputs.ts';
import { NotStartedError, PartRun } from './part-run.ts';
import type { FromThread, PartWork, ToThread } from './part-work.ts';

/** The number of parts that a thread has at once: it starts the next one without a round trip. */
const partsPerThread = 2;
/** The memory of pages in progress beyond which further ones are encoded in the main thread. */
const memoryBytesMax = 16 * MiB;
const memoryBytesPerThread = 8 * MiB;
/** The limit of a thread's heap, which contains only descriptions of pages. */
const heapMb = 256;
const youngHeapMb = 8;
/** The number of consecutive threads that may fail to start, after which no more are started. */
const failedStartsMax = 3;
const idleMsDefault = 60_000;
/** The time in which a thread starts, or encodes a part, which takes milliseconds. */
const stepMsMax = 30_000;
/**
 * The time that a main thread needs, after it was blocked, to receive the messages of its threads.
 */
const graceMs = 1000;

/** The threads of `PageThreads`, and the parts that they encode. */
export class ThreadPool implements AsyncDisposable {
  /** Lends the memory of pages. */
  readonly memory = new BufferPool();
  readonly #options: PageThreadsOptions;
  readonly #clock: Clock;
  readonly #threads = new Set<PageThread>();
  readonly #closing = new AbortController();
  #failedStarts = 0;
  #partCount = 0;
  #refusedCount = 0;
  #diedCount = 0;
  #usedMs = 0;
  #isWatched = false;

  constructor(options: PageThreadsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get status(): PageThreadsStatus {
    return {
      count: this.#threads.size,
      busyCount: [...this.#threads].filter(({ partCount }) => partCount > 0).length,
      partCount: this.#partCount,
      refusedCount: this.#refusedCount,
      diedCount: this.#diedCount,
      leasedBytes: this.memory.leasedBytes,
    };
  }

  /** Reports whether a page may be given to threads now; if not, it starts one for later. */
  hasCapacity(): boolean {
    const { countMax } = this.#options;
    const bytesMax = memoryBytesMax + countMax * memoryBytesPerThread;
    if (this.#freest() !== undefined && this.memory.leasedBytes < bytesMax) return true;
    this.#startAnother();
    if (countMax > 0) this.#refusedCount += 1;
    return false;
  }

  /**
   * Gives a part to a thread, with its input; undefined if all are busy.
   *
   * @param outputBytes the expected size of its output
   */
  start(work: PartWork, outputBytes: number): PartRun | undefined {
    const thread = this.#freest();
    if (thread === undefined || thread.partCount > 0) this.#startAnother();
    if (thread === undefined) {
      this.#refusedCount += 1;
      return undefined;
    }
    const run = new PartRun(work, outputSizes(outputBytes), this.memory);
    this.#partCount += 1;
    this.#usedMs = this.#clock.monotonicMs();
    thread.run(run);
    return run;
  }

  /** Ends all threads; pages that they encode fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  /** Returns the thread with the fewest parts that takes another one. */
  #freest(): PageThread | undefined {
    let freest: PageThread | undefined;
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.partCount >= partsPerThread) continue;
      if (freest === undefined || thread.partCount < freest.partCount) freest = thread;
    }
    return freest;
  }

  #startAnother(): void {
    if (
      this.#threads.size >= this.#options.countMax ||
      this.#failedStarts >= failedStartsMax ||
      this.#closing.signal.aborted ||
      // Only one thread starts at a time, because its work may be finished before it has started.
      [...this.#threads].some(({ isStarting }) => isStarting)
    ) {
      return;
    }
    const thread: PageThread = new PageThread(
      this.#options.script ?? moduleBeside(import.meta.url, 'page-worker'),
      {
        clock: this.#clock,
        onReady: () => void (this.#failedStarts = 0),
        onEnded: (end) => this.#forget(thread, end),
      },
    );
    this.#threads.add(thread);
    this.#usedMs = this.#clock.monotonicMs();
    if (!this.#isWatched) void this.#watch();
  }

  #forget(thread: PageThread, { wasReady, error }: ThreadEnd): void {
    this.#threads.delete(thread);
    if (!wasReady) this.#failedStarts += 1;
    if (error === undefined) return;
    this.#diedCount += 1;
    this.#options.onDied?.(error);
    // It had large pages to encode, so there may be more of them.
    if (wasReady) this.#startAnother();
  }

  /** Ends threads that do not finish a step, and all of them when none was used for a while. */
  async #watch(): Promise<void> {
    const { idleMs = idleMsDefault } = this.#options;
    const { signal } = this.#closing;
    this.#isWatched = true;
    for (;;) {
      const nowMs = this.#clock.monotonicMs();
      const busy = [...this.#threads].filter(({ isBusy }) => isBusy);
      if (busy.length > 0) this.#usedMs = nowMs;
      const idleLeftMs = this.#usedMs + idleMs - nowMs;
      if (idleLeftMs <= 0 || signal.aborted) break;
      // A step that starts from now on has a later deadline than these.
      const stepsLeftMs = busy.map(({ stepStartMs }) => stepStartMs + stepMsMax - nowMs);
      const leftMs = Math.min(idleLeftMs, stepMsMax, ...stepsLeftMs);
      await sleepUnlessAborted(this.#clock, Math.max(0, leftMs), signal);
      await this.#endStalled();
    }
    this.#isWatched = false;
    for (const thread of this.#threads) void thread.stop();
  }

  async #endStalled(): Promise<void> {
    const isLate = (thread: PageThread): boolean =>
      thread.isBusy && this.#clock.monotonicMs() - thread.stepStartMs >= stepMsMax;
    const late = [...this.#threads].filter(isLate);
    if (late.length === 0) return;
    await sleepUnlessAborted(this.#clock, graceMs, this.#closing.signal);
    for (const thread of late.filter(isLate)) thread.endStalled();
  }
}

interface ThreadEnd {
  readonly wasReady: boolean;
  /** The reason; undefined if it was stopped. */
  readonly error: QuireError | undefined;
}

/** One thread, as seen by the main thread. */
class PageThread {
  /** When it started, or started the part that it encodes, on the monotonic clock. */
  stepStartMs: number;
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #runs = new Map<number, PartRun>();
  readonly #ended = Promise.withResolvers<void>();
  #lastNumber = 0;
  #wasReady = false;
  #isStopping = false;
  #failure: QuireError | undefined;

  constructor(
    script: URL,
    {
      clock,
      onReady,
      onEnded,
    }: {
      readonly clock: Clock;
      readonly onReady: () => void;
      readonly onEnded: (end: ThreadEnd) => void;
    },
  ) {
    this.#clock = clock;
    this.stepStartMs = clock.monotonicMs();
    this.#worker = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'ready') {
        this.#wasReady = true;
        onReady();
      } else this.#receive(message);
    });
    this.#worker.on('error', (error: Error) => (this.#failure ??= died(error)));
    this.#worker.once('exit', (code) => {
      const [running, ...waiting] = this.#runs.values();
      this.#runs.clear();
      const error = this.#isStopping ? undefined : (this.#failure ?? died(undefined, code));
      running?.fail(error ?? stopped());
      for (const run of waiting) run.fail(error === undefined ? stopped() : new NotStartedError());
      onEnded({ wasReady: this.#wasReady, error });
      this.#ended.resolve();
    });
  }

  get isStarting(): boolean {
    return !this.#wasReady && !this.#isEnding;
  }

  /** True from the time at which it waits for work, until it ends. */
  get isReady(): boolean {
    return this.#wasReady && !this.#isEnding;
  }

  get #isEnding(): boolean {
    return this.#isStopping || this.#failure !== undefined;
  }

  /** True while it starts or encodes. */
  get isBusy(): boolean {
    return this.isStarting || (this.isReady && this.#runs.size > 0);
  }

  /** The number of parts that it has not finished. */
  get partCount(): number {
    return this.#runs.size;
  }

  run(run: PartRun): void {
    if (this.#runs.size === 0) {
      this.#worker.ref();
      this.stepStartMs = this.#clock.monotonicMs();
    }
    const number = (this.#lastNumber += 1);
    this.#runs.set(number, run);
    const { work, outputs } = run;
    const message: ToThread = { number, work, outputs };
    this.#worker.postMessage(message, [work.input, ...outputs]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    void this.#worker.terminate();
    await this.#ended.promise;
  }

  /** Ends the thread because it does not finish its step: the part that it encodes fails. */
  endStalled(): void {
    this.#failure = stalled();
    void this.#worker.terminate();
  }

  #receive(message: Exclude<FromThread, { kind: 'ready' }>): void {
    const run = this.#runs.get(message.number);
    if (message.kind === 'chunk') {
      const { buffer, sizeBytes, isLent } = message;
      return run?.receive(new Uint8Array(buffer, 0, sizeBytes), isLent);
    }
    this.#runs.delete(message.number);
    this.stepStartMs = this.#clock.monotonicMs();
    if (this.#runs.size === 0) this.#worker.unref();
    const { plainBytes, buffers, error } = message;
    run?.end(plainBytes, buffers, error === undefined ? error : { error: decodeError(error) });
  }
}

function died(cause: Error | undefined, code?: number): QuireError {
  const how = cause === undefined ? `exit code ${code}` : cause.message;
  return new QuireError('INTERNAL', `The thread that encoded this page ended (${how}).`, { cause });
}

function stalled(): QuireError {
  const message = `The thread that encoded this page did not finish a part of it in ${stepMsMax / 1000} s and was terminated.`;
  return new QuireError('INTERNAL', message);
}

function stopped(): QuireError {
  return new QuireError('SHUTTING_DOWN', 'The page was not encoded: the server is shutting down.');
}
