import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { abortError, type Clock, QuireError } from '@quire/core';
import { Deadline } from '@quire/core/wait';
import { encodeError, outcomeOf, valueOf } from './error-message.ts';
import type { FromWorker, Outcome, ToWorker } from './messages.ts';
import { lastWordsFd, writeWorkerArguments } from './worker-arguments.ts';

/**
 * Why a worker's process has ended: told to stop, killed since its work did not end in time, over
 * its memory, or by itself.
 */
export type WorkerEndReason = 'stopped' | 'time' | 'memory' | 'crash';

/** Why a worker process has ended. */
export interface WorkerEnd {
  readonly pid: number;
  readonly reason: WorkerEndReason;
  /**
   * What an operator wants to read of a crash: code or signal, and the last of its error output.
   */
  readonly detail: string;
}

/** Answers the calls that work makes to the process it was sent from, by their name. */
export type CallHandlers = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** The module that a worker process runs, and its limits. */
export interface WorkerProcessOptions {
  /** What the work is called in messages: `query`. */
  readonly work: string;
  /** Module that exports `openWorker`. */
  readonly module: URL;
  readonly setup: unknown;
  /** Answer what the process calls whether or not it has work; those of its work come first. */
  readonly handlers?: CallHandlers | undefined;
  readonly memory: MemoryLimit;
  /** Flags of Node for these processes, such as `--max-old-space-size=256`. */
  readonly nodeFlags: readonly string[];
  /** Threads of libuv's pool. */
  readonly threadPoolSize: number;
  readonly clock: Clock;
}

/**
 * A limit on the resident memory of one worker, and the setting that it comes from, for the message
 * that names both.
 */
export interface MemoryLimit {
  readonly maxBytes: number;
  readonly setting: string;
}

export interface WorkOptions {
  readonly signal: AbortSignal;
  readonly handlers: CallHandlers;
  /** Between asking for an end and killing. */
  readonly killGraceMs: number;
  /**
   * Told when the process ended before it gave an answer, before the work is reported to have
   * ended.
   */
  readonly onGone?: ((end: WorkerEnd) => void) | undefined;
}

const errorOutputMax = 2000;
/**
 * What Node says, before a long trace, when the heap of JavaScript is full; then it ends itself.
 */
const heapExhausted = 'heap out of memory';

/** One worker's process, seen from outside. */
export class WorkerProcess {
  /** Resolves once the process is gone, and what it left behind with it; never rejects. */
  readonly ended: Promise<WorkerEnd>;
  readonly pid: number;
  /** Resident memory after its latest work. */
  residentBytes = 0;
  /** Pieces of work that it was given so far. */
  useCount = 0;
  readonly #child: ChildProcess;
  readonly #options: WorkerProcessOptions;
  #killReason: WorkerEndReason | undefined;
  #hasEnded = false;
  #directories: readonly string[] = [];
  #handlers: CallHandlers = {};
  #answer = Promise.withResolvers<Outcome>();

  /** Starts the process. */
  constructor(options: WorkerProcessOptions) {
    this.#options = options;
    this.#child = startProcess(options);
    this.pid = this.#child.pid ?? 0;
    this.ended = this.#watch();
    this.#child.on('message', (message: FromWorker) => this.#hear(message));
  }

  /**
   * Has it open its module; when that fails, the process ends.
   *
   * @throws what `openWorker` throws; QUERY_LIMIT_EXCEEDED, INTERNAL when it dies of that;
   * SHUTTING_DOWN
   */
  async open(): Promise<void> {
    const { module, setup } = this.#options;
    this.#tell({ kind: 'open', module: module.href, setup });
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
   * Runs one piece of work; settles only when the process is free again, or gone.
   *
   * @throws what the work throws; the reason of the signal when the process had to be killed for
   * it; QUERY_LIMIT_EXCEEDED when it took more memory than it may; INTERNAL when it crashed
   */
  async run(
    input: unknown,
    { signal, handlers, killGraceMs, onGone }: WorkOptions,
  ): Promise<unknown> {
    this.#handlers = handlers;
    this.useCount += 1;
    using grace = this.#createGrace('time');
    const onAbort = (): void => {
      this.#tell({ kind: 'cancel', reason: encodeError(abortError(signal)) });
      grace.start(killGraceMs);
    };
    this.#tell({ kind: 'run', input });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      return valueOf(await this.#nextAnswer(onGone));
    } catch (error) {
      if (signal.aborted && this.#killReason === 'time') throw abortError(signal);
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#handlers = {};
      // An answer may have been on its way when the process was killed: it is gone all the same,
      // and free for nobody.
      if (this.#killReason !== undefined) await this.ended;
    }
  }

  /**
   * Has it end by itself, between two pieces of work; it is killed when that takes longer than the
   * grace.
   */
  async stop(graceMs: number): Promise<void> {
    this.#killReason ??= 'stopped';
    this.#tell({ kind: 'stop' });
    using grace = this.#createGrace('stopped');
    grace.start(graceMs);
    await this.ended;
  }

  /** Kills the process when it runs out. */
  #createGrace(reason: WorkerEndReason): Deadline {
    const error = (): QuireError =>
      new QuireError('INTERNAL', 'The process did not end by itself in time.');
    const grace = new Deadline({ clock: this.#options.clock, error });
    grace.signal.addEventListener('abort', () => this.kill(reason), { once: true });
    return grace;
  }

  /** Ends the process at once, whatever it does. */
  kill(reason: WorkerEndReason): void {
    this.#killReason ??= reason;
    if (!this.#hasEnded) this.#child.kill('SIGKILL');
  }

  async #nextAnswer(onGone?: (end: WorkerEnd) => void): Promise<Outcome> {
    const ended = this.ended.then((end) => ({ end }));
    const answer = await Promise.race([this.#answer.promise, ended]);
    if ('end' in answer) onGone?.(answer.end);
    const outcome = 'end' in answer ? this.#outcomeOfEnd(answer.end) : answer;
    this.#answer = Promise.withResolvers<Outcome>();
    return outcome;
  }

  #hear(message: FromWorker): void {
    switch (message.kind) {
      case 'opened':
        this.#directories = message.directories;
        return this.#answer.resolve(message.outcome);
      case 'done':
        this.residentBytes = message.residentBytes;
        return this.#answer.resolve(message.outcome);
      case 'call':
        return void this.#handle(message);
    }
  }

  async #handle({ callId, name, input }: Extract<FromWorker, { kind: 'call' }>): Promise<void> {
    const handler = this.#handlers[name] ?? this.#options.handlers?.[name];
    const outcome = await outcomeOf(async () => {
      if (handler === undefined) {
        throw new QuireError('INTERNAL', `Work called '${name}', for which there is no handler.`);
      }
      return handler(input);
    });
    this.#tell({ kind: 'reply', callId, outcome });
  }

  #tell(message: ToWorker): void {
    // Of a process that is gone, `ended` tells.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #outcomeOfEnd(end: WorkerEnd): Outcome {
    const { work, memory } = this.#options;
    const fail = (error: QuireError): Outcome => ({ isGood: false, error: encodeError(error) });
    switch (end.reason) {
      case 'memory':
        return fail(memoryExceeded(work, memory));
      case 'time':
        return fail(
          new QuireError(
            'QUERY_TIMED_OUT',
            `The ${work} did not stop within its time limit and was ended.`,
          ),
        );
      case 'stopped':
        return fail(
          new QuireError('SHUTTING_DOWN', `The ${work} was ended: the server is shutting down.`),
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
    const errorOutput = lastOf(child.stdio[2], heapExhausted);
    const lastWords = lastOf(child.stdio[lastWordsFd], 'memory');
    const { promise: closed, resolve } = Promise.withResolvers<string>();
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    const how = await closed;
    this.#hasEnded = true;
    await Promise.all(
      this.#directories.map((directory) =>
        rm(directory, { recursive: true, force: true }).catch(ignore),
      ),
    );
    const detail = [how, errorOutput.text().trim()].filter((part) => part !== '').join(': ');
    if (errorOutput.hasWords() || lastWords.hasWords()) {
      return { pid: this.pid, reason: 'memory', detail };
    }
    return { pid: this.pid, reason: this.#killReason ?? 'crash', detail };
  }
}

function memoryExceeded(work: string, { maxBytes, setting }: MemoryLimit): QuireError {
  const limit = `${Math.floor(maxBytes / 1024 / 1024)} MB`;
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `The ${work} exceeded its memory limit of ${limit} (${setting}) and was ended.`,
  );
}

function startProcess({ memory, nodeFlags, threadPoolSize }: WorkerProcessOptions): ChildProcess {
  // Beside this file, and in the same form: source or built.
  const script = new URL(
    import.meta.url.endsWith('.ts') ? './worker-main.ts' : './worker-main.js',
    import.meta.url,
  );
  return fork(
    script,
    writeWorkerArguments({ parentPid: process.pid, memoryMaxBytes: memory.maxBytes }),
    {
      // How packages are found must be the same in both; what else this process was started with is
      // for itself.
      execArgv: [
        ...process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
        ...nodeFlags,
      ],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threadPoolSize) },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    },
  );
}

/**
 * The last that a stream of a process brings, and whether these words were in any of it; reading it
 * keeps the process from waiting.
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
  // What cannot be removed now goes with the leftovers of processes that no longer exist.
}
