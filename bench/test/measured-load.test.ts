import { expect, test } from 'vitest';
import { MeasuredLoad } from '../src/http/measured-load.ts';
import { Child } from '../src/process/child.ts';

test('the processor time of a page counts when it is much shorter than a tick of the system', async () => {
  await using child = new Child(new URL('busy.process.ts', import.meta.url).pathname, {});
  const busyMs = 2;
  const page = {
    sample: async () => {
      await child.call({ busyMs });
      return [busyMs];
    },
  };
  const load = new MeasuredLoad(page, [child.pid]);
  for (let slice = 0; slice < 10; slice += 1) await load.sample(0);
  for (const { processorMsPerPage } of load.rounds) {
    expect(processorMsPerPage[0]).toBeGreaterThanOrEqual(busyMs);
  }
});
