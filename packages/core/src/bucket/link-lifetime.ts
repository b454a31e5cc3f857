import { QuireError } from '../errors.ts';

/** Neither Amazon nor Google takes a longer-lived signature. */
const lifetimeMaxMs = 7 * 24 * 60 * 60 * 1000;

/** @throws INVALID_PARAMETER when a signed link cannot live for so long */
export function assertLinkLifetime(key: string, lifetimeMs: number): void {
  if (lifetimeMs >= 1000 && lifetimeMs <= lifetimeMaxMs) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    `A link to ${key} cannot live for ${lifetimeMs} ms: expected a second to seven days.`,
  );
}
