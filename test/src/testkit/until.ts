import { systemClock } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';

/**
 * Resolves once the condition holds; asks again at every turn of the event loop.
 *
 * @throws Error that says what was waited for, when it does not hold within the limit
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string, limitMs = 30_000): Promise<void> {
  const endMs = systemClock.monotonicMs() + limitMs;
  while (!(await condition())) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`Waited ${limitMs} ms without success until ${what}.`);
    await yieldToEventLoop();
  }
}
