import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CursorResponse, HealthResponse } from '@quire/api';
import {
  type CliProcess,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from './cli-process.ts';
import { filesBelow } from './files-below.ts';
import { until } from './until.ts';

const flights = join(
  import.meta.dirname,
  '../../../node_modules/vega-datasets/data/flights-3m.parquet',
);

/**
 * A server in a process of its own, with results in files, whose queries run in workers; limits are
 * low, so that tests are short.
 */
export class WorkerServer implements AsyncDisposable {
  readonly url: string;
  readonly server: CliProcess;
  readonly #directory: Awaited<ReturnType<typeof temporaryDirectory>>;

  private constructor(
    directory: Awaited<ReturnType<typeof temporaryDirectory>>,
    server: CliProcess,
    url: string,
  ) {
    this.#directory = directory;
    this.server = server;
    this.url = url;
  }

  /**
   * @param protocol of the store: files, or the memory of the server, to which workers send their
   *   output
   */
  static async start(settings = '', protocol: 'file' | 'memory' = 'file'): Promise<WorkerServer> {
    const directory = await temporaryDirectory();
    const config = await writeSettings(
      directory.path,
      `engine.broker.pagination.protocol = ${protocol}
${protocol === 'file' ? 'engine.broker.pagination.file.data.dir = results' : ''}
engine.table.flights.path = ${flights}
engine.broker.workers.memory.maxMB = 384
engine.broker.workers.kill.grace = 50ms
${settings}`,
    );
    const { server, url } = await startServer(['--config', config]);
    const started = new WorkerServer(directory, server, url);
    // The process that opened the tables exits when another one is ready.
    await until(async () => (await started.workerPids()).length <= 1, 'there is a single worker');
    return started;
  }

  /** Runs a query that keeps its result. */
  async query(sql: string, timeoutMs = 120_000): Promise<CursorResponse> {
    const response = await this.call('/query/sql?doPaginate=true&numRows=10', {
      method: 'POST',
      json: { sql, queryOptions: `timeoutMs=${timeoutMs}` },
    });
    if (response.status >= 500) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as CursorResponse;
  }

  async page(
    requestId: string,
    offset: number,
    rowCount: number,
  ): Promise<{ readonly rowCount: number; readonly elapsedMs: number }> {
    const startMs = performance.now();
    const response = await this.call(
      `/query/${requestId}/results?offset=${offset}&numRows=${rowCount}`,
    );
    const page = (await response.json()) as CursorResponse;
    if (response.status !== 200) {
      throw new Error(`A page failed with ${response.status}: ${JSON.stringify(page)}`);
    }
    return { rowCount: page.numRows, elapsedMs: performance.now() - startMs };
  }

  async health(): Promise<HealthResponse> {
    return (await (await this.call('/health')).json()) as HealthResponse;
  }

  async delete(requestId: string): Promise<void> {
    const response = await this.call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
    if (!response.ok) throw new Error(`A result could not be deleted: ${await response.text()}`);
  }

  call(
    path: string,
    { json, ...init }: { readonly method?: string; readonly json?: unknown } = {},
  ): Promise<Response> {
    const headers = {
      authorization: `Bearer ${testVariables.TEST_ADMIN_TOKEN}`,
      'content-type': 'application/json',
    };
    return fetch(`${this.url}${path}`, {
      ...init,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  }

  /** Process ids of the workers. */
  async workerPids(): Promise<number[]> {
    const children = await readFile(
      `/proc/${this.server.pid}/task/${this.server.pid}/children`,
      'utf8',
    );
    return children.trim().split(' ').filter(Boolean).map(Number);
  }

  /** Files of results, including those that are being written. */
  resultFiles(): Promise<string[]> {
    return filesBelow(join(this.#directory.path, 'results'));
  }

  /** Returns the spilled files of queries that still exist. */
  spilledFiles(): Promise<string[]> {
    return filesBelow(join(this.#directory.path, 'temp'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.#directory[Symbol.asyncDispose]();
  }
}

/** Reports whether a process is alive. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
