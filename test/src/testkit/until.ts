import { systemClock } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';

/**
 * What happens in this process takes a few turns of the event loop; who waits for another one
 * leaves it the processor.
 */
const turnsMax = 200;
const pauseMs = 5;

/**
 * How long `vi.waitFor` waits for what comes by itself: longer than any machine takes for it, and
 * shorter than a test may take. `expect.poll` waits as long by the settings of all suites.
 */
export const patience = { timeout: 120_000, interval: 20 };

/**
 * Resolves once the condition holds; asks again at every turn of the event loop, and after a while
 * of that every few milliseconds.
 *
 * @throws Error that says what was waited for, when it does not hold within the limit
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = patience.timeout,
): Promise<void> {
  const endMs = systemClock.monotonicMs() + limitMs;
  for (let turn = 0; !(await condition()); turn += 1) {
    if (systemClock.monotonicMs() > endMs) {
      throw new Error(`Waited ${limitMs} ms without success until ${what}.`);
    }
    if (turn < turnsMax) await yieldToEventLoop();
    else await systemClock.sleep(pauseMs);
  }
}
