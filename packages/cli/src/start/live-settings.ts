import { type ReloadEvent, type Settings, type SettingsRequest, SettingsReloader } from '@quire/settings';
import type { Clock } from '@quire/core';
import type { Logger } from 'pino';

export interface LiveSettingsOptions {
  /** Without a path nothing is watched: environment and overrides do not change. */
  readonly request: SettingsRequest;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Listener = (before: Settings, after: Settings) => void;

/** The settings of a server that runs: those of its start, with the live ones kept up with their file. */
export class LiveSettings implements AsyncDisposable {
  readonly #logger: Logger;
  readonly #listeners: Listener[] = [];
  #current: Settings;
  #reloader: SettingsReloader | undefined;

  private constructor({ settings, logger }: LiveSettingsOptions) {
    this.#current = settings;
    this.#logger = logger;
  }

  static async open(options: LiveSettingsOptions): Promise<LiveSettings> {
    const live = new LiveSettings(options);
    const { request, settings, clock } = options;
    const { path } = request;
    if (path !== undefined) {
      const onEvent = (event: ReloadEvent): void => live.#hear(event);
      live.#reloader = await SettingsReloader.open({ request: { ...request, path }, settings, clock, onEvent });
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

  /** Calls back after every change of what holds. */
  onApplied(listener: Listener): void {
    this.#listeners.push(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reloader?.[Symbol.asyncDispose]();
  }

  #hear(event: ReloadEvent): void {
    if (event.kind === 'refused') {
      const problems = event.problems.map(({ message }) => message);
      this.#logger.error({ problems }, 'the settings file is not valid: the last valid settings stay in force');
      return;
    }
    const before = this.#current;
    this.#current = event.settings;
    this.#logger.level = event.settings.observability.logLevel;
    this.#logger.info({ changed: event.changed }, 'settings file read: the changes are in force');
    const { awaitingRestart } = event;
    if (awaitingRestart.length > 0) this.#logger.warn({ awaitingRestart }, 'settings were changed that need a restart');
    for (const listener of this.#listeners) listener(before, event.settings);
  }
}
