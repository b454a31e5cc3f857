import { QuireError } from '@quire/core';
import { QuotaPolicy, type QuotaOptions } from './quota-policy.ts';
import type { ScheduleOptions } from './sweep-schedule.ts';

/** Everything about a cleaner that may change while it runs. */
export interface CleanerSettings extends ScheduleOptions {
  /** Undefined: results go when they expire, and no sooner. */
  readonly quota: QuotaOptions | undefined;
  /**
   * The time for which data must lie without a commit record before it goes: longer than
   * `queryTimeoutMs`.
   */
  readonly graceMs: number;
  /**
   * The time limit of the queries whose results the store keeps, and so of their writes; 0 where
   * nothing is written.
   */
  readonly queryTimeoutMs: number;
  /** How many deletions run at once. */
  readonly concurrencyMax: number;
}

/** Settings that a cleaner can work with. */
export interface CheckedSettings {
  readonly settings: CleanerSettings;
  readonly policy: QuotaPolicy | undefined;
}

/**
 * Reads settings that may change at any time, and keeps the last ones that a cleaner can work with:
 * reading them may throw, or give what no cleaner can work with, and a cleaner goes on all the
 * same.
 */
export class SettingsReader {
  readonly #read: () => CleanerSettings;
  readonly #onProblem: (problem: string, error: unknown) => void;
  #lastGood: CheckedSettings;
  #problem: string | undefined;

  /**
   * @param onProblem told of each problem once, until the settings are good again
   * @throws INVALID_SETTING, and whatever `read` throws, when the first settings are not good:
   * there are none to keep
   */
  constructor(read: () => CleanerSettings, onProblem: (problem: string, error: unknown) => void) {
    this.#read = read;
    this.#onProblem = onProblem;
    this.#lastGood = checkCleanerSettings(read());
  }

  /** What is wrong with the settings that were read last; undefined when they are in force. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The settings as they are now, or the last good ones. */
  current(): CheckedSettings {
    try {
      this.#lastGood = checkCleanerSettings(this.#read());
      this.#problem = undefined;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#onProblem(problem, error);
      this.#problem = problem;
    }
    return this.#lastGood;
  }
}

/** @throws INVALID_SETTING when a cleaner cannot work with them */
function checkCleanerSettings(settings: CleanerSettings): CheckedSettings {
  const { periodMs, initialDelayMs, graceMs, queryTimeoutMs, concurrencyMax, quota } = settings;
  checkNumber(
    'periodMs',
    periodMs,
    Number.isFinite(periodMs) && periodMs >= 1,
    'a number of milliseconds, 1 or more',
  );
  if (initialDelayMs !== 'random') {
    checkNumber(
      'initialDelayMs',
      initialDelayMs,
      isDurationMs(initialDelayMs),
      "'random' or a number of milliseconds, 0 or more",
    );
  }
  checkNumber('graceMs', graceMs, isDurationMs(graceMs), 'a number of milliseconds, 0 or more');
  checkNumber(
    'queryTimeoutMs',
    queryTimeoutMs,
    isDurationMs(queryTimeoutMs),
    'a number of milliseconds, 0 or more',
  );
  const isLonger = graceMs > queryTimeoutMs || queryTimeoutMs === 0;
  checkNumber(
    'graceMs',
    graceMs,
    isLonger,
    `more than queryTimeoutMs, ${queryTimeoutMs}: a write under way would look like the leftovers of one`,
  );
  checkNumber(
    'concurrencyMax',
    concurrencyMax,
    Number.isInteger(concurrencyMax) && concurrencyMax >= 1,
    'an integer, 1 or more',
  );
  return { settings, policy: quota === undefined ? undefined : new QuotaPolicy(quota) };
}

function isDurationMs(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function checkNumber(name: string, value: unknown, isGood: boolean, expected: string): void {
  if (!isGood) {
    throw new QuireError(
      'INVALID_SETTING',
      `The cleaner's ${name} is ${String(value)}; expected ${expected}.`,
    );
  }
}
