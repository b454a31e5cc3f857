import { dirname, resolve } from 'node:path';
import { type Clock, isQuireError } from '@quire/core';
import { type FSWatcher, watch } from 'chokidar';
import { diffSettings, type SettingsDiff } from './diff-settings.ts';
import { type FileReading, parseReading, readSettingsFile, type SettingsRequest } from './load-settings.ts';
import type { SettingProblem } from './setting-problem.ts';
import type { Settings } from './setting-table.ts';

/** What became of a change of the file. */
export type ReloadEvent =
  /** The file is good: `settings` hold from now on. Also when only its return to the good is news. */
  | ({ readonly kind: 'applied' } & SettingsDiff)
  /** The file is bad or gone: the last good settings stay. Said once for each bad state of the file. */
  | { readonly kind: 'refused'; readonly problems: readonly SettingProblem[] };

export interface ReloadOptions {
  readonly request: SettingsRequest & { readonly path: string };
  /** What runs now, as it was read at the start. */
  readonly settings: Settings;
  readonly clock: Clock;
  readonly onEvent: (event: ReloadEvent) => void;
  /** How long the file must be left alone before it is read; default 200 ms: editors write in several steps. */
  readonly settleMs?: number;
}

/**
 * Keeps settings up with their file: a change is applied whole or not at all. Environment and overrides stay as they were.
 *
 * Watches the directory of the file, because editors and Kubernetes replace files instead of writing them: saved in place, renamed
 * over, a swapped symbolic link, deleted and back again. What counts is what the file then holds, not which event came.
 */
export class SettingsReloader implements AsyncDisposable {
  readonly #options: ReloadOptions;
  readonly #watcher: FSWatcher;
  readonly #stopped = new AbortController();
  #settling: AbortController | undefined;
  #reading: Promise<void> = Promise.resolve();
  #lastSeen: string | undefined;
  #settings: Settings;
  #problems: readonly SettingProblem[] = [];

  private constructor(options: ReloadOptions) {
    this.#options = options;
    this.#settings = options.settings;
    const directory = dirname(resolve(options.request.workingDir, options.request.path));
    this.#watcher = watch([directory, resolve(options.request.workingDir, options.request.path)], {
      depth: 0,
      ignoreInitial: true,
      atomic: false,
    });
    this.#watcher.on('all', () => this.#notice());
    // A watcher that fails sees no more changes; what runs, runs on.
    this.#watcher.on('error', () => this.#notice());
  }

  /** Begins to watch; resolves once no change can be missed any more. */
  static async open(options: ReloadOptions): Promise<SettingsReloader> {
    const reloader = new SettingsReloader(options);
    await new Promise<void>((ready) => void reloader.#watcher.once('ready', ready));
    // The file may have changed since it was read at the start.
    await reloader.#read();
    return reloader;
  }

  /** The settings that hold: one frozen object, replaced as a whole. */
  get settings(): Settings {
    return this.#settings;
  }

  /** What is wrong with the file as it is now; empty while it is good. */
  get problems(): readonly SettingProblem[] {
    return this.#problems;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.#settling?.abort();
    await this.#watcher.close();
    await this.#reading;
  }

  /** Something happened: read once nothing has happened for a while. */
  #notice(): void {
    this.#settling?.abort();
    const settling = new AbortController();
    this.#settling = settling;
    const { clock, settleMs = 200 } = this.#options;
    clock.sleep(settleMs, AbortSignal.any([settling.signal, this.#stopped.signal])).then(
      () => {
        this.#reading = this.#reading.then(() => this.#read());
      },
      (error: unknown) => {
        if (!isQuireError(error, 'ABORTED')) throw error;
      },
    );
  }

  async #read(): Promise<void> {
    const { request, onEvent } = this.#options;
    const reading = await readSettingsFile(request.path, request.workingDir);
    const seen = identityOf(reading);
    if (seen === this.#lastSeen || this.#stopped.signal.aborted) return;
    const isFirst = this.#lastSeen === undefined;
    this.#lastSeen = seen;
    const outcome = parseReading(reading, request);
    if (!outcome.ok) {
      this.#problems = outcome.problems;
      onEvent({ kind: 'refused', problems: outcome.problems });
      return;
    }
    const wasBad = this.#problems.length > 0;
    const diff = diffSettings(this.#settings, outcome.settings);
    this.#problems = [];
    this.#settings = diff.settings;
    const isNews = diff.changed.length > 0 || diff.awaitingRestart.length > 0 || wasBad;
    if (isNews || !isFirst) onEvent({ kind: 'applied', ...diff });
  }
}

function identityOf(reading: FileReading): string {
  return 'text' in reading ? `text ${reading.text}` : `problem ${reading.problem.message}`;
}
