import { dirname, resolve } from 'node:path';
import { type Clock, isQuireError } from '@quire/core';
import { type FSWatcher, watch } from 'chokidar';
import { diffSettings, type SettingsDiff } from './diff-settings.ts';
import {
  type FileReading,
  parseReading,
  readSettingsFile,
  type SettingsRequest,
} from './load-settings.ts';
import type { SettingProblem } from './setting-problem.ts';
import type { SettingView } from './read-values.ts';
import type { Settings } from './setting-table.ts';

/** The delay before an unreadable file is read again. */
const lookAgainMs = 1000;

/** The outcome of a change of the file. */
export type ReloadEvent =
  /**
   * The file is valid: `settings` are now in force. Also sent when the file is valid again without
   * changes.
   */
  | ({ readonly kind: 'applied'; readonly view: readonly SettingView[] } & SettingsDiff)
  /**
   * The file is invalid or missing: the last valid settings stay. Sent once for each invalid state
   * of the file.
   */
  | { readonly kind: 'refused'; readonly problems: readonly SettingProblem[] };

/** The file of a `SettingsReloader`, and its callback. */
export interface ReloadOptions {
  readonly request: SettingsRequest & { readonly path: string };
  /** The running settings, as read at the start. */
  readonly settings: Settings;
  readonly clock: Clock;
  readonly onEvent: (event: ReloadEvent) => void;
  /**
   * The time without changes before the file is read; default 200 ms, because editors write in
   * several steps.
   */
  readonly settleMs?: number;
}

/**
 * Follows changes of the settings file; a change is applied completely or not at all. Environment
 * and overrides stay as they were.
 *
 * Watches the directory of the file, because editors and Kubernetes replace files: by renaming,
 * swapping a symbolic link, or deleting and recreating. The content of the file decides, not the
 * type of event.
 */
export class SettingsReloader implements AsyncDisposable {
  readonly #options: ReloadOptions;
  #watcher: FSWatcher;
  readonly #stopped = new AbortController();
  #settling: AbortController | undefined;
  #reading: Promise<void> = Promise.resolve();
  #lastSeen: string | undefined;
  #isLost = false;
  #settings: Settings;
  #problems: readonly SettingProblem[] = [];

  private constructor(options: ReloadOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#watcher = this.#watch();
  }

  /** Starts to watch; resolves once no change can be missed. */
  static async open(options: ReloadOptions): Promise<SettingsReloader> {
    const reloader = new SettingsReloader(options);
    await isReady(reloader.#watcher, reloader.#stopped.signal);
    // The file may have changed since it was read at the start. A change in the meantime is read
    // afterwards: readings that end in another order would bring the older settings into force.
    reloader.#reading = reloader.#read();
    await reloader.#reading;
    return reloader;
  }

  /** The settings in force: one frozen object, which is replaced as a whole. */
  get settings(): Settings {
    return this.#settings;
  }

  /** The problems of the current file; empty if it is valid. */
  get problems(): readonly SettingProblem[] {
    return this.#problems;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.#settling?.abort();
    await this.#watcher.close();
    await this.#reading;
  }

  #watch(): FSWatcher {
    const path = resolve(this.#options.request.workingDir, this.#options.request.path);
    const watcher = watch([dirname(path), path], { depth: 0, ignoreInitial: true, atomic: false });
    watcher.on('all', () => this.#notice());
    // A failed watcher sees no further changes; the running settings stay.
    watcher.on('error', () => this.#notice());
    return watcher;
  }

  /** Restarts the watcher, which loses a path that is missing or temporarily not a file. */
  async #watchAgain(): Promise<boolean> {
    await this.#watcher.close();
    if (this.#stopped.signal.aborted) return false;
    this.#watcher = this.#watch();
    return true;
  }

  /**
   * Polls for a missing file. Once it exists it is watched, and then read again, because it may
   * have changed in the meantime.
   */
  async #follow(isFound: boolean): Promise<void> {
    if (isFound && !this.#isLost) return;
    this.#isLost = !isFound;
    if (!(await this.#watchAgain())) return;
    if (!isFound) {
      this.#notice(lookAgainMs);
      return;
    }
    await isReady(this.#watcher, this.#stopped.signal);
    this.#notice();
  }

  /** Schedules a read for when there have been no further events for a while. */
  #notice(afterMs = this.#options.settleMs ?? 200): void {
    this.#settling?.abort();
    const settling = new AbortController();
    this.#settling = settling;
    const { clock } = this.#options;
    clock.sleep(afterMs, AbortSignal.any([settling.signal, this.#stopped.signal])).then(
      () => {
        this.#reading = this.#reading.then(() => this.#read());
      },
      (error: unknown) => {
        if (!isQuireError(error, 'ABORTED')) throw error;
      },
    );
  }

  async #read(): Promise<void> {
    const { request } = this.#options;
    const reading = await readSettingsFile(request.path, request.workingDir);
    if (this.#stopped.signal.aborted) return;
    this.#report(reading);
    await this.#follow('text' in reading);
  }

  #report(reading: FileReading): void {
    const { request, onEvent } = this.#options;
    const seen = identityOf(reading);
    if (seen === this.#lastSeen) return;
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
    const hasChanged = diff.changed.length > 0 || diff.awaitingRestart.length > 0 || wasBad;
    if (hasChanged || !isFirst) onEvent({ kind: 'applied', view: outcome.view, ...diff });
  }
}

/** Resolves once no change can be missed, or once it is stopped. */
async function isReady(watcher: FSWatcher, stopped: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    watcher.once('ready', resolve);
    stopped.addEventListener('abort', () => resolve(), { once: true });
  });
}

function identityOf(reading: FileReading): string {
  return 'text' in reading ? `text ${reading.text}` : `problem ${reading.problem.message}`;
}
