import type { Clock } from '@quire/core';
import {
  type ReloadEvent,
  type Settings,
  SettingsReloader,
  type SettingsRequest,
  type SettingView,
} from '@quire/settings';
import type { Logger } from 'pino';

/** The settings of a start, and where changes to them are read. */
export interface LiveSettingsOptions {
  /** Without a path nothing is watched: environment and overrides do not change. */
  readonly request: SettingsRequest;
  readonly settings: Settings;
  /** The same as text, for those who show it. Default: nothing is known. */
  readonly view?: readonly SettingView[] | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Called with the settings before and after a change. */
export type SettingsListener = (before: Settings, after: Settings) => void;

/**
 * The settings of a server that runs: those of its start, with the live ones kept up with their
 * file.
 */
export class LiveSettings implements AsyncDisposable {
  readonly #logger: Logger;
  readonly #listeners: SettingsListener[] = [];
  #current: Settings;
  #view: readonly SettingView[];
  #reloader: SettingsReloader | undefined;
  /** Whether the file was refused when it was read last. */
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

  /** One frozen object: take it once for everything that must go together. */
  get current(): Settings {
    return this.#current;
  }

  /** How much is wrong with the file as it is now. */
  get problemCount(): number {
    return this.#reloader?.problems.length ?? 0;
  }

  /** What holds, as text that is fit to be shown, with where it comes from. */
  get view(): readonly SettingView[] {
    return this.#view;
  }

  /** What is wrong with the file as it is now, in sentences. */
  get problems(): readonly string[] {
    return (this.#reloader?.problems ?? []).map(({ message }) => message);
  }

  /** Calls back after every change of what holds. */
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
      this.#logger.info('the settings file is valid again; what was in force stays');
    }
    if (awaitingRestart.length > 0) {
      this.#logger.warn({ awaitingRestart }, 'settings were changed that need a restart');
    }
    for (const listener of this.#listeners) listener(before, event.settings);
  }
}

/** What is live holds as the file says it now, the rest as it was at the start. */
function viewInForce(
  running: readonly SettingView[],
  read: readonly SettingView[],
): readonly SettingView[] {
  const liveByKey = new Map(
    read.filter(({ isLive }) => isLive).map((setting) => [setting.key, setting]),
  );
  return running.map((setting) => liveByKey.get(setting.key) ?? setting);
}
