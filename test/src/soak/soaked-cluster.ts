import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CallOptions, CallOutcome } from '../simulation/client.ts';
import type { Removed } from '../simulation/laws.ts';
import type { UsedCluster } from '../simulation/result-user.ts';
import { propertiesOf, testVariables, writeSettings } from '../testkit/cli-process.ts';
import type { ProcessSample, SoakAnswer, SoakRequest } from './soak-messages.ts';

const minuteMs = 60_000;
/** The lifetimes of results. */
const lives = { expirationMs: 15 * minuteMs, expirationMaxMs: 30 * minuteMs };

/** A server of all roles in a process whose time the test controls. */
export class SoakedCluster implements UsedCluster, AsyncDisposable {
  readonly entries = ['broker', 'proxy'];
  readonly isShared = true;
  readonly hasController = true;
  readonly unit = { ms: minuteMs, suffix: 'm' };
  readonly expirationMaxMs = lives.expirationMaxMs;
  readonly pauseMaxMs = 50;
  readonly #child: ChildProcess;
  #urls: readonly string[] = [];
  #behindMs = 0;
  #turn: Promise<unknown> = Promise.resolve();
  /** Receives the deletions that the server's log names, with their times. */
  onRemoval: (removed: Removed, atMs: number) => void = () => undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(directory: string): Promise<SoakedCluster> {
    const at = (name: string): string => join(directory, name);
    const settings = await writeSettings(
      directory,
      propertiesOf({
        'controller.port': '0',
        'proxy.port': '0',
        'engine.log.format': 'json',
        'engine.auth.principal.bob.role': 'query',
        'engine.auth.principal.bob.password.env': 'TEST_ANN_PASSWORD',
        'engine.auth.principal.root.role': 'admin',
        'engine.auth.principal.root.password.env': 'TEST_ANN_PASSWORD',
        'engine.broker.query.timeout': '30m',
        'engine.broker.pagination.protocol': 'file',
        'engine.broker.pagination.file.data.dir': at('results'),
        'engine.broker.pagination.expiration': `${lives.expirationMs}ms`,
        'engine.broker.pagination.expiration.max': `${lives.expirationMaxMs}ms`,
        'engine.tables.data.dir': at('tables'),
        'engine.stream.file.dir': at('streams'),
        'engine.tables.trash.retention': '30m',
        'controller.cluster.pagination.cleaner.initialDelay': '1m',
        'controller.cluster.pagination.cleaner.frequencyPeriod': '5m',
      }),
    );
    const child = fork(join(import.meta.dirname, 'soaked-server.process.ts'), [settings], {
      execArgv: ['--expose-gc', '--conditions=@quire/source'],
      env: { ...process.env, ...testVariables },
    });
    const cluster = new SoakedCluster(child);
    const { urls = [], nowMs = 0 } = await cluster.#answer();
    cluster.#urls = urls;
    cluster.#behindMs = nowMs - Date.now();
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  nowMs(): number {
    return Date.now() + this.#behindMs;
  }

  async pause(delayMs: number): Promise<void> {
    const { nowMs = 0, removals = [] } = await this.#ask({ jumpMs: delayMs });
    this.#behindMs = nowMs - Date.now();
    for (const { line, atMs } of removals) this.onRemoval(JSON.parse(line) as Removed, atMs);
  }

  async sample(): Promise<ProcessSample> {
    const { sample } = await this.#ask({ sample: true });
    if (sample === undefined) throw new Error('The server gave no sample.');
    return sample;
  }

  expirationSince(): { readonly minMs: number; readonly maxMs: number } {
    return { minMs: lives.expirationMs, maxMs: lives.expirationMs };
  }

  sqlOf(rowCount: number, first: number, { isSlow }: { readonly isSlow: boolean }): string {
    const rows = `SELECT range AS n, 'row ' || range AS text FROM range(${first}, ${first + rowCount}) ORDER BY 1`;
    return isSlow
      ? rows.replace('ORDER BY', 'WHERE (SELECT sum(hash(range)) FROM range(2000000)) > 0 ORDER BY')
      : rows;
  }

  async call(host: string, path: string, options: CallOptions): Promise<CallOutcome> {
    const { method = 'GET', as, body } = options;
    const url = this.#urls[['broker', 'proxy', 'controller'].indexOf(host)] ?? '';
    const headers = {
      authorization: `Basic ${Buffer.from(`${as}:ann-password`).toString('base64')}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, text, json: <T>() => JSON.parse(text) as T };
  }

  #ask(request: SoakRequest): Promise<SoakAnswer> {
    const asked = this.#turn.then(async () => {
      const answered = this.#answer();
      this.#child.send(request);
      return await answered;
    });
    this.#turn = asked.catch(() => undefined);
    return asked;
  }

  async #answer(): Promise<SoakAnswer> {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.#child, 'exit', { signal }).then(([code]) =>
      Promise.reject(new Error(`The server ended with ${String(code)}.`)),
    );
    try {
      const message = once(this.#child, 'message', { signal }) as Promise<[SoakAnswer]>;
      const [answer] = await Promise.race([message, ended]);
      return answer;
    } finally {
      ended.catch(() => undefined);
      over.abort();
    }
  }
}
