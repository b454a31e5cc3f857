import { expressionFailed } from '../values/expression-error.ts';
import { memoize } from '../values/memoize.ts';
import { zoneNames } from './zone-names.ts';

/** A time zone, as the offset of its clocks from UTC. */
export interface Zone {
  readonly name: string;
  /** Returns the milliseconds to add to an instant, in epoch milliseconds, for its local time. */
  offsetMsAt(epochMs: number): number;
}

export const utc: Zone = { name: 'UTC', offsetMsAt: () => 0 };

const quarterHourMs = 15 * 60_000;
/**
 * Since 1973 clocks have changed only on quarter hours of UTC, so an offset holds for a whole
 * quarter hour.
 */
const quarterHoursFromMs = Date.UTC(1973, 0, 1);
const cachedOffsetCountMax = 20_000;
const offsetPattern = /^([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?$/;
const longOffsetPattern = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/;
/** Reports whether Joda-Time has a zone of this name, which is case-sensitive. */
export function isZoneId(name: string): boolean {
  return zoneNames.has(name) && isKnown(zoneNames.get(name)?.id ?? name);
}

/**
 * Finds a zone like `DateTimeZone.forID` of Joda-Time: Europe/Berlin, UTC, +05:30, GMT+2.
 *
 * @throws EXPRESSION_FAILED when there is no such zone
 */
export const jodaZone: (name: string) => Zone = memoize((name) => {
  if (isZoneId(name)) return namedZone(name);
  if (name === 'UT' || name === 'Z') return utc;
  const offset = /^(?:UTC?|GMT)?([+-]\d\d(?::?\d\d){0,2})$/.exec(name)?.[1];
  const zone = offset === undefined ? undefined : offsetZone(offset, 23);
  if (zone === undefined) throw unknown(name);
  return zone;
});

/** Ids that `dateTrunc` and java.time do not support. */
const jodaOnly = new Set(['EST', 'HST', 'MST', 'ROC', 'America/Coyhaique']);

/** The ids that `dateTrunc` supports, by their lower case. */
const indexedIds = new Map(
  [...zoneNames.keys()].filter((id) => !jodaOnly.has(id)).map((id) => [id.toLowerCase(), id]),
);

/**
 * Finds a zone as `dateTrunc` does: case-insensitively, including all names of UTC and offsets in
 * whole hours, at most 14 hours from UTC.
 *
 * @throws EXPRESSION_FAILED when there is no such zone
 */
export const indexedZone: (name: string) => Zone = memoize((name) => {
  if (/^(?:etc\/)?(?:utc|gmt|uct|zulu|greenwich|universal|z|ut|gmt0|gmt[+-]0)$/i.test(name)) {
    return utc;
  }
  const shift = /^(etc\/)?(?:utc?|gmt)?([+-])(\d{1,2}(?!:)|\d{2}(?=:))(?::(\d{2}))?$/i.exec(name);
  if (shift !== null) {
    const [, isEtc, sign = '+', hours = '0', minutes = '00'] = shift;
    if (isEtc === undefined || /etc\/gmt/i.test(name)) {
      const turned = isEtc === undefined ? sign : sign === '+' ? '-' : '+';
      const zone = offsetZone(`${turned}${hours.padStart(2, '0')}:${minutes}`, 14);
      if (zone !== undefined && Math.abs(zone.offsetMsAt(0)) <= 14 * 3_600_000) return zone;
    }
  }
  const id = indexedIds.get(name.toLowerCase());
  if (id === undefined || !isZoneId(id)) throw unknown(name);
  return namedZone(id);
});

/**
 * Finds a zone like Java's `TimeZone`, which treats every unknown name as UTC.
 *
 * @throws EXPRESSION_FAILED for zones of System V, which Joda-Time cannot read
 */
export const lenientZone: (name: string) => Zone = memoize((name) => {
  if (/^SystemV\/\w/.test(name)) throw unknown(name);
  const offset = /^GMT([+-]\d{1,2}(?::?\d{2})?)$/.exec(name)?.[1];
  if (offset !== undefined) return offsetZone(offset, 23) ?? utc;
  const id = oldIds[name] ?? name;
  return isZoneId(id) && !jodaOnly.has(id) ? namedZone(id) : utc;
});

/**
 * Finds a zone like `ZoneId.of` of java.time, as `TimeZone` then interprets it: UTC+1 is UTC there.
 *
 * @throws EXPRESSION_FAILED when there is no such zone
 */
export const strictZone: (name: string) => Zone = memoize((name) => {
  if (name === 'Z' || name === 'UT') return utc;
  const [, prefix, offset] =
    /^(UTC|GMT|UT)?([+-](?:\d{1,2}|\d{2}:\d{2}(?::\d{2})?|\d{4}))$/.exec(name) ?? [];
  const zone = offset === undefined ? undefined : offsetZone(offset, 18);
  if (zone !== undefined) return prefix?.startsWith('UT') === true ? utc : zone;
  if (offset === undefined && isZoneId(name) && !jodaOnly.has(name)) return namedZone(name);
  throw unknown(name);
});

/** Abbreviations that Joda-Time accepts for `z`. */
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

/** Abbreviations that Java still accepts as zones, as Joda-Time interprets them. */
const oldIds: Readonly<Record<string, string>> = {
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  ART: 'Africa/Cairo',
  AST: 'America/Anchorage',
  BET: 'America/Sao_Paulo',
  BST: 'Asia/Dhaka',
  CAT: 'Africa/Harare',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Addis_Ababa',
  ECT: 'CET',
  EST: 'America/New_York',
  HST: 'Pacific/Honolulu',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  MIT: 'Pacific/Apia',
  MST: 'America/Denver',
  NET: 'Asia/Yerevan',
  NST: 'Pacific/Auckland',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles',
  SST: 'Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
};

function zonesByName(ids: Readonly<Record<string, string>>): ReadonlyMap<string, Zone> {
  return new Map(Object.entries(ids).map(([name, id]) => [name, jodaZone(id)]));
}

/** Returns the name of a zone at an instant: `CEST`, or `Central European Summer Time`. */
export function nameAt(zone: Zone, epochMs: number, isLong: boolean): string {
  const { standard, summer } = zoneNames.get(zone.name) ?? {};
  const name = standard === summer || isStandardTime(zone, epochMs) ? standard : summer;
  return (isLong ? name?.long : name?.short) ?? printOffset(zone.offsetMsAt(epochMs));
}

/**
 * Reports whether standard time is in effect: the lesser offset of January and July of that year.
 */
function isStandardTime(zone: Zone, epochMs: number): boolean {
  const year = new Date(epochMs).getUTCFullYear();
  const offsets = [0, 6].map((month) =>
    zone.offsetMsAt(new Date(0).setUTCFullYear(year, month, 1)),
  );
  return zone.offsetMsAt(epochMs) <= Math.min(...offsets);
}

/** Returns the local time of an instant in a zone. */
export function toLocal(epochMs: number, zone: Zone): number {
  return epochMs + zone.offsetMsAt(epochMs);
}

/**
 * Returns the instant of a local time. A local time that was skipped when clocks changed is moved
 * forward by the gap, as in java.time.
 */
export function fromLocal(localMs: number, zone: Zone): number {
  const before = localMs - zone.offsetMsAt(localMs - 86_400_000);
  if (before + zone.offsetMsAt(before) === localMs) return before;
  const after = localMs - zone.offsetMsAt(localMs + 86_400_000);
  return after + zone.offsetMsAt(after) === localMs ? after : before;
}

/** Parses an offset; undefined if it is not one, or has more than `hoursMax` hours. */
function offsetZone(offset: string, hoursMax: number): Zone | undefined {
  const [, sign, hours = '', minutes = '0', seconds = '0'] = offsetPattern.exec(offset) ?? [];
  if (sign === undefined || Number(hours) > hoursMax || Number(minutes) > 59) return undefined;
  const offsetMs =
    (sign === '-' ? -1 : 1) *
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) *
    1000;
  return offsetMs === 0 ? utc : { name: printOffset(offsetMs), offsetMsAt: () => offsetMs };
}

/** Formats an offset as `+05:30`, with seconds if there are any. */
function printOffset(offsetMs: number): string {
  const seconds = Math.trunc(Math.abs(offsetMs) / 1000);
  const parts = [Math.trunc(seconds / 3600), Math.trunc(seconds / 60) % 60, seconds % 60];
  const shown = parts.slice(0, seconds % 60 === 0 ? 2 : 3);
  return `${offsetMs < 0 ? '-' : '+'}${shown.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** Creates a zone from the runtime's own time zone database, through its formatter. */
function namedZone(idOrAlias: string): Zone {
  const name = zoneNames.get(idOrAlias)?.id ?? idOrAlias;
  if (name === 'UTC') return utc;
  if (name === 'Etc/UTC' || name === 'Etc/GMT') return { ...utc, name };
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
    `There is no time zone ${name.slice(0, 64)}: expected a name such as Europe/Berlin, or an offset such as +05:30.`,
  );
}

function parseOffset(formatted: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    longOffsetPattern.exec(formatted) ?? [];
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offsetMs : offsetMs;
}
