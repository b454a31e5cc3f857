import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { abortError, type Clock, QuireError } from '@quire/core';
import { encodeError, moduleBeside } from '@quire/core/process';
import { activeTracer, continueTrace, traceHeaders } from '@quire/core/trace';
import { Deadline } from '@quire/core/wait';
import { type FromWorker, type Outcome, outcomeOf, type ToWorker, valueOf } from './messages.ts';
import { exitReasonFd, writeWatchdogArguments } from './watchdog.ts';
import type { MemoryLimit, WorkerKind, WorkerLimits } from './worker-kind.ts';

/**
 * The reason why a worker's process has ended: it was stopped, it was killed because its work did
 * not end in time, it exceeded its memory, or it ended by itself.
 */
export type WorkerEndReason = 'stopped' | 'time' | 'memory' | 'crash';

/** The end of a worker process. */
export interface WorkerEnd {
  readonly pid: number;
  readonly reason: WorkerEndReason;
  /** The details of a crash for operators: code or signal, and the end of its error output. */
  readonly detail: string;
  /** True if it was killed because it did not stop in time when its caller left or cancelled. */
  readonly isAbandoned: boolean;
}

/** The handlers for calls of work to its parent process, by name. */
export type CallHandlers = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** The kind of work of a worker process, and its limits. */
export interface WorkerProcessOptions {
  readonly kind: Pick<WorkerKind<never, never, unknown>, 'name' | 'module'>;
  readonly setup: unknown;
  readonly limits: WorkerLimits;
  /**
   * The handlers for calls of the process, with or without work; those of its work take precedence.
   */
  readonly handlers?: CallHandlers | undefined;
  readonly clock: Clock;
}

/** The options of a piece of work. */
export interface WorkOptions {
  readonly signal: AbortSignal;
  readonly handlers: CallHandlers;
  /** Called when the work has started in the process. */
  readonly onStarted?: (() => void) | undefined;
  /** Called when the process ended before it answered, before the work rejects. */
  readonly onGone?: ((end: WorkerEnd) => void) | undefined;
}

const errorOutputMax = 2000;
/**
 * The text that Node prints, before a long trace, when the JavaScript heap is full; Node then
 * aborts.
 */
const heapExhausted = 'heap out of memory';

const noWork = { handlers: {} };

/** A worker's process, as seen by the parent. */
export class WorkerProcess {
  /** Resolves once the process has ended and its leftovers are removed; never rejects. */
  readonly ended: Promise<WorkerEnd>;
  readonly pid: number;
  /** Resident memory after its latest work. */
  residentBytes = 0;
  /** The number of pieces of work so far. */
  useCount = 0;
  readonly #child: ChildProcess;
  readonly #options: WorkerProcessOptions;
  #killReason: WorkerEndReason | undefined;
  #isAbandoned = false;
  #hasEnded = false;
  #end: WorkerEnd | undefined;
  #directories: readonly string[] = [];
  #work: Pick<WorkOptions, 'handlers' | 'onStarted'> = noWork;
  #answer = Promise.withResolvers<Outcome | WorkerEnd>();

  /** Starts the process. */
  constructor(options: WorkerProcessOptions) {
    this.#options = options;
    this.#child = startProcess(options);
    this.pid = this.#child.pid ?? 0;
    this.ended = this.#watch();
    // Subscribed to once: `ended` is pending for the life of the process, and a race with it would
    // retain the answer of each piece of work until then.
    void this.ended.then((end) => {
      this.#end = end;
      this.#answer.resolve(end);
    });
    this.#child.on('message', (message: FromWorker) => this.#receive(message));
  }

  /**
   * Opens its kind of work; if that fails, the process ends.
   *
   * @throws the error of `WorkerKind.open`; QUERY_LIMIT_EXCEEDED, INTERNAL when it dies;
   *   SHUTTING_DOWN
   */
  async open(): Promise<void> {
    const { kind, setup } = this.#options;
    const isTraced = activeTracer() !== undefined;
    this.#send({ kind: 'open', module: kind.module, setup, isTraced });
    try {
      valueOf(await this.#nextAnswer());
    } catch (error) {
      this.kill('stopped');
      await this.ended;
      throw error;
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Runs one piece of work; settles only when the process is free again, or has ended.
   *
   * @throws the error of the work; the reason of the signal if the process was killed for it;
   *   QUERY_LIMIT_EXCEEDED when it exceeded its memory; INTERNAL when it crashed
   */
  async run(input: unknown, { signal, onGone, ...work }: WorkOptions): Promise<unknown> {
    this.#work = work;
    this.useCount += 1;
    using grace = this.#createGrace('time');
    const onAbort = (): void => {
      const error = abortError(signal);
      this.#isAbandoned = error.kind === 'aborted';
      this.#send({ kind: 'cancel', reason: encodeError(error) });
      grace.start(this.#options.limits.killGraceMs);
    };
    this.#send({ kind: 'run', input, trace: traceHeaders() });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      return valueOf(await this.#nextAnswer(onGone));
    } catch (error) {
      if (signal.aborted && this.#killReason === 'time') throw abortError(signal);
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#work = noWork;
      // An answer may have been in transit when the process was killed.
      if (this.#killReason !== undefined) await this.ended;
    }
  }

  /**
   * Stops it between two pieces of work; it is killed if that takes longer than the grace period.
   */
  async stop(): Promise<void> {
    this.#killReason ??= 'stopped';
    this.#send({ kind: 'stop' });
    using grace = this.#createGrace('stopped');
    grace.start(this.#options.limits.killGraceMs);
    await this.ended;
  }

  /** Creates a deadline that kills the process. */
  #createGrace(reason: WorkerEndReason): Deadline {
    const error = (): QuireError =>
      new QuireError('INTERNAL', 'The process did not end by itself in time.');
    const grace = new Deadline({ clock: this.#options.clock, error });
    grace.signal.addEventListener('abort', () => this.kill(reason), { once: true });
    return grace;
  }

  /** Ends the process immediately, whatever it does. */
  kill(reason: WorkerEndReason): void {
    this.#killReason ??= reason;
    if (!this.#hasEnded) this.#child.kill('SIGKILL');
  }

  async #nextAnswer(onGone?: (end: WorkerEnd) => void): Promise<Outcome> {
    const answer = this.#end ?? (await this.#answer.promise);
    this.#answer = Promise.withResolvers();
    if ('isGood' in answer) return answer;
    onGone?.(answer);
    return this.#outcomeOfEnd(answer);
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case 'opened':
        this.#directories = message.directories;
        return this.#answer.resolve(message.outcome);
      case 'started':
        return this.#work.onStarted?.();
      case 'done':
        this.residentBytes = message.residentBytes;
        return this.#answer.resolve(message.outcome);
      case 'spans':
        return activeTracer()?.receive(message.spans);
      case 'call':
        return void this.#handle(message);
    }
  }

  async #handle({
    callId,
    name,
    input,
    trace,
  }: Extract<FromWorker, { kind: 'call' }>): Promise<void> {
    const handler = this.#work.handlers[name] ?? this.#options.handlers?.[name];
    const outcome = await outcomeOf(async () => {
      if (handler === undefined) {
        throw new QuireError('INTERNAL', `Work called '${name}', for which there is no handler.`);
      }
      return continueTrace(trace, () => handler(input));
    });
    try {
      this.#send({ kind: 'reply', callId, outcome });
    } catch (error) {
      // A value that structured clone cannot transfer, such as the answer of a plug-in's store.
      this.#send({ kind: 'reply', callId, outcome: { isGood: false, error: encodeError(error) } });
    }
  }

  #send(message: ToWorker): void {
    // If the process has ended, `ended` reports that.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #outcomeOfEnd(end: WorkerEnd): Outcome {
    const { name: work } = this.#options.kind;
    const fail = (error: QuireError): Outcome => ({ isGood: false, error: encodeError(error) });
    switch (end.reason) {
      case 'memory':
        return fail(memoryExceeded(work, this.#options.limits.memory));
      case 'time':
        return fail(
          new QuireError(
            'QUERY_TIMED_OUT',
            `The ${work} did not stop within its time limit and was terminated.`,
          ),
        );
      case 'stopped':
        return fail(
          new QuireError(
            'SHUTTING_DOWN',
            `The ${work} was terminated: the server is shutting down.`,
          ),
        );
      case 'crash':
        return fail(
          new QuireError(
            'INTERNAL',
            `The process of the ${work} ended unexpectedly (${end.detail}).`,
          ),
        );
    }
  }

  async #watch(): Promise<WorkerEnd> {
    const child = this.#child;
    const { promise: closed, resolve } = Promise.withResolvers<string>();
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    // A process that could not be started, for example without free file descriptors, has no
    // streams.
    const stdio: readonly (ChildProcess['stdio'][number] | undefined)[] = child.stdio ?? [];
    const errorOutput = lastOf(stdio[2], heapExhausted);
    const exitReason = lastOf(stdio[exitReasonFd], 'memory');
    const how = await closed;
    this.#hasEnded = true;
    await Promise.all(
      this.#directories.map((directory) =>
        rm(directory, { recursive: true, force: true }).catch(ignore),
      ),
    );
    const detail = [how, errorOutput.text().trim()].filter((part) => part !== '').join(': ');
    if (errorOutput.hasWords() || exitReason.hasWords()) {
      return { pid: this.pid, reason: 'memory', detail, isAbandoned: false };
    }
    const reason = this.#killReason ?? 'crash';
    return { pid: this.pid, reason, detail, isAbandoned: this.#isAbandoned && reason === 'time' };
  }
}

function memoryExceeded(work: string, { maxBytes, setting }: MemoryLimit): QuireError {
  const limit = `${Math.floor(maxBytes / 1024 / 1024)} MB`;
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `The ${work} exceeded its memory limit of ${limit} (${setting}) and was terminated.`,
  );
}

function startProcess({ limits }: WorkerProcessOptions): ChildProcess {
  const { memory, nodeFlags, threadPoolSize, variables } = limits;
  return fork(
    moduleBeside(import.meta.url, 'worker-main'),
    writeWatchdogArguments({ parentPid: process.pid, memoryMaxBytes: memory.maxBytes }),
    {
      // Module resolution must be the same in both; other arguments of this process do not apply.
      execArgv: [
        ...process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
        ...nodeFlags,
      ],
      env: { ...variables, ...process.env, UV_THREADPOOL_SIZE: String(threadPoolSize) },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    },
  );
}

/**
 * Returns the end of a process's stream, and whether it contained these words; reading the stream
 * prevents the process from blocking.
 */
function lastOf(
  stream: ChildProcess['stdio'][number] | undefined,
  words: string,
): { text(): string; hasWords(): boolean } {
  let text = '';
  let hasWords = false;
  (stream as Readable | null | undefined)?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    hasWords ||= text.includes(words);
    text = text.slice(-errorOutputMax);
  });
  return { text: () => text, hasWords: () => hasWords };
}

function ignore(): void {
  // Directories that cannot be removed now are removed with the leftovers of dead processes.
}
