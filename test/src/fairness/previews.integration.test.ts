import { expect, test } from 'vitest';
import { expectFair } from './fair-trial.ts';
import { PreviewRounds } from './preview-rounds.ts';

const stepCount = 4;

test.each([1, 4])(
  'previews are answered within twice the rounds of a fair neighbour, %i at a time',
  async (count) => {
    await expectFair({
      open: () => PreviewRounds.open(),
      measure: async (world, act) => {
        const rounds: number[] = [];
        for (let step = 0; step < stepCount; step += 1) {
          await act(step);
          rounds.push(...(await world.roundsUntilAnswered(await world.start('bob', count))));
        }
        return rounds;
      },
      behaved: {
        name: 'one that asks as much',
        act: async (world) => void (await world.start('ann', count)),
      },
      worst: {
        name: 'one that asks for 80 at once',
        act: async (world) => void (await world.start('ann', 80)),
      },
    });
  },
);

test('a principal that is alone has all previews but the one of admins, who always get theirs', async () => {
  await using world = await PreviewRounds.open();
  const answers = await world.start('ann', 80);
  expect(world.runningCount('ann')).toBe(3);
  const [admin] = await world.start('root', 1);
  expect(world.runningCount('root')).toBe(1);
  void (await world.start('bob', 2));
  await world.endRound();
  expect([await admin, world.runningCount('ann'), world.runningCount('bob')]).toEqual([200, 1, 2]);
  while (world.runningCount('ann') + world.runningCount('bob') > 0) await world.endRound();
  // 3 ran at once, and 4 waited.
  const statuses = await Promise.all(answers);
  expect([200, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([
    7, 73,
  ]);
});

test('a refusal says what the principal has under way, and which setting it has reached', async () => {
  await using world = await PreviewRounds.open();
  void (await world.start('ann', 7));
  const refused = await world.controller.call('/tables/preview', {
    method: 'POST',
    as: 'ann',
    body: 'ann',
  });
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '1',
    {
      code: 429,
      error:
        'ann has 3 previews running and 4 waiting, the maximum for one principal (controller.preview.queue.principal = 4); ' +
        'try again when one of them has ended.',
      reason: 'TOO_MANY_REQUESTS',
    },
  ]);
});

test('previews of callers that hang up leave at once, those that wait and those that run', async () => {
  await using world = await PreviewRounds.open();
  const hangUp = new AbortController();
  const { controller } = world;
  const gone = Array.from({ length: 7 }, () =>
    controller
      .call('/tables/preview', { method: 'POST', as: 'ann', body: 'ann', signal: hangUp.signal })
      .catch(() => 'gone'),
  );
  await world.untilCounts({ running: 3, waiting: 4 });
  hangUp.abort();
  expect(new Set(await Promise.all(gone))).toEqual(new Set(['gone']));
  await world.untilCounts({ running: 0, waiting: 0 });
});
