import { expect, test, vi } from 'vitest';
import { Events, LiveTables } from './live-tables.ts';
import { restreamPath as path, summaryOf as summary } from './restream-calls.ts';
import { patience } from '../testkit/until.ts';

const roundCount = Number(process.env['QUIRE_RESTREAM_KILLS'] ?? 1);

test('a live table is rebuilt while its producer goes on', async () => {
  await using tables = await LiveTables.open();
  await using producer = await tables.producer();
  const events = new Events();
  await events.write(producer, 5000);
  await tables.makeEvents();
  events.begin(producer);
  try {
    const started = await tables.call('POST', path);
    expect([started.status, await started.json()]).toMatchObject([
      200,
      { status: 'INIT', error: null },
    ]);
    const target = 5000;
    await expect.poll(async () => (await tables.restream()).status).toBe('DONE');
    const [[sourceRows, sourceIds, sourceHash] = []] = await tables.ask(summary('events', target));
    expect([sourceRows, sourceIds]).toEqual([target, target]);
    expect(await tables.ask(summary('copy', target))).toEqual([[target, target, sourceHash]]);
  } finally {
    await events.stop();
  }
  const all = events.count;
  await expect
    .poll(async () => (await tables.ask(summary('events', all)))[0]?.slice(0, 2))
    .toEqual([all, all]);
  await vi.waitFor(
    async () =>
      expect(await tables.ask(summary('copy', all))).toEqual(
        await tables.ask(summary('events', all)),
      ),
    patience,
  );
  const second = await tables.call('POST', path);
  expect([second.status, await second.json()]).toMatchObject([409, { reason: 'TABLE_EXISTS' }]);
});

test(
  'it is rebuilt all the same when the server is killed in the middle of it',
  { timeout: 240_000 + roundCount * 60_000 },
  async () => {
    await using tables = await LiveTables.open();
    await using producer = await tables.producer();
    const events = new Events();
    await events.write(producer, 20_000);
    await tables.makeEvents();
    expect((await tables.call('POST', path)).status).toBe(200);
    for (let round = 0; round < roundCount; round += 1) {
      await tables.kill();
      await tables.start();
      await events.write(producer, 100);
    }
    await expect.poll(async () => (await tables.restream()).status).toBe('DONE');
    const all = events.count;
    const expected = [[all, all, expect.anything()]];
    await expect.poll(() => tables.ask(summary('events', all))).toEqual(expected);
    await vi.waitFor(
      async () =>
        expect(await tables.ask(summary('copy', all))).toEqual(
          await tables.ask(summary('events', all)),
        ),
      patience,
    );
  },
);

test('a job that waits at its start is resumed, or cancelled with its destination', async () => {
  await using tables = await LiveTables.open();
  await using producer = await tables.producer();
  await new Events().write(producer, 100);
  await tables.makeEvents();
  expect((await tables.call('POST', `${path}&debugPause=true`)).status).toBe(200);
  expect(await tables.ask('SELECT count(*) FROM copy')).toEqual([[0]]);
  const other = await tables.call('POST', path.replace('copy_', 'other_'));
  expect([other.status, await other.json()]).toMatchObject([409, { reason: 'JOB_EXISTS' }]);
  const inUse = await tables.call('DELETE', '/tables/events_REALTIME');
  expect([inUse.status, await inUse.json()]).toMatchObject([409, { reason: 'TABLE_IN_USE' }]);
  expect((await tables.call('POST', '/tables/events_REALTIME/restream/resume')).status).toBe(200);
  await expect.poll(async () => (await tables.restream()).status).toBe('DONE');
  expect(await tables.ask('SELECT count(*) FROM copy')).toEqual([[100]]);

  expect(
    (await tables.call('POST', `${path.replace('copy_', 'third_')}&debugPause=true`)).status,
  ).toBe(200);
  expect((await tables.call('DELETE', '/tables/events_REALTIME/restream')).status).toBe(200);
  await expect.poll(async () => (await tables.restream()).status).toBe('CANCELLED');
  // The schema is deleted last, after the job has ended.
  await expect.poll(async () => (await tables.call('GET', '/schemas/third')).status).toBe(404);
  expect((await tables.call('GET', '/tables/third_REALTIME')).status).toBe(404);
});
