/**
 * Cron expressions in the syntax of Quartz, which schedules Apache Pinot's tasks: 6 fields, or 7
 * with the year
 * (http://www.quartz-scheduler.org/documentation/quartz-2.3.0/tutorials/crontrigger.html). Accepts
 * exactly what Quartz accepts, including odd forms.
 */

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Words for numbers, starting at `min`. */
  readonly words?: readonly string[];
}

const fields: readonly CronField[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  {
    name: 'month',
    min: 1,
    max: 12,
    words: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  {
    name: 'day of the week',
    min: 1,
    max: 7,
    words: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
  },
  { name: 'year', min: 0, max: Number.POSITIVE_INFINITY },
];
const [dayOfMonth, dayOfWeek, year] = [3, 5, 6];

/** Returns the problem of a cron expression as a sentence; undefined if it is valid. */
export function cronProblem(expression: string): string | undefined {
  const given = expression
    .toUpperCase()
    .split(/[ \t]+/)
    .filter((text) => text !== '');
  if (given.length !== 6 && given.length !== 7) {
    return `‘${expression.slice(0, 80)}’ is not a cron expression of 6 or 7 fields.`;
  }
  for (const [index, text] of given.entries()) {
    if (!isField(text, index)) {
      return `‘${text.slice(0, 40)}’ is not valid for the ${fields[index]?.name} of a cron expression.`;
    }
  }
  const unsaid = [given[dayOfMonth], given[dayOfWeek]].filter((text) => text?.includes('?'));
  if (unsaid.length !== 1) {
    return 'Exactly one of the day of the month and the day of the week must be ‘?’.';
  }
  return undefined;
}

function isField(text: string, index: number): boolean {
  // `L` cannot be combined with other days of the week, and `#` occurs at most once.
  if (index === dayOfWeek && text.includes('L') && text.includes(',')) return false;
  if (index === dayOfWeek && text.split('#').length > 2) return false;
  const parts = text.split(',').filter((part) => part !== '');
  return parts.length > 0 && parts.every((part) => isPart(part, index));
}

/** Checks one value, range or step of a field. */
function isPart(part: string, index: number): boolean {
  const field = fields[index];
  if (field === undefined) return false;
  if (part === '?') return index === dayOfMonth || index === dayOfWeek;
  // Quartz checks the rest of `L` only for the last day of a month.
  const last = /^L(?:-(\d+))?W?$/.exec(part);
  if (last !== null) return index === dayOfMonth ? Number(last[1] ?? 0) <= 30 : index > dayOfMonth;
  const step = /^\*?(?:\/(\d+))?/.exec(part);
  if (part.startsWith('*') || part.startsWith('/')) {
    if (/^\*(?!\/)/.test(part)) return true;
    return step?.[1] !== undefined && Number(step[1]) <= field.max;
  }
  return /^[A-Z]/.test(part) ? isWorded(part, field, index) : isNumbered(part, field, index);
}

/** Checks words of three letters, as in MON, MON-FRI, MON#2 and MONL. */
function isWorded(part: string, { words = [] }: CronField, index: number): boolean {
  const [, first = '', rest = ''] = /^(.{3})(.*)$/.exec(part) ?? [];
  if (!words.includes(first)) return false;
  if (rest.startsWith('-')) return words.includes(rest.slice(1, 4));
  if (index !== dayOfWeek) return true;
  const nth = /^#(\d+)$/.exec(rest)?.[1];
  if (rest.startsWith('#')) return Number(nth ?? 0) >= 1 && Number(nth ?? 0) <= 5;
  return true;
}

function isNumbered(part: string, field: CronField, index: number): boolean {
  const [, digits, rest = ''] = /^(\d{1,9})(.*)$/.exec(part) ?? [];
  if (digits === undefined) return false;
  const value = Number(digits);
  const isIn = (number: number): boolean => number >= field.min && number <= field.max;
  if (rest.startsWith('L')) return index === dayOfWeek && isIn(value);
  if (rest.startsWith('W')) return index === dayOfMonth && value <= 31;
  if (rest.startsWith('#')) {
    const nth = Number(/^#(\d{1,9})$/.exec(rest)?.[1] ?? 0);
    return index === dayOfWeek && nth >= 1 && nth <= 5;
  }
  if (!isIn(value)) return false;
  if (rest.startsWith('-')) {
    const [, end, step] = /^-(\d{1,9})(?:\/(\d{1,9}))?/.exec(rest) ?? [];
    const isStepped = /^-\d+\//.test(rest);
    if (end === undefined || Number(end) > field.max || (isStepped && step === undefined)) {
      return false;
    }
    return index !== year || Number(end) >= value;
  }
  if (rest.startsWith('/')) {
    const step = /^\/(\d{1,9})$/.exec(rest)?.[1];
    return step !== undefined && Number(step) <= field.max;
  }
  return true;
}
