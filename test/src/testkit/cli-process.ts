import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock, systemRandom } from '@quire/core';
import type { Environment } from '../../../packages/cli/src/environment.ts';
import type { Output } from '../../../packages/cli/src/output.ts';
import { runCommand } from '../../../packages/cli/src/run-command.ts';
import { builtPackages } from './toolchain.ts';

const root = join(import.meta.dirname, '../../..');
const main = join(root, 'packages/cli/bin/quire.cjs');

/** Ends the process when its parent has exited: a killed test run leaves no servers behind. */
const endWithParent = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.exit(1)); process.channel.unref();",
)}`;

/** The environment of a process that resolves packages as they are installed. */
const { NODE_OPTIONS: _, ...withoutSources } = process.env;

let isFresh: boolean | undefined;

/** Reports whether the command can run as users run it, from its bundle. */
function isBuilt(): boolean {
  return (isFresh ??= builtPackages.find(process.env) !== undefined);
}

/** The folder for the compiled code of a project, which is removed with it. */
export function compileCacheOf(project: string): string {
  return join(project, '.compile-cache');
}

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CliOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** The content of standard input. */
  readonly stdin?: string | Uint8Array;
  /**
   * The folder of a project that has the packages. Default: this repository, as it is built; its
   * sources if they have changed since.
   */
  readonly project?: string;
}

/** A `quire` command in a process of its own, with pipes for its input and outputs. */
export class CliProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #output: Readable;
  readonly #errors: Readable;
  readonly #closed: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], options: CliOptions = {}) {
    const { project } = options;
    const [conditions, command, environment] =
      project === undefined
        ? isBuilt()
          ? [[], main, withoutSources]
          : [['--conditions=@quire/source'], main, process.env]
        : [
            [],
            join(project, 'node_modules/@quire/cli/bin/quire.cjs'),
            { ...withoutSources, NODE_COMPILE_CACHE: compileCacheOf(project) },
          ];
    this.#child = spawn(
      process.execPath,
      [...conditions, '--import', endWithParent, command, ...args],
      {
        cwd: project ?? root,
        env: { ...environment, ...options.variables },
        stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      },
    );
    this.#closed = once(this.#child, 'close');
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) {
      throw new Error('A child with pipes has streams.');
    }
    this.#output = stdout;
    this.#errors = stderr;
    stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    stdin.end(options.stdin ?? '');
  }

  /** Resolves when the process has ended and all its output has arrived. */
  async ended(): Promise<Ended> {
    await this.#closed;
    return { exitCode: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /**
   * Resolves to the first match in standard output so far; throws when the process ends without
   * one.
   */
  untilPrinted(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#until(this.#output, () => pattern.exec(this.stdout) ?? undefined, String(pattern));
  }

  /** Resolves once standard error contains this text; throws when the process ends without it. */
  async untilLogged(text: string): Promise<void> {
    await this.#until(this.#errors, () => this.stderr.includes(text) || undefined, text);
  }

  async #until<Found>(
    stream: Readable,
    find: () => Found | undefined,
    what: string,
  ): Promise<Found> {
    for (let isOpen = true; ;) {
      const found = find();
      if (found !== undefined) return found;
      if (!isOpen) throw new Error(`Ended without ${what}:\n${this.stdout}${this.stderr}`);
      isOpen = await Promise.race([
        once(stream, 'data').then(() => true),
        this.#closed.then(() => false),
      ]);
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('The command did not start.');
    return this.#child.pid;
  }

  signal(name: 'SIGINT' | 'SIGTERM'): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}

/** Runs a `quire` command to its end; `whenStarted` may act on it in between. */
export async function quire(
  args: readonly string[],
  options: CliOptions & { readonly whenStarted?: (command: CliProcess) => Promise<void> } = {},
): Promise<Ended> {
  await using command = new CliProcess(args, options);
  await options.whenStarted?.(command);
  return await command.ended();
}

/**
 * Runs a `quire` command to its end in this process: it behaves as in its own process, which takes
 * a second to start.
 */
export async function quireHere(
  args: readonly string[],
  { variables, stdin = '' }: CliOptions = {},
): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const outputTo = (stream: keyof typeof written): Output => {
    const decoder = new TextDecoder();
    return {
      isTerminal: false,
      size: { columns: 80, rows: 24 },
      write: async (data) =>
        void (written[stream] +=
          typeof data === 'string' ? data : decoder.decode(data, { stream: true })),
      onResize: nothingToDispose,
    };
  };
  const environment: Environment = {
    stdin: {
      isTerminal: false,
      readText: async () => Buffer.from(stdin).toString(),
      onKey: nothingToDispose,
    },
    stdout: outputTo('stdout'),
    stderr: outputTo('stderr'),
    variables: { ...process.env, ...variables },
    directory: root,
    clock: systemClock,
    random: systemRandom,
    invocation: 'npm run -s quire --',
    onSignal: nothingToDispose,
  };
  const exitCode = await runCommand(args, environment);
  return { exitCode, ...written };
}

function nothingToDispose(): Disposable {
  return { [Symbol.dispose]: () => undefined };
}

/** Runs a command line with a shell, as a user who copies it would. */
export async function shell(command: string): Promise<Ended> {
  const child = spawn('bash', ['-c', command], { cwd: root });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { exitCode: child.exitCode, stdout, stderr };
}

/** A directory that is removed afterwards. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'quire-cli-'));
  // A killed process may still be ending: its writes would make the removal fail.
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/**
 * Settings of a server that these tests start: two principals, one table of sample data, any free
 * port.
 */
const testSettings = `
engine.broker.client.queryPort = 0
engine.broker.pagination.temp.dir = temp
engine.auth.principal.admin.role = admin
engine.auth.principal.admin.token.env = TEST_ADMIN_TOKEN
engine.auth.principal.ann.role = query
engine.auth.principal.ann.password.env = TEST_ANN_PASSWORD
engine.table.stocks.path = ${join(root, 'node_modules/vega-datasets/data/stocks.csv')}
`;

export const testVariables = { TEST_ADMIN_TOKEN: 'admin-token', TEST_ANN_PASSWORD: 'ann-password' };

/** Settings as the lines of a properties file. */
export function propertiesOf(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('');
}

/** Writes a settings file into a directory: the tests' own settings, and more. */
export async function writeSettings(directory: string, more = ''): Promise<string> {
  const path = join(directory, 'test.properties');
  await writeFile(path, testSettings + more);
  return path;
}

/** Starts a server, and resolves to it and its address once it listens. */
export async function startServer(
  args: readonly string[],
): Promise<{ readonly server: CliProcess; readonly url: string }> {
  const server = new CliProcess(
    ['start', ...(args.includes('--roles') ? [] : ['--roles', 'broker']), ...args],
    {
      variables: testVariables,
    },
  );
  const [, url = ''] = await server.untilPrinted(/broker +(http:\S+)[^]*Ctrl-C/);
  return { server, url };
}
