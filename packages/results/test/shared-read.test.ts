import { expect, test } from 'vitest';
import { SharedRead } from '../src/shared-read.ts';

test.each([
  ['while it waits', false],
  ['before it began', true],
])('a reader that is aborted %s hears ABORTED', async (_when, isEarly) => {
  const pending = Promise.withResolvers<number>();
  const shared = new SharedRead({
    read: () => pending.promise,
    onUnused: () => undefined,
    takeBack: () => undefined,
  });
  const controller = new AbortController();
  if (isEarly) controller.abort();
  const reading = shared.use(controller.signal, (value) => [value]).next();
  controller.abort();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError', code: 'ABORTED' });
  pending.resolve(1);
});
