import { expect, test } from 'vitest';
import { describeWithTool, s3Server } from '../testkit/toolchain.ts';
import { runHistory } from './run-history.ts';

/**
 * The long form: `QUIRE_HISTORY_MINUTES=60`, with another order of faults by `QUIRE_HISTORY_SEED`;
 * `QUIRE_HISTORY_FILE` keeps all calls and their outcomes.
 */
const minutes = Number(process.env['QUIRE_HISTORY_MINUTES'] ?? 0.3);
const seed = Number(process.env['QUIRE_HISTORY_SEED'] ?? 1);
const isLong = minutes >= 2;
const callsMin = 20;
const outcomesMin = ['query 200', 'page 200'];

describeWithTool(s3Server, 'a history of real processes on a real bucket', (path) => {
  test(
    'real processes keep the laws of the simulation, whatever happens to brokers, the network and the bucket',
    { timeout: 600_000 + 2 * minutes * 60_000 },
    async () => {
      const report = await runHistory({
        s3Server: path,
        seed,
        durationMs: minutes * 60_000,
        // A loaded machine answers few calls in the time of the short form.
        isEnough: ({ outcomes, callCount }) =>
          callCount > callsMin && outcomesMin.every((outcome) => outcome in outcomes),
        orphansMs: isLong ? 120_000 : undefined,
        file: process.env['QUIRE_HISTORY_FILE'],
      });
      if (isLong) console.log(report);
      expect(report.left).toEqual([]);
      expect(report.callCount).toBeGreaterThan(callsMin);
      expect(Object.keys(report.outcomes)).toEqual(expect.arrayContaining(outcomesMin));
    },
  );
});
