import { shrink } from './shrink.ts';
import { plantedDefects } from './sabotage.ts';
import { simulate } from './simulation.ts';

/**
 * Simulates one seed after another, and prints the outcome of each:
 *
 *     node --conditions=@quire/source simulate.process.ts <first seed> <seeds> [minutes] [defect]
 *
 * With `shrink` as the number of seeds, it looks for the simplest run that breaks a law as the seed
 * does. The last argument is the name of a planted defect.
 */
const [first = '1', count = '1', minutes = '20', defect = ''] = process.argv.slice(2);
const durationMs = Number(minutes) * 60_000;
const sabotage = plantedDefects[defect];

if (count === 'shrink') {
  const { sabotage: _, ...simplest } = await shrink(
    { seed: Number(first), durationMs, sabotage },
    ({ sabotage: _planted, ...simpler }) => console.log('simpler', JSON.stringify(simpler)),
  );
  console.log('simplest', JSON.stringify(simplest));
} else {
  for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
    try {
      const { plan, outcomes: _, ...report } = await simulate({ seed, durationMs, sabotage });
      console.log(seed, 'ok', JSON.stringify({ ...plan, ...report }));
    } catch (error) {
      process.exitCode = 1;
      console.log(seed, 'FAILED', error instanceof Error ? error.message : error);
    }
  }
}
