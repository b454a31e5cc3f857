import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@quire/core';
import type { PinotAddress } from './pinot-server.ts';

/** Queries of tests are answered sooner on any machine, and brokers wait six times as long. */
const overdueMs = 10_000;

/** Loggers of the path of a query between a broker and a server, and errors of the machine. */
const ofQueries =
  /(?:InstanceRequest|DataTable|DirectOOM)Handler|QueryRouter|ServerChannels|QueryScheduler|QueryExecutor|Combine|OutOfMemory/;
const entriesMax = 20;
const linesOfEntryMax = 6;
const entryCharactersMax = 2_000;

/** Threads that run queries on a server, send its answers, or read them in a broker. */
const threadsOfQueries = /^"(?:pq[rw]-|nioEventLoop)|org\.apache\.pinot\.core\.(?:query|transport)/;
const idle = /sun\.nio\.ch\.EPoll\.wait|ThreadPoolExecutor\.getTask/;
const framesMax = 20;

/**
 * Observes a cluster while it answers a query. A broker only reports that a server did not respond;
 * the cause is in the cluster's log, or in its threads.
 */
export class PinotWatch implements Disposable {
  readonly #folder: string;
  readonly #logStart: number;
  readonly #ending = new AbortController();
  readonly #threads: Promise<string>;

  private constructor(folder: string, logStart: number) {
    this.#folder = folder;
    this.#logStart = logStart;
    this.#threads = systemClock.sleep(overdueMs, this.#ending.signal).then(
      () => this.#dumpThreads(),
      () => 'The answer arrived before the threads were to be dumped.',
    );
  }

  static async start({ folder }: PinotAddress): Promise<PinotWatch> {
    return new PinotWatch(folder, (await stat(logOf(folder))).size);
  }

  /**
   * Returns what the cluster has logged about queries since the start, and its threads if the
   * answer was overdue.
   */
  async report(): Promise<string> {
    this.#ending.abort();
    const log = (await readFile(logOf(this.#folder))).subarray(this.#logStart).toString();
    // Each entry starts with its date; the lines of a stack follow.
    const entries = log
      .split(/^(?=\d{4}-\d\d-\d\d )/m)
      .filter((entry) => ofQueries.test(entry))
      .slice(-entriesMax)
      .map((entry) => shortened(entry, linesOfEntryMax).slice(0, entryCharactersMax));
    return `Log of the cluster:\n${entries.join('\n')}\n\nThreads of the cluster:\n${await this.#threads}`;
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  async #dumpThreads(): Promise<string> {
    try {
      const pid = (await readFile(join(this.#folder, 'pid'), 'utf8')).trim();
      const options = { maxBuffer: 16 * 1024 * 1024 };
      const { stdout } = await promisify(execFile)('jcmd', [pid, 'Thread.print'], options);
      const threads = stdout.split(/\n\n(?=")/).filter((thread) => threadsOfQueries.test(thread));
      const [waiting = [], busy = []] = [true, false].map((isIdle) =>
        threads.filter((thread) => idle.test(thread) === isIdle),
      );
      const names = waiting.map((thread) => thread.split('"')[1]);
      return [
        ...busy.map((thread) => shortened(thread, framesMax)),
        `idle: ${names.join(', ')}`,
      ].join('\n\n');
    } catch (error) {
      return `They could not be dumped: ${String(error)}`;
    }
  }
}

function logOf(folder: string): string {
  return join(folder, 'pinot.log');
}

function shortened(text: string, linesMax: number): string {
  return text.split('\n').slice(0, linesMax).join('\n').trimEnd();
}
