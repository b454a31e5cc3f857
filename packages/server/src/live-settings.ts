import type { Clock } from '@quire/core';
import {
  type ReloadEvent,
  type Settings,
  SettingsReloader,
  type SettingsRequest,
  type SettingView,
} from '@quire/settings';
import type { Logger } from 'pino';

/** The settings at the start, and the source of changes to them. */
export interface LiveSettingsOptions {
  /**
   * The file to watch. Without a path nothing is watched, because environment and overrides do not
   * change.
   */
  readonly request: SettingsRequest;
  readonly settings: Settings;
  /** The same settings as text for display. Default: none. */
  readonly view?: readonly SettingView[] | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Called with the settings before and after a change. */
export type SettingsListener = (before: Settings, after: Settings) => void;

/** The settings of a running server: those of its start, with live ones updated from their file. */
export class LiveSettings implements AsyncDisposable {
  readonly #logger: Logger;
  readonly #listeners: SettingsListener[] = [];
  #current: Settings;
  #view: readonly SettingView[];
  #reloader: SettingsReloader | undefined;
  /** True if the last read of the file was refused. */
  #isRefused = false;

  private constructor({ settings, view = [], logger }: LiveSettingsOptions) {
    this.#current = settings;
    this.#view = view;
    this.#logger = logger;
  }

  static async open(options: LiveSettingsOptions): Promise<LiveSettings> {
    const live = new LiveSettings(options);
    const { request, settings, clock } = options;
    const { path } = request;
    if (path !== undefined) {
      const onEvent = (event: ReloadEvent): void => live.#receive(event);
      live.#reloader = await SettingsReloader.open({
        request: { ...request, path },
        settings,
        clock,
        onEvent,
      });
    }
    return live;
  }

  /** The current settings as one frozen object: read it once for values that must be consistent. */
  get current(): Settings {
    return this.#current;
  }

  /** The number of problems of the current file. */
  get problemCount(): number {
    return this.#reloader?.problems.length ?? 0;
  }

  /** The settings in force as text for display, with their sources. */
  get view(): readonly SettingView[] {
    return this.#view;
  }

  /** The problems of the current file, in sentences. */
  get problems(): readonly string[] {
    return (this.#reloader?.problems ?? []).map(({ message }) => message);
  }

  /** Calls the listener after every change of the settings in force. */
  onApplied(listener: SettingsListener): void {
    this.#listeners.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reloader?.[Symbol.asyncDispose]();
  }

  #receive(event: ReloadEvent): void {
    const wasRefused = this.#isRefused;
    this.#isRefused = event.kind === 'refused';
    if (event.kind === 'refused') {
      const problems = event.problems.map(({ message }) => message);
      this.#logger.error(
        { problems },
        'the settings file is not valid: the last valid settings stay in force',
      );
      return;
    }
    const before = this.#current;
    this.#current = event.settings;
    this.#view = viewInForce(this.#view, event.view);
    this.#logger.level = event.settings.observability.logLevel;
    const { changed, awaitingRestart } = event;
    if (changed.length > 0) {
      this.#logger.info({ changed }, 'settings file read: the changes are in force');
    } else if (wasRefused) {
      this.#logger.info('the settings file is valid again; the settings in force stay');
    }
    if (awaitingRestart.length > 0) {
      this.#logger.warn({ awaitingRestart }, 'settings were changed that need a restart');
    }
    for (const listener of this.#listeners) listener(before, event.settings);
  }
}

/** Returns the view in force: live settings as in the file now, others as at the start. */
function viewInForce(
  running: readonly SettingView[],
  read: readonly SettingView[],
): readonly SettingView[] {
  const liveByKey = new Map(
    read.filter(({ isLive }) => isLive).map((setting) => [setting.key, setting]),
  );
  return running.map((setting) => liveByKey.get(setting.key) ?? setting);
}
