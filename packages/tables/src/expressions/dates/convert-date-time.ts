import type { Clock } from '@quire/core';
import { checkedEpochMs, dayMs } from './calendar.ts';
import {
  convertExactly,
  epochIn,
  type Granularity,
  parseDateTimeFormat,
  parseGranularity,
  readEpoch,
  readInFormat,
  writeInFormat,
} from './date-time-format.ts';
import { formatDateTime } from './date-time-pattern.ts';
import { fromLocal, strictZone, toLocal, utc, type Zone } from './zone.ts';
import { expressionFailed } from '../values/expression-error.ts';
import { saturatedLong } from '../values/convert.ts';
import type { Value } from '../values/value.ts';

/** Divides integers. @throws EXPRESSION_FAILED when the divisor is 0 */
export function quotient(value: number, divisor: number): number {
  if (divisor === 0) throw expressionFailed('Division of integers by zero.');
  return Math.trunc(value / divisor) + 0;
}

/** Truncates a long to a multiple of another. @throws EXPRESSION_FAILED when that is 0 */
export function roundTo(value: bigint, size: bigint): bigint {
  if (size === 0n) throw expressionFailed('Division of integers by zero.');
  return BigInt.asIntN(64, value - (value % size));
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
  // Nanoseconds, and instants beyond the calendar, have more digits than a number keeps.
  const epochMs =
    source.kind === 'epoch'
      ? readEpoch(given, source)
      : saturatedLong(readInFormat(given, source, yearOf(clock)));
  if (target.kind === 'pattern' || bucketZone !== undefined) {
    const floorZone = bucketZone ?? (target.kind === 'pattern' ? target.zone : utc);
    const floorMs = roundByClocks(checkedEpochMs(Number(epochMs)), granularity, floorZone);
    if (target.kind === 'pattern') {
      if (target.pattern === undefined) {
        throw expressionFailed('A format without a pattern cannot be written.');
      }
      return formatDateTime(floorMs, target.pattern, target.zone);
    }
    return target.kind === 'epoch' ? epochIn(BigInt(floorMs), target) : BigInt(floorMs);
  }
  const sizeMs = convertExactly(BigInt(granularity.size), granularity.unit, 'MILLISECONDS');
  const roundedMs = roundTo(epochMs, sizeMs);
  return target.kind === 'epoch'
    ? epochIn(roundedMs, target)
    : writeInFormat(Number(roundedMs), target);
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
