import { simulate } from './simulation.ts';

/**
 * Simulates one seed after the other, and prints what each came to:
 *
 *     node --conditions=@quire/source simulate.process.ts <first seed> <seeds> [minutes]
 */
const [first = '1', count = '1', minutes = '30'] = process.argv.slice(2);
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  try {
    const { plan, callCount, resultCount, digest } = await simulate({
      seed,
      durationMs: Number(minutes) * 60_000,
    });
    console.log(seed, 'ok', JSON.stringify({ ...plan, callCount, resultCount, digest }));
  } catch (error) {
    process.exitCode = 1;
    console.log(seed, 'FAILED', error instanceof Error ? error.message : error);
  }
}
