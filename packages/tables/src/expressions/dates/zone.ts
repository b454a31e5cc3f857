import { expressionFailed } from '../values/expression-error.ts';
import { memoize } from '../values/memoize.ts';

/** A time zone: how far its clocks are ahead of UTC. */
export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC at an instant, in epoch milliseconds, to get what clocks show. */
  offsetMsAt(epochMs: number): number;
}

export const utc: Zone = { name: 'UTC', offsetMsAt: () => 0 };

const quarterHourMs = 15 * 60_000;
/**
 * Since 1973 no clock has been changed within a quarter of an hour of UTC: an offset holds for all
 * of it.
 */
const quarterHoursFromMs = Date.UTC(1973, 0, 1);
const cachedOffsetCountMax = 20_000;
const offsetPattern = /^([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?$/;
const longOffsetPattern = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/;
/** Names without a slash that both Joda-Time and the runtime have. */
const plainNames = new Set(
  (
    'UTC GMT EST MST HST EST5EDT CST6CDT MST7MDT PST8PDT CET EET MET WET Cuba Egypt Eire GB GB-Eire Greenwich GMT0 Hongkong Iceland Iran Israel ' +
    'Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC Poland Portugal ROC ROK Singapore Turkey UCT Universal W-SU Zulu'
  ).split(' '),
);

/** Whether Joda-Time has a zone of this name, whose case counts, or reads it as an offset. */
export function isJodaZone(name: string): boolean {
  if (/^[+-]/.test(name)) return /^.\d\d(?::?\d\d){0,2}$/.test(name);
  return (
    (plainNames.has(name) ||
      (/^[A-Z][A-Za-z]+\/[A-Z]/.test(name) && !/^SystemV|^posix|^right/.test(name))) &&
    isKnown(name)
  );
}

/**
 * Finds a zone as `DateTimeZone.forID` of Joda-Time does: Europe/Berlin, UTC, +05:30.
 *
 * @throws EXPRESSION_FAILED when there is no such zone
 */
export const jodaZone: (name: string) => Zone = memoize((name) => {
  if (name === 'UTC') return utc;
  if (isJodaZone(name)) return offsetZone(name, name) ?? namedZone(name);
  throw unknown(name);
});

/**
 * Finds a zone as `dateTrunc` does: in any case, UTC under all its names, whole hours as well.
 * @throws EXPRESSION_FAILED
 */
export const indexedZone: (name: string) => Zone = memoize((name) => {
  if (/^(?:etc\/)?(?:utc|gmt|uct|zulu|greenwich|universal|z|ut|gmt0|gmt[+-]0)$/i.test(name)) {
    return utc;
  }
  const shift = /^(etc\/)?(?:utc?|gmt)?([+-])(\d{1,2}(?!:)|\d{2}(?=:))(?::(\d{2}))?$/i.exec(name);
  if (shift !== null) {
    const [, isEtc, sign = '+', hours = '0', minutes = '00'] = shift;
    if (Number(hours) <= 14 && (isEtc === undefined || /etc\/gmt/i.test(name))) {
      const turned = isEtc === undefined ? sign : sign === '+' ? '-' : '+';
      return offsetZone(name, `${turned}${hours.padStart(2, '0')}:${minutes}`) ?? utc;
    }
  }
  if (/^[+-]/.test(name) && !/^.\d\d:/.test(name)) throw unknown(name);
  return /\//.test(name) && isKnown(name) ? namedZone(name) : jodaZone(name);
});

/** Finds a zone as Java's `TimeZone` does, for which every name that it does not know is UTC. */
export const lenientZone: (name: string) => Zone = memoize((name) => {
  const offset = /^GMT([+-]\d{1,2}(?::?\d{2})?)$/.exec(name)?.[1];
  if (offset !== undefined) return offsetZone(name, offset) ?? utc;
  return isJodaZone(name) && !/^[+-]/.test(name) ? namedZone(name) : (shortIds.get(name) ?? utc);
});

/** Finds a zone as `ZoneId.of` of java.time does. @throws EXPRESSION_FAILED */
export const strictZone: (name: string) => Zone = memoize((name) => {
  if (name === 'Z' || name === 'UT') return utc;
  const [, offset] =
    /^(?:UTC|GMT|UT)?([+-]\d{1,2}(?::\d{2}(?::\d{2})?)?|[+-]\d{4})$/.exec(name) ?? [];
  if (offset !== undefined) return offsetZone(name, offset) ?? utc;
  if (isJodaZone(name) && !['EST', 'MST', 'HST'].includes(name)) return namedZone(name);
  throw unknown(name);
});

/** Abbreviations that Joda-Time reads for `z`. */
export const shortNames = zonesByName({
  UT: 'UTC',
  UTC: 'UTC',
  GMT: 'UTC',
  EST: 'America/New_York',
  EDT: 'America/New_York',
  CST: 'America/Chicago',
  CDT: 'America/Chicago',
  MST: 'America/Denver',
  MDT: 'America/Denver',
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
});

/** Abbreviations that Java still takes for zones. */
const shortIds = zonesByName({
  PST: 'America/Los_Angeles',
  CST: 'America/Chicago',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  ECT: 'Europe/Paris',
});

function zonesByName(ids: Readonly<Record<string, string>>): ReadonlyMap<string, Zone> {
  return new Map(Object.entries(ids).map(([name, id]) => [name, jodaZone(id)]));
}

const modernInstants = [Date.UTC(2000, 0, 1), Date.UTC(2000, 6, 1)] as const;

/** What a zone is called at an instant: `CEST`, or `Central European Summer Time`. */
export function nameAt(zone: Zone, epochMs: number, isLong: boolean): string {
  if (offsetPattern.test(zone.name)) return zone.name;
  if (zone.name === 'UTC') return isLong ? 'Coordinated Universal Time' : 'UTC';
  // Abbreviations are known where they are used, and since they are used: what was the same offset
  // before is called the same.
  const offsetMs = zone.offsetMsAt(epochMs);
  const nameIn = (style: string, instant: number): string => {
    const parts = nameFormat(`${style} ${zone.name}`).formatToParts(instant);
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  };
  const instants = [
    epochMs,
    ...modernInstants.filter((each) => zone.offsetMsAt(each) === offsetMs),
  ];
  for (const locale of isLong
    ? ['en-US']
    : ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA', 'en-NZ', 'en-CA', 'ja-JP']) {
    for (const instant of instants) {
      const name = nameIn(`${locale} ${isLong ? 'long' : 'short'}`, instant);
      if (!/^(?:GMT|UTC)[+-]/.test(name)) return name;
    }
  }
  return nameIn('en-US longOffset', epochMs).slice(3);
}

const nameFormat = memoize((key: string) => {
  const [locale, style, name] = key.split(' ');
  return new Intl.DateTimeFormat(locale, { timeZone: name, timeZoneName: style as 'short' });
});

/** What the clocks of a zone show at an instant. */
export function toLocal(epochMs: number, zone: Zone): number {
  return epochMs + zone.offsetMsAt(epochMs);
}

/**
 * The instant of a local time; one that clocks skipped is moved on by what they skipped, as
 * java.time does.
 */
export function fromLocal(localMs: number, zone: Zone): number {
  const before = localMs - zone.offsetMsAt(localMs - 86_400_000);
  if (before + zone.offsetMsAt(before) === localMs) return before;
  const after = localMs - zone.offsetMsAt(localMs + 86_400_000);
  return after + zone.offsetMsAt(after) === localMs ? after : before;
}

function offsetZone(name: string, offset: string): Zone | undefined {
  const [, sign, hours = '', minutes = '0', seconds = '0'] = offsetPattern.exec(offset) ?? [];
  if (sign === undefined) return undefined;
  const offsetMs =
    (sign === '-' ? -1 : 1) *
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) *
    1000;
  return { name, offsetMsAt: () => offsetMs };
}

/** The runtime's own copy of the time zone database, through its formatter. */
function namedZone(name: string): Zone {
  if (['UTC', 'GMT', 'UCT', 'Zulu', 'Universal', 'Greenwich'].includes(name)) {
    return { ...utc, name };
  }
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const kept = new Map<number, number>();
  return {
    name,
    offsetMsAt(epochMs) {
      if (!(Math.abs(epochMs) <= 8.64e15)) return 0;
      if (epochMs < quarterHoursFromMs) return parseOffset(format.format(epochMs));
      const quarterHour = Math.floor(epochMs / quarterHourMs);
      const known = kept.get(quarterHour);
      if (known !== undefined) return known;
      const offsetMs = parseOffset(format.format(epochMs));
      if (kept.size >= cachedOffsetCountMax) kept.clear();
      kept.set(quarterHour, offsetMs);
      return offsetMs;
    },
  };
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function unknown(name: string): Error {
  return expressionFailed(
    `There is no time zone ${name.slice(0, 64)}: expected a name as Europe/Berlin, or an offset as +05:30.`,
  );
}

function parseOffset(formatted: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    longOffsetPattern.exec(formatted) ?? [];
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offsetMs : offsetMs;
}
