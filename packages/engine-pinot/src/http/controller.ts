import { formatDurationMs, QuireError } from '@quire/core';
import { parseTableName } from '@quire/core/table-engine';
import { unlessAborted, withDeadline } from '@quire/core/wait';
import { pinotSettings } from '../settings.ts';
import { parse } from '../answer/parse-json.ts';
import { at, hintOf, isUnsent } from './call-failure.ts';
import type { PinotAnswer, PinotCall, PinotHttp } from './pinot-http.ts';

/** The oldest release that has the calls used here. */
const oldestRelease = [1, 0] as const;

export interface ControllerCall extends Omit<PinotCall, 'url'> {
  /** The path from the root of the controller, with its query. */
  readonly path: string;
  /** The timeout of the call; default: 30 seconds to read, two minutes to change something. */
  readonly timeoutMs?: number | undefined;
}

/** The age from which the release is read again: a cluster is upgraded while a server runs. */
const releaseAgeMaxMs = 5 * 60_000;

const readMaxMs = 30_000;
const changeMaxMs = 120_000;

export interface ControllerAnswer {
  readonly status: number;
  readonly text: string;
}

/** The controllers of a cluster, all of which are equivalent. */
export class Controller {
  readonly http: PinotHttp;
  readonly urls: readonly string[];
  /** The index of the controller that answered last. */
  #current = 0;
  #release: Promise<readonly number[]> | undefined;
  #releaseAskedMs = 0;

  /** @param urls at least one, without a slash at the end */
  constructor(http: PinotHttp, urls: readonly string[]) {
    this.http = http;
    this.urls = urls.map((url) => url.replace(/\/+$/, ''));
  }

  /** The controller that is tried first. */
  get url(): string {
    return this.urls[this.#current] ?? '';
  }

  /**
   * Calls a controller; if nothing listens there, the next one. If a controller does not answer in
   * time, later calls start with the next one.
   *
   * @throws ENGINE_UNAVAILABLE when none answers
   */
  async call({ path, timeoutMs, signal, ...call }: ControllerCall): Promise<ControllerAnswer> {
    const { clock } = this.http;
    const limitMs = timeoutMs ?? (call.method === 'GET' ? readMaxMs : changeMaxMs);
    for (let attempt = 1; ; attempt += 1) {
      const { url } = this;
      const error = (): QuireError => {
        if (this.url === url) this.#next();
        return unanswered(url, `${call.method} ${path.split('?', 1)[0]}`, limitMs);
      };
      try {
        return await withDeadline({ clock, signal, timeoutMs: limitMs, error }, (limited) =>
          this.http.text({ ...call, url: `${url}${path}`, signal: limited }),
        );
      } catch (error) {
        if (!isUnsent(error) || attempt >= this.urls.length) throw error;
        // A concurrent call may have moved on already.
        if (this.url === url) this.#next();
      }
    }
  }

  /**
   * Returns the release of the cluster, `[1, 5, 1]`, which is a few minutes old at most unless the
   * controllers do not answer.
   *
   * @throws UNSUPPORTED when it is too old
   */
  async release(signal?: AbortSignal): Promise<readonly number[]> {
    const nowMs = this.http.clock.monotonicMs();
    if (this.#release === undefined || nowMs - this.#releaseAskedMs > releaseAgeMaxMs) {
      this.#releaseAskedMs = nowMs;
      // Independent of the signal of the first caller: others wait for the same answer.
      const reading = this.#readRelease();
      // No caller waits for a newer answer, because the controller may hang.
      this.#release ??= reading;
      reading.then(
        () => (this.#release = reading),
        () => this.#release === reading && (this.#release = undefined),
      );
    }
    return unlessAborted(this.#release, signal);
  }

  /**
   * Returns the raw names of all tables, in order: one for both halves of a hybrid table.
   *
   * @throws ENGINE_UNAVAILABLE, UNSUPPORTED, UNEXPECTED_RESPONSE when they cannot be listed
   */
  async tableNames(signal?: AbortSignal): Promise<readonly string[]> {
    await this.release(signal);
    const { status, text } = await this.call({ method: 'GET', path: '/tables', signal });
    if (status !== 200) {
      const cause = at(this.url, text.slice(0, 200));
      throw new QuireError(
        'UNEXPECTED_RESPONSE',
        `The controller answers /tables with HTTP ${status}.`,
        { cause },
      );
    }
    const { tables = [] } = parse(text) as { readonly tables?: readonly string[] };
    return [...new Set(tables.map((name) => parseTableName(name).rawName))].toSorted();
  }

  #next(): void {
    this.#current = (this.#current + 1) % this.urls.length;
  }

  async #readRelease(): Promise<readonly number[]> {
    const { status, text } = await this.call({ method: 'GET', path: '/version' });
    const version = /"pinot-(?:controller|common|core|spi)"\s*:\s*"(\d+(?:\.\d+)*)/.exec(text)?.[1];
    if (status !== 200 || version === undefined) {
      throw new QuireError(
        'UNEXPECTED_RESPONSE',
        `The configured controller does not answer as one of Apache Pinot: /version returned HTTP ${status}.`,
        {
          cause: at(this.url, text.slice(0, 200)),
          isForCallers: true,
          adminHint: hintOf(this.url, pinotSettings.settings.controllerUrls.key),
        },
      );
    }
    const release = version.split('.').map(Number);
    if (!isAtLeast(release, oldestRelease)) {
      throw new QuireError(
        'UNSUPPORTED',
        `The Apache Pinot cluster has release ${version}; ${oldestRelease.join('.')} is the oldest supported release.`,
        { cause: at(this.url, `release ${version}`) },
      );
    }
    return release;
  }
}

function unanswered(url: string, call: string, limitMs: number): QuireError {
  const what = call.startsWith('GET ') ? '' : '; it may still have taken effect';
  return new QuireError(
    'ENGINE_UNAVAILABLE',
    `The controller of Apache Pinot has not answered ${call} within ${formatDurationMs(limitMs)}${what}.`,
    { cause: at(url, call), adminHint: hintOf(url, pinotSettings.settings.controllerUrls.key) },
  );
}

/** Reports whether a release is at least as new as another. */
export function isAtLeast(release: readonly number[], oldest: readonly number[]): boolean {
  for (const [index, number] of oldest.entries()) {
    const difference = (release[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Reads the unused body of a response to its end, so that its connection serves the next call. */
export async function drain({ body }: PinotAnswer): Promise<void> {
  for await (const _ of body) {
    // Errors do not matter: the response is not used.
  }
}
