import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { profileArguments, sourceCondition } from './node-arguments.ts';

/** The answer to one request, or its error. */
export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

export interface ChildOptions {
  readonly profileDirectory?: string | undefined;
  /** Further arguments for Node. */
  readonly nodeOptions?: readonly string[];
}

/**
 * A process of the benchmark that answers requests; `serveParent` is its other end. Disposing ends
 * it.
 */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;

  /** Starts a process from the file of its code, with its initial value. */
  constructor(file: string, argument: unknown, options: ChildOptions = {}) {
    this.#process = fork(file, [JSON.stringify(argument)], {
      execArgv: [
        sourceCondition,
        ...profileArguments(options.profileDirectory),
        ...(options.nodeOptions ?? []),
      ],
      serialization: 'advanced',
    });
    this.#process.on('message', (answer: Answer) => this.#settle(answer));
    this.#process.on('exit', (code, signal) => {
      const end = new Error(`${file} ended (${signal ?? `code ${code}`}).`);
      for (const waiting of this.#waiting.values()) waiting.reject(end);
      this.#waiting.clear();
    });
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('The process did not start.');
    return this.#process.pid;
  }

  /** @throws Error when the child throws, with its message and stack, or ends */
  async call(request: unknown): Promise<unknown> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
      throw new Error('The process has ended.');
    }
    const id = (this.#lastId += 1);
    const answer = new Promise<unknown>((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject }),
    );
    this.#process.send({ id, request });
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.disconnect();
    await exit;
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.value);
  }
}
