import { describe, expect, test } from 'vitest';
import { expectFair, type Neighbour } from './fair-trial.ts';
import { QueryRounds } from './query-rounds.ts';

const stepCount = 4;

/** The worst that one principal can do to the queries of others. */
const worst: readonly Neighbour<QueryRounds>[] = [
  {
    name: 'a neighbour that posts 80 async queries',
    act: async (world) => void (await world.start('ann', 80)),
  },
  {
    name: 'a neighbour whose 80 calls wait for their queries',
    act: (world) => world.flood('ann', 80),
  },
  {
    name: 'a neighbour that posts 80 async queries and cancels them',
    act: async (world) => {
      await world.start('ann', 80);
      await world.cancelAll('ann');
      await world.start('ann', 80);
    },
  },
  {
    name: 'a neighbour whose 80 calls ask the same, and whose first query is cancelled',
    act: async (world, step) => {
      await world.flood('ann', 80, () => `rows ${100 + step} then wait`);
      await world.cancelAll('ann');
      await world.flood('ann', 80, () => `rows ${200 + step} then wait`);
    },
  },
];

describe.each(worst)('beside $name', (neighbour) => {
  // One query after another, and several at a time, as a dashboard does it.
  test.each([1, 4])(
    'queries end within twice the rounds of a fair neighbour, %i at a time',
    async (count) => {
      await expectFair({
        open: () => QueryRounds.open({ reuse: { ageMaxMs: 0 } }),
        measure: async (world, act) => {
          const rounds: number[] = [];
          for (let step = 0; step < stepCount; step += 1) {
            await act(step);
            rounds.push(...(await world.roundsUntilEnded('bob', await world.start('bob', count))));
          }
          return rounds;
        },
        behaved: {
          name: 'one that asks as much',
          act: async (world) => void (await world.start('ann', count)),
        },
        worst: neighbour,
      });
    },
  );

  test('an admin gets a slot at once', async () => {
    await using world = await QueryRounds.open({ reuse: { ageMaxMs: 0 } });
    await neighbour.act(world, 0);
    const [first] = await world.start('root', 1);
    await world.settled();
    expect(await world.list('root')).toMatchObject([{ requestId: first, state: 'RUNNING' }]);
    expect(await world.roundsUntilEnded('root', [first])).toEqual([1]);
  });
});

test('with strict shares, a principal that comes late runs at once', async () => {
  await using world = await QueryRounds.open({ queryShares: { isShareStrict: true } });
  await world.start('ann', 80);
  const ids = await world.start('bob', 1);
  await world.settled();
  expect(await world.list('bob')).toMatchObject([{ requestId: ids[0], state: 'RUNNING' }]);
  expect((await world.list('ann')).filter(({ state }) => state === 'RUNNING').length).toBe(2);
  expect((await world.list('ann')).find(({ state }) => state === 'QUEUED')?.waitsFor).toBe('SHARE');
});

test('every principal may have as many queries waiting, whatever others have', async () => {
  await using world = await QueryRounds.open();
  const ann = await world.start('ann', 80);
  const bob = await world.start('bob', 80);
  const root = await world.start('root', 80);
  const letIn = (ids: readonly (string | undefined)[]): number =>
    ids.filter((id) => id !== undefined).length;
  // 3 run and 32 wait; 32 wait; 1 runs and 32 wait.
  expect([letIn(ann), letIn(bob), letIn(root)]).toEqual([35, 32, 33]);
});
