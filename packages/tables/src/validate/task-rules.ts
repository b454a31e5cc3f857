import { isRecord } from '../model/document.ts';
import { isUpsertOn } from './keys.ts';
import {
  type Check,
  type CheckedTable,
  placedMembers,
  rulesAbout,
  unknownColumns,
} from './rule.ts';
import { isPeriod } from './values-at.ts';

const { error, warning } = rulesAbout('tasks');

const mergeTypes = ['concat', 'rollup', 'dedup'];

/** Rules about background tasks. */
export const taskRules = [
  error(
    'TASK_TYPE',
    'Types of tasks are known to the cluster, and their options are an object.',
    function* ({ config, cluster: { taskTypes } }) {
      for (const [path, type, options] of tasksOf(config)) {
        if (!isRecord(options)) yield [path, `The options of ${type} are not an object.`];
        if (taskTypes !== undefined && !taskTypes.includes(type)) {
          yield [path, `${type} is not one of ${taskTypes.join(', ')}.`];
        }
      }
    },
  ),
  warning(
    'TASK_SCHEDULE',
    'The schedule of a task is a cron expression of 6 or 7 fields within their ranges, such as 0 */10 * * * ?.',
    function* ({ config }) {
      for (const [path, , options] of tasksOf(config)) {
        const schedule = isRecord(options) ? options['schedule'] : undefined;
        if (schedule === undefined || schedule === null || schedule === '') continue;
        const problem =
          typeof schedule === 'string' ? cronProblem(schedule) : 'The schedule is not text.';
        if (problem !== undefined) yield [`${path}/schedule`, problem];
      }
    },
  ),
];

const periodOptions = [
  'bucketTimePeriod',
  'bufferTimePeriod',
  'roundBucketTimePeriod',
  'lastPurgeTimeThresholdPeriod',
];
const countOptions = [
  'maxNumRecordsPerSegment',
  'maxNumRecordsPerTask',
  'maxNumParallelBuckets',
  'tableMaxNumTasks',
  'invalidRecordsThresholdCount',
];

/** Rules about the options of background tasks. */
export const taskOptionRules = [
  error(
    'TASK_PERIOD',
    `Options of tasks that are spans of time are periods such as 1d: ${periodOptions.join(', ')}.`,
    optionsAre('a period such as 1d', periodOptions, isPeriod),
  ),
  error(
    'TASK_COUNT',
    `Options of tasks that are counts are whole numbers of at least 1: ${countOptions.join(', ')}.`,
    optionsAre(
      'a whole number of at least 1',
      countOptions,
      (value) => /^\d{1,18}$/.test(value) && Number(value) >= 1,
    ),
  ),
  error(
    'TASK_MERGE_TYPE',
    `The mergeType of a task is ${mergeTypes.join(', ')}.`,
    optionsAre(`one of ${mergeTypes.join(', ')}`, ['mergeType'], (value) =>
      mergeTypes.includes(value.toLowerCase()),
    ),
  ),
  error(
    'TASK_AGGREGATION',
    'The columns of aggregationType options, as in price.aggregationType, are in the schema.',
    ({ config, schema }) => {
      const aggregations = optionsOf(config).filter(({ name }) => name === 'aggregationType');
      const owners = aggregations.map(({ path, owner }) => [path, owner] as const);
      return unknownColumns(owners, schema);
    },
  ),
  error(
    'TASK_THRESHOLD',
    'An UpsertCompactionTask has an invalidRecordsThresholdPercent of 0 to 100, or an invalidRecordsThresholdCount.',
    function* ({ config }) {
      const options = config.task?.taskTypeConfigsMap?.['UpsertCompactionTask'];
      const path = '/task/taskTypeConfigsMap/UpsertCompactionTask';
      if (!isRecord(options)) return;
      const { invalidRecordsThresholdPercent: percent, invalidRecordsThresholdCount: count } =
        options;
      if (percent === undefined && count === undefined) {
        yield [path, 'Nothing says when a segment is compacted.'];
      }
      if (percent !== undefined && !(Number(percent) >= 0 && Number(percent) <= 100)) {
        yield [`${path}/invalidRecordsThresholdPercent`, 'It is not a percentage of 0 to 100.'];
      }
    },
  ),
  error(
    'TASK_TABLE',
    'RealtimeToOfflineSegmentsTask is for real-time tables without upsert, upsert tasks for ones with it, SegmentGenerationAndPushTask for tables with files.',
    function* ({ config }) {
      for (const [path, type] of tasksOf(config)) {
        const problem = tableProblem(type, config);
        if (problem !== undefined) yield [path, problem];
      }
    },
  ),
];

function tasksOf({ task }: CheckedTable['config']) {
  return placedMembers('/task/taskTypeConfigsMap', task?.taskTypeConfigsMap);
}

function tableProblem(type: string, config: CheckedTable['config']): string | undefined {
  const hasUpsert = isUpsertOn(config);
  if (type === 'RealtimeToOfflineSegmentsTask') {
    if (config.tableType !== 'REALTIME') return 'The table is offline already.';
    return hasUpsert
      ? 'Rows that may still be replaced cannot move to an offline table.'
      : undefined;
  }
  if (type === 'UpsertCompactionTask' || type === 'UpsertCompactMergeTask') {
    return hasUpsert ? undefined : 'The table has no upsert.';
  }
  if (type === 'SegmentGenerationAndPushTask') {
    const sources = config.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? [];
    return sources.length === 0 ? 'The table has no batchConfigMaps to read files by.' : undefined;
  }
  return undefined;
}

interface TaskOption {
  readonly path: string;
  /**
   * What stands before the last dot, such as a level of merging or a column; empty where there is
   * none.
   */
  readonly owner: string;
  readonly name: string;
  readonly value: string;
}

function optionsOf(config: CheckedTable['config']): readonly TaskOption[] {
  const options = tasksOf(config).flatMap(([path, , task]) =>
    isRecord(task) ? placedMembers(path, task) : [],
  );
  return options.map(([path, key, value]) => {
    const dot = key.lastIndexOf('.');
    const shown =
      typeof value === 'string' || typeof value === 'number' ? String(value) : typeof value;
    return { path, owner: key.slice(0, Math.max(dot, 0)), name: key.slice(dot + 1), value: shown };
  });
}

/** Looks at options of tasks by their names, whatever goes before. */
function optionsAre(
  expected: string,
  names: readonly string[],
  holds: (value: string) => boolean,
): Check<CheckedTable> {
  return function* ({ config }) {
    for (const { path, name, value } of optionsOf(config)) {
      if (names.includes(name) && !holds(value)) yield [path, `‘${value}’ is not ${expected}.`];
    }
  };
}

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
function cronProblem(expression: string): string | undefined {
  const given = expression.trim().toUpperCase().split(/\s+/);
  if (given.length !== 6 && given.length !== 7) {
    return `‘${expression.slice(0, 80)}’ is not a cron expression of 6 or 7 fields.`;
  }
  for (const [index, text] of given.entries()) {
    const field = fields[index];
    if (field !== undefined && !text.split(',').every((part) => isPart(part, field))) {
      return `‘${text.slice(0, 40)}’ is not a valid ${field.name} of a cron expression.`;
    }
  }
  const unsaid = [given[3], given[5]].filter((text) => text === '?').length;
  if (unsaid !== 1) {
    return 'Either the day of the month or the day of the week is ‘?’, not both and not neither.';
  }
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
