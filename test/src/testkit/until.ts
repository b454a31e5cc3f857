import { systemClock } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';

/**
 * Work in this process takes a few turns of the event loop. A condition on another process yields
 * the processor to it, for increasingly longer pauses.
 */
const turnsMax = 200;
const pauseRangeMs = { least: 5, most: 50 };

/**
 * The timeout of `vi.waitFor` for events that happen by themselves: longer than any machine takes
 * for them, and shorter than the limit of a test. `expect.poll` has the same by the settings of all
 * suites.
 */
export const patience = { timeout: 120_000, interval: 20 };

/**
 * Resolves once the condition holds; checks it again at every turn of the event loop, and after a
 * while, or if the condition is asynchronous, every few milliseconds.
 *
 * @throws Error that describes the condition, when it does not hold within the limit
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
