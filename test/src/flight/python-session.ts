import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Answers each line, a program as JSON, with a line: what it has printed, or how it failed. */
const loop = `
import contextlib, io, json, sys, traceback
replies = sys.stdout
for line in sys.stdin:
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output): exec(json.loads(line), {})
        reply = {'output': output.getvalue()}
    except BaseException:
        reply = {'error': traceback.format_exc()}
    print(json.dumps(reply), file=replies, flush=True)
`;

/**
 * A Python that runs programs in turn, each with names of its own. They share what they import,
 * which takes longer than most of them.
 */
export class PythonSession implements AsyncDisposable {
  readonly #child;
  readonly #replies;
  /** The last program: the next one waits for its end. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(python: string) {
    this.#child = spawn(python, ['-c', loop], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#replies = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Runs a program that prints JSON; resolves to its value. */
  run(program: string): Promise<unknown> {
    const reply = this.#last.then(() => this.#runNow(program));
    this.#last = reply.catch(() => undefined);
    return reply;
  }

  async #runNow(program: string): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(program)}\n`);
    const { done, value } = await this.#replies.next();
    if (done === true) throw new Error(`Python ended while it ran:\n${program}`);
    const { output, error } = JSON.parse(value) as {
      readonly output: string;
      readonly error?: string;
    };
    if (error !== undefined) throw new Error(error);
    return JSON.parse(output);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.stdin.end();
    await closed;
  }
}
