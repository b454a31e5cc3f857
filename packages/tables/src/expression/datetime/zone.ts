import { expressionFailed } from '../expression-error.ts';
import { memoize } from '../memoize.ts';
import type { Parameter } from '../parameter.ts';
import { text } from '../parameters.ts';

/** A time zone: how far its clocks are ahead of UTC. */
export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC at an instant, in epoch milliseconds, to get what clocks show. */
  offsetMsAt(epochMs: number): number;
}

export const utc: Zone = { name: 'UTC', offsetMsAt: () => 0 };

const quarterHourMs = 15 * 60_000;
/** Since 1973 no clock has been changed within a quarter of an hour of UTC: an offset holds for all of it. */
const quarterHoursFromMs = Date.UTC(1973, 0, 1);
const keptOffsetCountMax = 20_000;
const fixedPattern = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/;
const longOffsetPattern = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/;

/**
 * Finds a zone by its IANA name or as an offset: Europe/Berlin, UTC, +05:30.
 *
 * @throws EXPRESSION_FAILED when the runtime knows no such zone
 */
export const findZone: (name: string) => Zone = memoize((name) => {
  if (name === 'UTC' || name === 'Z' || name === 'GMT') return utc;
  const fixed = fixedPattern.exec(name);
  if (fixed === null) return namedZone(name);
  const [, sign, hours = '', minutes = '0'] = fixed;
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { name, offsetMsAt: () => offsetMs };
});

/** A zone as a function takes it. */
export const zone: Parameter<Zone> = {
  type: 'zone',
  read: (value, place) => findZone(text.read(value, place)),
};

/** The runtime's own copy of the time zone database, through its formatter. */
function namedZone(name: string): Zone {
  const format = openFormat(name);
  const kept = new Map<number, number>();
  return {
    name,
    offsetMsAt(epochMs) {
      if (epochMs < quarterHoursFromMs) return parseOffset(format.format(epochMs));
      const quarterHour = Math.floor(epochMs / quarterHourMs);
      const known = kept.get(quarterHour);
      if (known !== undefined) return known;
      const offsetMs = parseOffset(format.format(epochMs));
      if (kept.size >= keptOffsetCountMax) kept.clear();
      kept.set(quarterHour, offsetMs);
      return offsetMs;
    },
  };
}

function openFormat(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (error) {
    throw expressionFailed(
      `There is no time zone ${name.slice(0, 64)}; expected a name as Europe/Berlin, or an offset as +05:30.`,
      error,
    );
  }
}

function parseOffset(formatted: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = longOffsetPattern.exec(formatted) ?? [];
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offsetMs : offsetMs;
}
