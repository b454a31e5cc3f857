import { describe, expect, test } from 'vitest';
import type { CleanerSettings } from '../src/index.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

describe('settings', () => {
  const bad: [string, (settings: CleanerSettings) => CleanerSettings][] = [
    [
      'cannot be read',
      () => {
        throw new TypeError('the settings file is gone');
      },
    ],
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(
      (periodMs): [string, (settings: CleanerSettings) => CleanerSettings] => [
        `have a period of ${periodMs} ms`,
        (settings) => ({ ...settings, periodMs }),
      ],
    ),
    [
      'have an initial delay that is not a number',
      (settings) => ({ ...settings, initialDelayMs: Number.NaN }),
    ],
    ['have a negative grace period', (settings) => ({ ...settings, graceMs: -1 })],
    [
      'have a grace period no longer than a query',
      (settings) => ({ ...settings, queryTimeoutMs: settings.graceMs }),
    ],
    ['let nothing be deleted at once', (settings) => ({ ...settings, concurrencyMax: 0 })],
    [
      'have a quota that cannot be',
      (settings) => ({
        ...settings,
        quota: { quotaBytes: 1, criticalPercent: 60, targetPercent: 90 },
      }),
    ],
  ];

  test.each(bad)(
    'settings that %s leave the last good ones in force, and are told of once until they are good again',
    async (_, read) => {
      let current = (settings: CleanerSettings): CleanerSettings => settings;
      const setup = new CleanerSetup({
        quotaBytes: 20_000,
        readSettings: (settings) => current(settings),
      });
      setup.cleaner.start();
      await setup.clock.advance(1000);
      const first = setup.cleaner.status.lastSweep;
      current = read;
      await setup.clock.advance(2.2 * hourMs);
      const { lastSweep, lastError, settingsProblem } = setup.cleaner.status;
      expect(lastSweep).not.toBe(first);
      expect(lastSweep).toMatchObject({ isGood: true, brokers: [{ quotaBytes: 20_000 }] });
      expect(lastError).toBeUndefined();
      const logged = setup.log.filter(({ level }) => level === 'error');
      expect(logged.map(({ members }) => members['reason'])).toEqual([settingsProblem]);
      expect(logged[0]?.message).toBe(
        'the settings of the cleaner are not valid: the last valid ones stay in force',
      );
      current = (settings) => ({ ...settings, quota: undefined });
      await setup.clock.advance(1.1 * hourMs);
      expect(setup.cleaner.status).toMatchObject({
        settingsProblem: undefined,
        lastSweep: { brokers: [{ quotaBytes: undefined }] },
      });
      await setup.cleaner.stop();
    },
  );

  test.each(bad)('settings that %s make no cleaner', (_, readSettings) => {
    expect(() => new CleanerSetup({ readSettings })).toThrow(
      /settings file is gone|The (cleaner's|settings of the storage cleaner)/u,
    );
  });

  test('settings say which number is wrong, and what is expected', () => {
    const readSettings = (settings: CleanerSettings): CleanerSettings => ({
      ...settings,
      periodMs: 0,
    });
    expect(() => new CleanerSetup({ readSettings })).toThrow(
      "The cleaner's periodMs is 0; expected a number of milliseconds, 1 or more.",
    );
  });
});
