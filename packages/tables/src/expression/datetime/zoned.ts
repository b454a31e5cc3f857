import type { Zone } from './zone.ts';

/** What the clocks of a zone show at an instant. */
export function toLocal(epochMs: number, zone: Zone): number {
  return epochMs + zone.offsetMsAt(epochMs);
}

/** The instant of a local time; one that clocks skipped is moved on by what they skipped, as java.time does. */
export function fromLocal(localMs: number, zone: Zone): number {
  const before = localMs - zone.offsetMsAt(localMs - 86_400_000);
  if (before + zone.offsetMsAt(before) === localMs) return before;
  const after = localMs - zone.offsetMsAt(localMs + 86_400_000);
  return after + zone.offsetMsAt(after) === localMs ? after : before;
}
