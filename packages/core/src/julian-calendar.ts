const dayMs = 86_400_000;
/** The Julian day number of 1970-01-01. */
const daysToEpoch = 2_440_588;
/** The first instant of the Gregorian calendar, one day after 1582-10-04. */
const gregorianStartMs = Date.UTC(1582, 9, 15);

/** A date of a calendar; months count from 1. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * Returns the epoch milliseconds of midnight UTC, as java.sql.Timestamp reads a date: in the Julian
 * calendar before 1582-10-15. Days may exceed their month.
 */
export function hybridToMs({ year, month, day }: CalendarDate): number {
  const isJulian = year < 1582 || (year === 1582 && (month < 10 || (month === 10 && day < 15)));
  if (!isJulian) return new Date(0).setUTCFullYear(year, month - 1, day);
  // Years begin in March here, so that a leap day is the last of its year.
  const isLate = month < 3;
  const [years, months] = [year + 4800 - Number(isLate), month - 3 + 12 * Number(isLate)];
  const days =
    day + Math.floor((153 * months + 2) / 5) + 365 * years + Math.floor(years / 4) - 32_083;
  return (days - daysToEpoch) * dayMs;
}

/** Returns the Julian date of an instant before 1582-10-15; undefined for later ones. */
export function julianDateOf(epochMs: number): CalendarDate | undefined {
  if (epochMs >= gregorianStartMs) return undefined;
  const days = Math.floor(epochMs / dayMs) + daysToEpoch + 32_082;
  const years = Math.floor((4 * days + 3) / 1461);
  const dayOfYear = days - Math.floor((1461 * years) / 4);
  const months = Math.floor((5 * dayOfYear + 2) / 153);
  return {
    year: years - 4800 + Math.floor(months / 10),
    month: months + 3 - 12 * Math.floor(months / 10),
    day: dayOfYear - Math.floor((153 * months + 2) / 5) + 1,
  };
}
