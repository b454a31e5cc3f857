import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program of the cluster. */
export type Program =
  /** A process of Quire: it prints a line when it serves, and ends gracefully at SIGTERM. */
  | { readonly kind: 'quire'; readonly args: readonly string[] }
  /** Anything that listens on a port. */
  | {
      readonly kind: 'server';
      readonly path: string;
      readonly args: readonly string[];
      readonly port: number;
    };

export interface MemberOptions {
  readonly name: string;
  /** Its working directory. */
  readonly folder: string;
  readonly logPath: string;
  /** Called with a message when it ends without having been stopped. */
  readonly onUnexpectedEnd: (message: string) => void;
}

/** Ends a process of Quire when this process has ended, for whatever reason. */
const endWithParent = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.exit(1)); process.channel.unref();",
)}`;

/** Ends a program when its standard input closes, for the same reason, and exits with its code. */
const endWithInput =
  'exec 3<&0; "$@" </dev/null & server=$!; { read -r _ <&3; kill -9 $server; } & wait $server; code=$?; kill $! 2>/dev/null; exit $code';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const pollMs = 50;

/**
 * A process of the cluster. Ctrl-C on the terminal does not reach it, so that all are stopped in
 * turn.
 */
export class Member {
  readonly name: string;
  readonly #program: Program;
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #printed = '';
  #state: 'starting' | 'serving' | 'stopping' | 'ended' = 'starting';

  constructor(program: Program, options: MemberOptions) {
    this.name = options.name;
    this.#program = program;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Its address, as it printed it. */
  get url(): string | undefined {
    if (this.#program.kind === 'server') return `http://127.0.0.1:${this.#program.port}`;
    const [url] = /https?:\/\/[^\s,]+/.exec(this.#printed) ?? [];
    // A controller prints its console first.
    return url?.replace(/\/console$/, '');
  }

  /**
   * Resolves when it serves. @throws Error with the end of its log when it ends, or takes a minute
   */
  async start(): Promise<void> {
    const log = openSync(this.#options.logPath, 'w');
    const child = this.#spawn(log);
    this.#child = child;
    closeSync(log);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
    child.once('error', () => this.#ended('did not start'));
    child.once('exit', (code, signal) =>
      this.#ended(`ended (${signal ?? `exit code ${code ?? ''}`})`),
    );
    for (let waitedMs = 0; !(await this.#serves()); waitedMs += pollMs) {
      if (this.#state !== 'starting' || waitedMs > startTimeoutMs) {
        throw new Error(
          `${this.name} does not serve; the end of ${this.#options.logPath}:\n${this.#endOfLog()}`,
        );
      }
      await sleep(pollMs);
    }
    this.#state = 'serving';
  }

  /** Lets running calls finish, and resolves when it has ended. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#state === 'ended') return;
    this.#state = 'stopping';
    const exited = once(child, 'exit');
    if (this.#program.kind === 'quire') child.kill('SIGTERM');
    else child.stdin?.end();
    const given = new AbortController();
    const late = sleep(stopTimeoutMs, 'late', { signal: given.signal }).catch(() => 'ended');
    if ((await Promise.race([exited, late])) === 'late') child.kill('SIGKILL');
    given.abort();
    await exited;
  }

  #spawn(log: number): ChildProcess {
    const { folder } = this.#options;
    const program = this.#program;
    if (program.kind === 'quire') {
      const stdio = ['ignore', 'pipe', log, 'ipc'] as const;
      return spawn(process.execPath, ['--import', endWithParent, ...program.args], {
        cwd: folder,
        stdio: [...stdio],
        detached: true,
      });
    }
    const args = ['-c', endWithInput, 'sh', program.path, ...program.args];
    return spawn('sh', args, { cwd: folder, stdio: ['pipe', log, log], detached: true });
  }

  async #serves(): Promise<boolean> {
    const program = this.#program;
    return program.kind === 'quire'
      ? this.#printed.includes('Ctrl-C')
      : await isListening(program.port);
  }

  #ended(how: string): void {
    const was = this.#state;
    this.#state = 'ended';
    if (was === 'serving') {
      this.#options.onUnexpectedEnd(`${this.name} ${how}; the others continue.`);
    }
  }

  #endOfLog(): string {
    return readFileSync(this.#options.logPath, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
