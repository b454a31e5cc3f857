import { expect, test } from 'vitest';
import { planBench } from '../src/index.ts';

test('a quick run takes less than three minutes, however many combinations there are', () => {
  for (const pageCount of [1, 3, 50]) {
    const pageSizes = Array.from({ length: pageCount }, (_, index) => index + 1);
    const plan = planBench(
      { sql: 'SELECT 1', pageSizes, formats: ['json', 'arrow'], readers: [1, 2, 4] },
      true,
    );
    const sliceCount = 2 * (plan.roundCount + 0.5) * pageCount * 2 * 3;
    expect(sliceCount * plan.sliceMs).toBeLessThanOrEqual(120_000);
  }
});
