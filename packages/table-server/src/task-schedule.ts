import { Cron } from 'croner';

interface Field {
  readonly min: number;
  readonly max: number;
  /** Words for numbers, starting at `min`. */
  readonly words?: readonly string[];
}

const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    words: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  { min: 1, max: 7, words: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
  { min: 1970, max: 2099 },
];
const [dayOfMonth, dayOfWeek, year] = [3, 5, 6];

/**
 * Returns the runs of a schedule, a cron expression of Quartz in UTC. Croner's syntax differs:
 * ranges cannot wrap around, and days cannot be counted from the last one. So values, ranges and
 * steps become lists of numbers, which have one meaning; only L, W and # are passed on.
 *
 * @throws Error when it is not such an expression, or combines L, W or # as croner cannot
 */
export function parseSchedule(schedule: string): Cron {
  const given = schedule
    .toUpperCase()
    .split(/[ \t]+/)
    .filter((text) => text !== '');
  if (given.length !== 6 && given.length !== 7) throw new Error('It has not 6 or 7 fields.');
  // `L-3` in the days of the month is three days before the last one, always in the same month.
  const offset = /^L-(\d|1\d|2[0-7])$/.exec(given[dayOfMonth] ?? '')?.[1];
  if (offset !== undefined) given[dayOfMonth] = 'L';
  return new Cron(given.map((text, index) => fieldOf(text, index)).join(' '), {
    timezone: 'UTC',
    paused: true,
    alternativeWeekdays: true, // Quartz counts from 1 = Sunday
    ...(offset !== undefined && { dayOffset: -Number(offset) }),
  });
}

function fieldOf(text: string, index: number): string {
  if (text === '*' || text === '?') return '*';
  if (index === dayOfMonth && text === 'LW') return text;
  if (index === dayOfWeek && text === 'L') return '7';
  // Only the first of several days has the `#`.
  if (index === dayOfWeek && /^(?:[1-7]|[A-Z]{3})(?:L|#[1-5])$/.test(text)) return text;
  const parts = text.split(',').filter((part) => part !== '');
  return parts
    .flatMap((part): readonly (number | string)[] =>
      index === dayOfMonth && /^(?:L|\d{1,2}W)$/.test(part) ? [part] : numbersOf(part, index),
    )
    .join(',');
}

/** Returns the numbers of a value, a range or a step. */
function numbersOf(part: string, index: number): readonly number[] {
  const { min, max, words } = fields[index] ?? { min: 0, max: 0 };
  const [, from = '', to, step] = /^(\*|\w*)(?:-(\w+))?(?:\/(\d{1,9}))?$/.exec(part) ?? [];
  const isOpen = from === '*' || (from === '' && step !== undefined);
  if (isOpen && to !== undefined) throw unsupported(part);
  const numberOf = (text: string): number => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    const word = words?.indexOf(text) ?? -1;
    // Quartz ignores the step of words.
    if (word < 0 || step !== undefined) throw unsupported(part);
    return min + word;
  };
  const first = isOpen ? min : numberOf(from);
  if (to === undefined && step === undefined && !isOpen) return [first];
  // Quartz takes a step of 0 as if there were no step.
  const by = Number(step ?? 1);
  if (by === 0 && !isOpen) return [first];
  const last = to === undefined ? max : Math.min(numberOf(to), index === year ? 9999 : max);
  const count = max - min + 1;
  const isWrapped = last < first && index !== year;
  const numbers: number[] = [];
  for (let number = first; number <= last + (isWrapped ? count : 0); number += Math.max(by, 1)) {
    numbers.push(number > max && isWrapped ? number - count : number);
  }
  return numbers;
}

function unsupported(part: string): Error {
  return new Error(`‘${part.slice(0, 40)}’ is not supported.`);
}
