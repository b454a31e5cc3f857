import { systemClock } from '@quire/core';
import type { ConformanceCase } from '@quire/core/conformance';
import { expect } from 'vitest';

export interface CatchOptions {
  /**
   * True if a call never ends with the bug: the case must then end by its time limit, under its
   * title.
   */
  readonly hangs?: boolean | undefined;
  /**
   * The time limit for each wait of a case, in milliseconds. Bugs that make it wait to the end take
   * as long.
   */
  readonly patienceMs: number;
}

/** The time after which a case counts as hung. */
const hangsAfterMs = 1500;

/** Expects a case of a conformance suite to fail with what `openBroken` opens. */
export async function expectCaught<Open>(
  each: ConformanceCase<Open>,
  openBroken: Open,
  options: CatchOptions,
): Promise<void> {
  const { hangs = false, patienceMs } = options;
  const skip = (reason: string): never => expect.fail(`“${each.title}” was skipped: ${reason}`);
  const outcomes = [
    each.run(openBroken, { patienceMs, skip }).then(
      () => 'passed',
      () => 'failed',
    ),
  ];
  if (hangs) outcomes.push(systemClock.sleep(hangsAfterMs).then(() => 'hung'));
  expect({ title: each.title, outcome: await Promise.race(outcomes) }).toEqual({
    title: each.title,
    outcome: hangs ? 'hung' : 'failed',
  });
}
