import { ManualClock } from '@quire/core/testing';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { EngineReport } from '../src/engines/engine-kind.ts';
import { EngineMonitor } from '../src/engines/engine-monitor.ts';

const lost = {
  setting: 'engine.pinot.broker.url',
  url: 'http://pinot-broker:8099',
  problem: 'Apache Pinot does not answer: ECONNREFUSED.',
};

/** A monitor of reports that the test changes, and its log. */
class Scene implements AsyncDisposable {
  readonly clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1) });
  readonly lines: {
    readonly level: number;
    readonly setting?: string;
    readonly address?: string;
  }[] = [];
  report: EngineReport | 'never' = { isUsable: true, problems: [] };
  probeCount = 0;
  isDisposed = false;
  readonly monitor = new EngineMonitor(
    {
      probe: ({ signal }) => {
        this.probeCount += 1;
        const { report } = this;
        if (report !== 'never') return Promise.resolve(report);
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
      listTables: async () => ['flights'],
      [Symbol.asyncDispose]: async () => void (this.isDisposed = true),
    },
    this.clock,
    pino({ base: null }, { write: (line: string) => void this.lines.push(JSON.parse(line)) }),
  );

  async [Symbol.asyncDispose](): Promise<void> {
    await this.monitor[Symbol.asyncDispose]();
  }
}

test('the state is looked at when it is read, once within five seconds', async () => {
  await using scene = new Scene();
  const ok = { state: 'ok', checkedAt: '2026-01-01T00:00:00.000Z', problem: null };
  expect(await scene.monitor.read()).toEqual(ok);
  await scene.clock.advance(4_999);
  expect(await scene.monitor.read()).toEqual(ok);
  expect(scene.probeCount).toBe(1);
  await scene.clock.advance(1);
  expect(await scene.monitor.read()).toEqual({ ...ok, checkedAt: '2026-01-01T00:00:05.000Z' });
});

test('an address that is lost is degraded or unavailable, logged once with its setting, and once when it is back', async () => {
  await using scene = new Scene();
  scene.report = { isUsable: true, problems: [lost] };
  expect(await scene.monitor.read()).toMatchObject({ state: 'degraded', problem: lost.problem });
  await scene.clock.advance(5_000);
  scene.report = { isUsable: false, problems: [lost, { ...lost, url: 'http://other:8099' }] };
  const unavailable = await scene.monitor.read();
  expect(unavailable).toMatchObject({ state: 'unavailable', problem: lost.problem });
  expect(JSON.stringify(unavailable)).not.toMatch(/8099|engine\.pinot/);
  await scene.clock.advance(5_000);
  scene.report = { isUsable: true, problems: [] };
  expect(await scene.monitor.read()).toMatchObject({ state: 'ok', problem: null });
  expect(scene.lines.map(({ level, setting, address }) => [level, setting, address])).toEqual([
    [40, lost.setting, lost.url],
    [40, lost.setting, 'http://other:8099'],
    [30, lost.setting, lost.url],
    [30, lost.setting, 'http://other:8099'],
  ]);
});

test('a cluster that hangs keeps no reader of health, and is left alone when the server stops', async () => {
  const scene = new Scene();
  scene.report = 'never';
  const reading = scene.monitor.read();
  await scene.clock.advance(1_000);
  expect(await reading).toEqual({ state: 'unknown', checkedAt: null, problem: null });
  await scene[Symbol.asyncDispose]();
  expect(scene.isDisposed).toBe(true);
});
