const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Words for numbers, from `min` on. */
  readonly words?: readonly string[];
  /** Forms of its own, such as L for the last day. */
  readonly special?: RegExp;
}

const fields: readonly CronField[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31, special: /^(?:\?|L(?:-\d{1,2})?W?|\d{1,2}W)$/ },
  { name: 'month', min: 1, max: 12, words: months },
  {
    name: 'day of the week',
    min: 1,
    max: 7,
    words: weekdays,
    special: /^(?:\?|L|(?:[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5]))$/,
  },
  { name: 'year', min: 1970, max: 2099 },
];

/**
 * What is wrong with a cron expression of Quartz, in a sentence; undefined where it is one.
 *
 * It has 6 fields, or 7 with the year, each within its range; one of both days is `?`
 * (http://www.quartz-scheduler.org/documentation/quartz-2.3.0/tutorials/crontrigger.html).
 */
export function cronProblem(expression: string): string | undefined {
  const given = expression.trim().toUpperCase().split(/\s+/);
  if (given.length !== 6 && given.length !== 7) return `‘${expression.slice(0, 80)}’ is not a cron expression of 6 or 7 fields.`;
  for (const [index, text] of given.entries()) {
    const field = fields[index];
    if (field !== undefined && !text.split(',').every((part) => isPart(part, field))) {
      return `‘${text.slice(0, 40)}’ is no ${field.name} of a cron expression.`;
    }
  }
  const unsaid = [given[3], given[5]].filter((text) => text === '?').length;
  if (unsaid !== 1) return 'Either the day of the month or the day of the week is ‘?’, not both and not neither.';
  return undefined;
}

function isPart(part: string, field: CronField): boolean {
  if (field.special?.test(part) === true) return true;
  const [, from = '', to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return false;
  return from === '*' ? to === undefined : [from, to ?? from].every((text) => isValue(text, field));
}

function isValue(text: string, { min, max, words = [] }: CronField): boolean {
  if (words.includes(text)) return true;
  return /^\d{1,4}$/.test(text) && Number(text) >= min && Number(text) <= max;
}
