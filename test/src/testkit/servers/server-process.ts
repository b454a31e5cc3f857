import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';
import { freePort } from '../../../../scripts/free-port.ts';

/** The command of a program that serves a folder on a port of this machine. */
export interface ServerCommand {
  readonly path: string;
  readonly args: (port: number, folder: string) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Creates the data that the server serves, before its first start. */
  readonly prepare?: (folder: string) => Promise<void>;
  /**
   * Reports whether the listener of the port is this server, ready: another process may have taken
   * the port while a slow one starts. Default: true.
   */
  readonly isReady?: () => Promise<boolean>;
  /** The timeout of its start; the default is that of `until`. */
  readonly startTimeoutMs?: number;
}

/**
 * Ends the server when its own standard input ends: a killed test run leaves no servers behind. A
 * signal to terminate is passed on, and the server ends in its own time.
 */
const endWithInput =
  'exec 3<&0; "$@" </dev/null & server=$!; trap "kill $server; wait $server" TERM; { read -r _ <&3; kill -9 $server; } & wait $server; code=$?; kill $! 2>/dev/null; exit $code';

const startAttemptsMax = 5;

/**
 * A real server, started by the test itself on a free port with an empty folder of its own; both
 * are removed when it is disposed.
 */
export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  readonly #command: ServerCommand;
  #child: ChildProcess | undefined;

  private constructor(command: ServerCommand, port: number, folder: string) {
    this.#command = command;
    this.port = port;
    this.folder = folder;
  }

  static async start(command: ServerCommand): Promise<ServerProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-server-'));
    await command.prepare?.(folder);
    for (let attempt = 1; ; attempt += 1) {
      const server = new ServerProcess(command, await freePort(), folder);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.kill();
        // Another process may have taken the port in the meantime.
        if (attempt < startAttemptsMax) continue;
        await server[Symbol.asyncDispose]();
        throw error;
      }
    }
  }

  /** The process that started the server, and ends with it. Throws while none runs. */
  get pid(): number {
    const { pid } = this.#child ?? {};
    if (pid === undefined) throw new Error('The server does not run.');
    return pid;
  }

  /** Ends the server as a power cut would; its folder stays. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.end();
    await once(child, 'exit');
  }

  /** Asks the server to end, as an operator would; resolves once it has ended by itself. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || !child.kill()) return;
    await once(child, 'exit');
  }

  /** Restarts the server, on its port and its folder; resolves once it accepts connections. */
  async restart(): Promise<void> {
    await this.kill();
    const { path, args, environment, startTimeoutMs } = this.#command;
    const isReady = this.#command.isReady ?? (async () => true);
    const child = spawn('sh', ['-c', endWithInput, 'sh', path, ...args(this.port, this.folder)], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.#child = child;
    let complaints = '';
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (complaints = (complaints + text).slice(-2000)));
    await until(
      async () => child.exitCode !== null || ((await isListening(this.port)) && (await isReady())),
      `${path} listens on port ${this.port}`,
      startTimeoutMs,
    );
    // Another program may listen on the port before this process detects that its server has ended.
    if (child.exitCode !== null) throw new Error(`${path} has ended: ${complaints}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
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
