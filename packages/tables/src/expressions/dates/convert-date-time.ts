import type { Clock } from '@quire/core';
import { checkedEpochMs, dayMs } from './calendar.ts';
import {
  convertTime,
  epochIn,
  type Granularity,
  parseDateTimeFormat,
  parseGranularity,
  readInFormat,
  writeInFormat,
} from './date-time-format.ts';
import { formatDateTime } from './date-time-pattern.ts';
import { fromLocal, strictZone, toLocal, utc, type Zone } from './zone.ts';
import { expressionFailed } from '../values/expression-error.ts';
import type { Value } from '../values/value.ts';

/** Divides integers. @throws EXPRESSION_FAILED when the divisor is 0 */
export function quotient(value: number, divisor: number): number {
  if (divisor === 0) throw expressionFailed('Division of integers by zero.');
  return Math.trunc(value / divisor) + 0;
}

export function yearOf(clock: Clock): number {
  return new Date(clock.nowMs()).getUTCFullYear();
}

export function convert(
  given: string,
  from: string,
  to: string,
  granularityText: string,
  zoneName: string | undefined,
  clock: Clock,
): Value {
  const [source, target, granularity] = [
    parseDateTimeFormat(from),
    parseDateTimeFormat(to),
    parseGranularity(granularityText),
  ];
  const bucketZone = zoneName === undefined ? undefined : strictZone(zoneName);
  const epochMs = readInFormat(given, source, yearOf(clock));
  if (target.kind === 'pattern' || bucketZone !== undefined) {
    const floorZone = bucketZone ?? (target.kind === 'pattern' ? target.zone : utc);
    const floorMs = roundByClocks(checkedEpochMs(epochMs), granularity, floorZone);
    if (target.kind === 'pattern') {
      if (target.pattern === undefined) {
        throw expressionFailed('A format without a pattern cannot be written.');
      }
      return formatDateTime(floorMs, target.pattern, target.zone);
    }
    return BigInt(target.kind === 'epoch' ? epochIn(floorMs, target) : floorMs);
  }
  const sizeMs = convertTime(granularity.size, granularity.unit, 'MILLISECONDS');
  const roundedMs = quotient(epochMs, sizeMs) * sizeMs;
  return target.kind === 'epoch'
    ? BigInt(epochIn(roundedMs, target))
    : writeInFormat(roundedMs, target);
}

/** Units that are rounded within the next larger one, with the length of both. */
const clockSpans: Readonly<
  Partial<Record<Granularity['unit'], readonly [spanMs: number, withinMs: number]>>
> = {
  MILLISECONDS: [1, 1000],
  SECONDS: [1000, 60_000],
  MINUTES: [60_000, 3_600_000],
  HOURS: [3_600_000, dayMs],
};

/**
 * Rounds one field of the local time down within the next larger one: 7 days count from the first
 * of the month.
 */
function roundByClocks(epochMs: number, { size, unit }: Granularity, zone: Zone): number {
  const localMs = toLocal(epochMs, zone);
  if (unit === 'DAYS') {
    const midnight = Math.floor(localMs / dayMs) * dayMs;
    return fromLocal(midnight - ((new Date(localMs).getUTCDate() - 1) % size) * dayMs, zone);
  }
  const [spanMs, withinMs] = clockSpans[unit] ?? [];
  if (spanMs === undefined || withinMs === undefined) return epochMs;
  const base = Math.floor(localMs / withinMs) * withinMs;
  const rounded = base + Math.floor(Math.floor((localMs - base) / spanMs) / size) * size * spanMs;
  return unit === 'HOURS' ? fromLocal(rounded, zone) : rounded - (localMs - epochMs);
}
