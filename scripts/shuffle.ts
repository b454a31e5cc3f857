/**
 * Runs tests in rounds, each in another order and with concurrent processes that keep the
 * processors and the disk busy, and reports the tests that failed, with their numbers and seeds.
 *
 *     npm run shuffle                                 20 rounds of all tests but the long trials
 *     npm run shuffle -- --rounds 5 --project unit    five rounds of one kind
 *     npm run shuffle -- --seed 7 packages/core       the orders of earlier rounds again
 *
 * `--cpu` and `--disk` are the numbers of processes that burn time and write files (2 and 1). All
 * other arguments go to Vitest. The exit code is 1 when a test of any round failed. The output of
 * such a round is in `.cache/shuffle`, by its seed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FailureCounts, type Round, readRound } from './shuffle/failure-counts.ts';
import { startStress } from './shuffle/stress.ts';

const logs = join(import.meta.dirname, '../.cache/shuffle');
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cpu: { type: 'string', default: '2' },
    disk: { type: 'string', default: '1' },
    project: { type: 'string', multiple: true, default: [] },
  },
});
const [roundCount, firstSeed] = [countOf('rounds'), countOf('seed')];
const folder = await mkdtemp(join(tmpdir(), 'quire-shuffle-'));
const stress = startStress({ cpuCount: countOf('cpu'), diskCount: countOf('disk'), folder });
// Ctrl-C also reaches the running round, which ends by itself.
let isStopped = false;
process.on('SIGINT', () => (isStopped = true));

try {
  const counts = new FailureCounts();
  for (let index = 0; index < roundCount && !isStopped; index += 1) {
    const round = await runRound(firstSeed + index);
    if (isStopped) break;
    counts.add(round);
    console.log(`round ${index + 1} of ${roundCount}: ${round.summary}`);
    for (const { test, message } of round.failures) console.log(`  ${test}\n    ${message}`);
  }
  console.log(counts.render());
  if (counts.failureCount > 0) process.exitCode = 1;
} finally {
  await stress.stop();
  await rm(folder, { recursive: true, maxRetries: 10 });
}

/** Runs all tests once, in the order of a seed. */
async function runRound(seed: number): Promise<Round> {
  const report = join(folder, `${seed}.json`);
  const startMs = performance.now();
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      ...positionals,
      ...values.project.map((name) => `--project=${name}`),
      '--sequence.shuffle.files',
      '--sequence.shuffle.tests',
      `--sequence.seed=${seed}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => output.push(chunk));
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const text = Buffer.concat(output).toString();
  const round = await readRound({ seed, seconds, exitCode, report, output: text });
  if (round.failures.length > 0) {
    await mkdir(logs, { recursive: true });
    await writeFile(join(logs, `${seed}.log`), text);
  }
  return round;
}

function countOf(name: 'rounds' | 'seed' | 'cpu' | 'disk'): number {
  const count = Number(values[name]);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new Error(`--${name} is ${values[name]}; expected a whole number from 0 up.`);
}
