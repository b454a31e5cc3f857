import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endWithUs } from '../process/end-with-us.ts';
import { profileArguments, repositoryRoot, sourceCondition } from '../process/node-arguments.ts';

export interface QuireServerOptions {
  /** Settings by their keys, in addition to those of every server of the benchmark. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables of its environment, such as those of OpenTelemetry. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A directory for this server only. */
  readonly directory: string;
  /** Tables by name, each with the path of its file. */
  readonly tables: Readonly<Record<string, string>>;
  readonly profileDirectory?: string | undefined;
  /** Arguments for Node and the program; by default the command as users run it. */
  readonly program?: readonly string[];
}

const token = 'bench';
const stopMsMax = 20_000;

/** The Authorization header that the servers of the benchmark accept. */
export const authorization = `Bearer ${token}`;

/** The command; it runs the bundle that `npm run build` has written. */
export const command = join(repositoryRoot, 'packages/cli/bin/quire.cjs');

/** The command from the sources, as its first line runs it: the arguments of Node. */
export const sourceProgram: readonly string[] = [
  '--max-semi-space-size=2',
  sourceCondition,
  command,
];

/** A real `quire start` in a separate process. Disposing stops it the way an operator would. */
export class QuireServer implements AsyncDisposable {
  readonly url: string;
  /** Its Arrow Flight SQL address, if that is enabled; else it never resolves. */
  readonly flightUrl: Promise<string>;
  readonly #process: ChildProcess;
  readonly #directory: string;

  private constructor(
    child: ChildProcess,
    { url, flightUrl }: Pick<QuireServer, 'url' | 'flightUrl'>,
    directory: string,
  ) {
    this.#process = child;
    this.url = url;
    this.flightUrl = flightUrl;
    this.#directory = directory;
  }

  /**
   * Starts a server and resolves once it reports that it listens.
   *
   * @throws Error with its output, when it ends instead
   */
  static async start(options: QuireServerOptions): Promise<QuireServer> {
    const program = options.program ?? [
      // As the first line of the command reports.
      '--max-semi-space-size=2',
      ...profileArguments(options.profileDirectory),
      command,
    ];
    const assignments = Object.entries(settingsOf(options)).flatMap(([key, value]) => [
      '--set',
      `${key}=${value}`,
    ]);
    const child = spawn(
      process.execPath,
      [...program, 'start', '--roles', 'broker', ...assignments],
      {
        env: {
          PATH: process.env['PATH'],
          BENCH_TOKEN: token,
          // As in the image and in the unit of systemd.
          MALLOC_ARENA_MAX: '2',
          MALLOC_MMAP_THRESHOLD_: '262144',
          MALLOC_TRIM_THRESHOLD_: '262144',
          ...options.variables,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    endWithUs(child);
    const flightUrl = printedUrl(child, 'grpc');
    flightUrl.catch(() => undefined);
    const url = await printedUrl(child, 'http');
    return new QuireServer(child, { url, flightUrl }, options.directory);
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('The server did not start.');
    return this.#process.pid;
  }

  /** The directory of a result's rows, unless in memory. */
  dataFileOf(requestId: string): string {
    // The broker's id contains the port of the settings: 0, for any free one.
    return join(this.#directory, 'results/Broker_127.0.0.1_0', requestId, 'data.arrow');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const hasEnded = await Promise.race([
      exit.then(() => true),
      setTimeout(stopMsMax, false, { ref: false }),
    ]);
    if (!hasEnded) {
      this.#process.kill('SIGKILL');
      throw new Error(`The server at ${this.url} did not stop within ${stopMsMax / 1000} s.`);
    }
  }
}

function settingsOf({ settings, directory, tables }: QuireServerOptions): Record<string, string> {
  return {
    'engine.broker.client.queryPort': '0',
    'engine.broker.pagination.protocol': 'file',
    'engine.broker.pagination.file.data.dir': join(directory, 'results'),
    'engine.broker.pagination.temp.dir': join(directory, 'temp'),
    'engine.broker.pagination.expiration': '1d',
    'engine.broker.query.timeout': '30m',
    'engine.broker.shutdown.grace': '5s',
    'engine.log.level': 'warn',
    // No sweep interferes, unless it is measured.
    'controller.cluster.pagination.cleaner.initialDelay': '1h',
    'engine.auth.principal.bench.role': 'admin',
    'engine.auth.principal.bench.token.env': 'BENCH_TOKEN',
    ...Object.fromEntries(
      Object.entries(tables).map(([name, path]) => [`engine.table.${name}.path`, path]),
    ),
    ...settings,
  };
}

/** Continues to read after that: a full pipe would stop the server. */
async function printedUrl(child: ChildProcess, scheme: 'http' | 'grpc'): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const onData = (data: Buffer): void => {
      output = (output + data.toString()).slice(-10_000);
      const match = new RegExp(`${scheme}://127\\.0\\.0\\.1:\\d+`).exec(output);
      if (match !== null) resolve(match[0]);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.on('error', reject);
    child.on('exit', (code) =>
      reject(new Error(`quire start ended with code ${code}:\n${output}`)),
    );
  });
}
