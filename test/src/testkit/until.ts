import { systemClock } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';

/**
 * What happens in this process takes a few turns of the event loop. A condition that asks another
 * process leaves it the processor, for longer the longer it takes.
 */
const turnsMax = 200;
const pauseRangeMs = { least: 5, most: 50 };

/**
 * How long `vi.waitFor` waits for what comes by itself: longer than any machine takes for it, and
 * shorter than a test may take. `expect.poll` waits as long by the settings of all suites.
 */
export const patience = { timeout: 120_000, interval: 20 };

/**
 * Resolves once the condition holds; asks again at every turn of the event loop, and after a while
 * of that, or when the condition is asynchronous, every few milliseconds.
 *
 * @throws Error that says what was waited for, when it does not hold within the limit
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = patience.timeout,
): Promise<void> {
  const endMs = systemClock.monotonicMs() + limitMs;
  let pauseMs = pauseRangeMs.least;
  for (let turn = 0; ; turn += 1) {
    const answer = condition();
    if (await answer) return;
    if (systemClock.monotonicMs() > endMs) {
      throw new Error(`Waited ${limitMs} ms without success until ${what}.`);
    }
    if (typeof answer === 'boolean' && turn < turnsMax) {
      await yieldToEventLoop();
    } else {
      await systemClock.sleep(pauseMs);
      pauseMs = Math.min(pauseRangeMs.most, pauseMs * 1.2);
    }
  }
}
