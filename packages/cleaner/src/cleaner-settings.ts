import { QuireError } from '@quire/core';
import { QuotaPolicy, type QuotaOptions } from './quota-policy.ts';
import type { ScheduleOptions } from './sweep-schedule.ts';

/** The settings of a cleaner that may change while it runs. */
export interface CleanerSettings extends ScheduleOptions {
  /** The quota; undefined: results are deleted when they expire, and not earlier. */
  readonly quota: QuotaOptions | undefined;
  /**
   * The time for which data must exist without a commit record before it is deleted: longer than
   * `queryTimeoutMs`.
   */
  readonly graceMs: number;
  /**
   * The timeout of the queries whose results the store keeps, and so of their writes; 0 if nothing
   * is written.
   */
  readonly queryTimeoutMs: number;
  /** The number of concurrent deletions. */
  readonly concurrencyMax: number;
}

/** Settings that a cleaner has validated. */
export interface CheckedSettings {
  readonly settings: CleanerSettings;
  readonly policy: QuotaPolicy | undefined;
}

/**
 * Reads settings that may change at any time. If reading throws, or returns invalid settings, a
 * cleaner continues with the last valid ones.
 */
export class SettingsReader {
  readonly #read: () => CleanerSettings;
  readonly #onProblem: (problem: string, error: unknown) => void;
  #lastGood: CheckedSettings;
  #problem: string | undefined;

  /**
   * Reads the first settings.
   *
   * @param onProblem called once for each problem, until the settings are valid again
   * @throws INVALID_SETTING, and any error of `read`, when the first settings are not valid
   */
  constructor(read: () => CleanerSettings, onProblem: (problem: string, error: unknown) => void) {
    this.#read = read;
    this.#onProblem = onProblem;
    this.#lastGood = checkCleanerSettings(read());
  }

  /** The problem of the settings that were read last; undefined if they are in force. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Returns the current settings, or the last valid ones. */
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

/**
 * Checks the settings of a cleaner.
 *
 * @throws INVALID_SETTING when they are not valid
 */
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
    `more than queryTimeoutMs, ${queryTimeoutMs}: otherwise a write in progress would count as left behind`,
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
