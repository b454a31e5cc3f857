import { isRecord } from '../model/document.ts';
import { cronProblem } from './cron.ts';
import { isUpsertOn } from './keys.ts';
import {
  type CheckedTable,
  type Fault,
  placedMembers,
  rulesAbout,
  unknownColumns,
} from './rule.ts';
import { isCount, isPeriod, isSize, periodMs } from './values-at.ts';

const { error, warning } = rulesAbout('tasks');

/** The task types that Apache Pinot ships generators for. */
const shippedTypes = [
  'MergeRollupTask',
  'PurgeTask',
  'RealtimeToOfflineSegmentsTask',
  'RefreshSegmentTask',
  'SegmentGenerationAndPushTask',
  'UpsertCompactionTask',
  'UpsertCompactMergeTask',
];
const mergeTypes = ['concat', 'rollup', 'dedup'];

/** Aggregations by which a RealtimeToOfflineSegmentsTask rolls rows up. */
const rollupAggregations = [
  'MIN',
  'MAX',
  'SUM',
  'DISTINCTCOUNTHLL',
  'DISTINCTCOUNTRAWHLL',
  'DISTINCTCOUNTTHETASKETCH',
  'DISTINCTCOUNTRAWTHETASKETCH',
  'DISTINCTCOUNTTUPLESKETCH',
  'DISTINCTCOUNTRAWINTEGERSUMTUPLESKETCH',
  'SUMVALUESINTEGERSUMTUPLESKETCH',
  'AVGVALUEINTEGERSUMTUPLESKETCH',
  'DISTINCTCOUNTHLLPLUS',
  'DISTINCTCOUNTRAWHLLPLUS',
  'DISTINCTCOUNTCPCSKETCH',
  'DISTINCTCOUNTRAWCPCSKETCH',
  'DISTINCTCOUNTULL',
  'DISTINCTCOUNTRAWULL',
  'PERCENTILEKLL',
  'PERCENTILERAWKLL',
];

/** Rules about background tasks. */
export const taskRules = [
  error(
    'TASK_TYPE',
    `Types of tasks are known to the cluster, usually ${shippedTypes.join(', ')}, and their options are an object.`,
    function* ({ config, cluster: { taskTypes = shippedTypes } }) {
      for (const [path, type, options] of tasksOf(config)) {
        if (!isRecord(options)) yield [path, `The options of ${type} are not an object.`];
        if (!taskTypes.includes(type)) {
          yield [path, `${type} is not one of ${taskTypes.join(', ')}.`];
        }
      }
    },
  ),
  error(
    'TASK_SCHEDULE',
    'A schedule, if present, is a cron expression of 6 or 7 fields within their ranges, such as 0 */10 * * * ?.',
    function* ({ config }) {
      for (const { path, owner, name, value } of optionsOf(config)) {
        if (name !== 'schedule' || owner !== '') continue;
        const problem = cronProblem(value);
        if (problem !== undefined) yield [path, problem];
      }
    },
  ),
  error(
    'TASK_DOWNLOAD',
    'allowDownloadFromServer needs a peerSegmentDownloadScheme.',
    function* ({ config }) {
      if (config.segmentsConfig?.peerSegmentDownloadScheme !== undefined) return;
      for (const { path, owner, name, value } of optionsOf(config)) {
        if (owner === '' && name === 'allowDownloadFromServer' && /^true$/i.test(value)) {
          yield [path, 'segmentsConfig has no peerSegmentDownloadScheme to download by.'];
        }
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
];

/**
 * Options whose values Apache Pinot checks before it creates a table; a `period` may have a sign.
 */
const checkedPeriods: Readonly<Record<string, readonly string[]>> = {
  RealtimeToOfflineSegmentsTask: periodOptions.slice(0, 3),
  UpsertCompactionTask: ['bufferTimePeriod'],
  UpsertCompactMergeTask: ['bufferTimePeriod'],
};

/** Rules about the options of background tasks. */
export const taskOptionRules = [
  error(
    'TASK_PERIOD',
    'Spans of time that are checked before a task runs are periods such as 1d: those of RealtimeToOfflineSegmentsTask, and bufferTimePeriod of upsert tasks.',
    function* ({ config }) {
      for (const { path, type, owner, name, value } of optionsOf(config)) {
        if (owner !== '' || checkedPeriods[type]?.includes(name) !== true) continue;
        // Apache Pinot treats an empty text as a span of zero.
        if (value !== '' && periodMs(value) === undefined) {
          yield [path, `‘${value}’ is not a period such as 1d.`];
        }
      }
    },
  ),
  warning(
    'TASK_OPTION',
    `Options that a task reads when it runs have values that it can read: ${periodOptions.join(', ')} periods such as 1d, ${countOptions.join(', ')} whole numbers of at least 1, mergeType one of ${mergeTypes.join(', ')}, aggregationType a column of the schema.`,
    ({ config, schema, cluster }) => optionFaults({ config, schema, cluster }),
  ),
  error(
    'TASK_MERGE_TYPE',
    `The mergeType of a RealtimeToOfflineSegmentsTask is ${mergeTypes.join(', ')}.`,
    function* ({ config }) {
      for (const { path, type, owner, name, value } of optionsOf(config)) {
        if (type !== 'RealtimeToOfflineSegmentsTask' || owner !== '' || name !== 'mergeType') {
          continue;
        }
        if (!mergeTypes.includes(value.toLowerCase())) {
          yield [path, `‘${value}’ is not one of ${mergeTypes.join(', ')}.`];
        }
      }
    },
  ),
  error(
    'TASK_AGGREGATION',
    `Options of a RealtimeToOfflineSegmentsTask such as price.aggregationType name a column of the schema, and one of ${rollupAggregations.join(', ')}.`,
    function* ({ config, schema }) {
      const options = optionsOf(config).filter(({ type, owner, name }) => {
        return (
          type === 'RealtimeToOfflineSegmentsTask' && name === 'aggregationType' && owner !== ''
        );
      });
      yield* unknownColumns(
        options.map(({ path, owner }) => [path, owner] as const),
        schema,
      );
      for (const { path, value } of options) {
        if (!rollupAggregations.includes(value.replaceAll('_', '').toUpperCase())) {
          yield [path, `Rows are not rolled up by ‘${value}’.`];
        }
      }
    },
  ),
  error(
    'TASK_ERASED_DIMENSION',
    'The dimensions of eraseDimensionValues, of the mergeLevel where there is one, are columns of the schema.',
    function* ({ config, schema }) {
      for (const { path, type, owner, name, value, level } of optionsOf(config)) {
        if (type !== 'MergeRollupTask' || name !== 'eraseDimensionValues' || owner !== level) {
          continue;
        }
        const erased = value.replace(/,+$/, '').split(',');
        yield* unknownColumns(
          erased.map((column) => [path, column.trim()] as const),
          schema,
        );
      }
    },
  ),
  error(
    'TASK_AGGREGATION_PARAMETER',
    'Options of a MergeRollupTask such as aggregationFunctionParameters.price.lgK name a column of the schema, and lgK or nominalEntries of at least 1 or a samplingProbability of 0 to 1.',
    function* ({ config, schema }) {
      for (const { path, type, key, value, level } of optionsOf(config)) {
        const prefix = `${level === '' ? '' : `${level}.`}aggregationFunctionParameters.`;
        if (type !== 'MergeRollupTask' || !key.startsWith(prefix)) continue;
        const [column = '', ...parameter] = key.slice(prefix.length).split('.');
        if (parameter.length === 0) continue;
        yield* unknownColumns([[path, column]], schema);
        const problem = parameterProblem(parameter.join('.'), value);
        if (problem !== undefined) yield [path, problem];
      }
    },
  ),
  error(
    'TASK_THRESHOLD',
    'An UpsertCompactionTask has an invalidRecordsThresholdPercent of 0 to 100, or an invalidRecordsThresholdCount of at least 1.',
    function* ({ config }) {
      const options = config.task?.taskTypeConfigsMap?.['UpsertCompactionTask'];
      const path = '/task/taskTypeConfigsMap/UpsertCompactionTask';
      if (!isRecord(options)) return;
      const { invalidRecordsThresholdPercent: percent, invalidRecordsThresholdCount: count } =
        options;
      if (percent === undefined && count === undefined) {
        yield [path, 'There is no threshold for the compaction of a segment.'];
      }
      if (percent !== undefined && !isPercentage(textOf(percent))) {
        yield [`${path}/invalidRecordsThresholdPercent`, 'It is not a percentage of 0 to 100.'];
      }
      if (count !== undefined && !isLongOfAtLeast(textOf(count), 1n)) {
        yield [`${path}/invalidRecordsThresholdCount`, 'It is not a whole number of at least 1.'];
      }
    },
  ),
  error(
    'TASK_SEGMENT_SIZE',
    'The outputSegmentMaxSize of an UpsertCompactMergeTask is a size such as 200M.',
    function* ({ config }) {
      for (const { path, type, owner, name, value } of optionsOf(config)) {
        if (type !== 'UpsertCompactMergeTask' || owner !== '' || name !== 'outputSegmentMaxSize') {
          continue;
        }
        if (!isSize(value)) yield [path, `‘${value}’ is not a size such as 200M.`];
      }
    },
  ),
  error(
    'TASK_COMPACTED_TWICE',
    'Beside an UpsertCompactionTask, the minNumSegmentsPerTask of an UpsertCompactMergeTask is at least 2.',
    function* ({ config }) {
      const { UpsertCompactionTask: compaction, UpsertCompactMergeTask: merge } =
        config.task?.taskTypeConfigsMap ?? {};
      const least = isRecord(merge) ? merge['minNumSegmentsPerTask'] : undefined;
      if (compaction === undefined || least === undefined || least === null) return;
      if (!isLongOfAtLeast(textOf(least), 2n)) {
        yield [
          '/task/taskTypeConfigsMap/UpsertCompactMergeTask/minNumSegmentsPerTask',
          'Both tasks would compact single segments; expected a whole number of at least 2.',
        ];
      }
    },
  ),
  error(
    'TASK_VALID_DOC_IDS',
    `The validDocIdsType of an UpsertCompactionTask is ${validDocIdsTypes().join(', ')}; the first and the last need snapshots, and those WITH_DELETE a deleteRecordColumn.`,
    function* ({ config }) {
      const options = config.task?.taskTypeConfigsMap?.['UpsertCompactionTask'];
      if (!isRecord(options) || !isUpsertOn(config)) return;
      const problem = validDocIdsProblem(config, options['validDocIdsType']);
      if (problem === undefined) return;
      yield ['/task/taskTypeConfigsMap/UpsertCompactionTask/validDocIdsType', problem];
    },
  ),
  error(
    'TASK_TABLE',
    'RealtimeToOfflineSegmentsTask is for tables without upsert, upsert tasks for real-time ones with it, UpsertCompactMergeTask for those with snapshots.',
    function* ({ config }) {
      for (const [path, type] of tasksOf(config)) {
        const problem = tableProblem(type, config);
        if (problem !== undefined) yield [path, problem];
      }
    },
  ),
  warning(
    'TASK_IDLE',
    'A task has work to do: RealtimeToOfflineSegmentsTask in a real-time table, SegmentGenerationAndPushTask in one with batchConfigMaps.',
    function* ({ config }) {
      for (const [path, type] of tasksOf(config)) {
        if (type === 'RealtimeToOfflineSegmentsTask' && config.tableType !== 'REALTIME') {
          yield [path, 'The table is offline already.'];
        }
        const sources = config.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? [];
        if (type === 'SegmentGenerationAndPushTask' && sources.length === 0) {
          yield [path, 'The table has no batchConfigMaps to read files by.'];
        }
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
    return hasUpsert
      ? 'Rows that may still be replaced cannot move to an offline table.'
      : undefined;
  }
  if (type !== 'UpsertCompactionTask' && type !== 'UpsertCompactMergeTask') return undefined;
  if (!hasUpsert) return 'The table has no upsert.';
  if (config.tableType !== 'REALTIME') return 'The table is not real-time.';
  return type === 'UpsertCompactMergeTask' && isSnapshotOff(config)
    ? 'Without snapshots of its upsert, the valid rows are unknown.'
    : undefined;
}

function validDocIdsTypes(): readonly string[] {
  return ['SNAPSHOT', 'IN_MEMORY', 'IN_MEMORY_WITH_DELETE', 'SNAPSHOT_WITH_DELETE'];
}

function validDocIdsProblem(config: CheckedTable['config'], given: unknown): string | undefined {
  const hasDeletes = (config.upsertConfig?.deleteRecordColumn ?? '') !== '';
  const usual = hasDeletes ? 'SNAPSHOT_WITH_DELETE' : 'SNAPSHOT';
  const said = typeof given === 'string' ? given.toUpperCase() : usual;
  if (!validDocIdsTypes().includes(said)) {
    return `‘${said}’ is not one of ${validDocIdsTypes().join(', ')}.`;
  }
  // If rows are deleted, only these two types take it into account.
  const type = hasDeletes && !said.endsWith('_WITH_DELETE') ? 'SNAPSHOT_WITH_DELETE' : said;
  if (type.startsWith('SNAPSHOT') && isSnapshotOff(config)) return `${type} needs snapshots.`;
  return type.endsWith('_WITH_DELETE') && !hasDeletes
    ? `${type} needs a deleteRecordColumn.`
    : undefined;
}

function isSnapshotOff({ upsertConfig }: CheckedTable['config']): boolean {
  return upsertConfig?.snapshot === 'DISABLE';
}

function parameterProblem(name: string, value: string): string | undefined {
  switch (name.toLowerCase()) {
    case 'lgk':
    case 'nominalentries':
      return /^[+-]?\d{1,10}$/.test(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647
        ? undefined
        : `${name} is ‘${value}’, not a whole number of at least 1.`;
    case 'samplingprobability': {
      const isFit =
        isDecimal(value) && Number.parseFloat(value) >= 0 && Number.parseFloat(value) <= 1;
      return isFit ? undefined : `${name} is ‘${value}’, not a number of 0 to 1.`;
    }
    default:
      return `There is no parameter ${name}: expected lgK, samplingProbability or nominalEntries.`;
  }
}

function isDecimal(text: string): boolean {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?\s*$/.test(text);
}

function isPercentage(text: string): boolean {
  const value = Number.parseFloat(text);
  return isDecimal(text) && value >= 0 && value <= 100;
}

/** Reports whether a text is a whole number of 64 bits that is not below `least`. */
function isLongOfAtLeast(text: string, least: bigint): boolean {
  if (!/^[+-]?\d{1,19}$/.test(text)) return false;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= least && BigInt.asIntN(64, value) === value;
}

interface TaskOption {
  readonly path: string;
  readonly type: string;
  readonly key: string;
  /** The part before the last dot, such as a merge level or a column; empty if there is none. */
  readonly owner: string;
  readonly name: string;
  readonly value: string;
  /** The mergeLevel of the task; empty if it has none. */
  readonly level: string;
}

function optionsOf(config: CheckedTable['config']): readonly TaskOption[] {
  return tasksOf(config).flatMap(([taskPath, type, task]) => {
    if (!isRecord(task)) return [];
    const level = typeof task['mergeLevel'] === 'string' ? task['mergeLevel'] : '';
    return placedMembers<unknown>(taskPath, task).map(([path, key, value]): TaskOption => {
      const dot = key.lastIndexOf('.');
      return {
        path,
        type,
        key,
        owner: key.slice(0, Math.max(dot, 0)),
        name: key.slice(dot + 1),
        value: textOf(value),
        level,
      };
    });
  });
}

/** Returns a value as the text that Apache Pinot reads. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

/** Yields faults of options that are read only when the task runs. */
function* optionFaults({ config, schema }: CheckedTable): Generator<Fault> {
  for (const { path, type, owner, name, value } of optionsOf(config)) {
    const isChecked = owner === '' && checkedPeriods[type]?.includes(name) === true;
    if (periodOptions.includes(name) && !isChecked && !isPeriod(value)) {
      yield [path, `‘${value}’ is not a period such as 1d.`];
    }
    if (countOptions.includes(name) && !isCount(value)) {
      yield [path, `‘${value}’ is not a whole number of at least 1.`];
    }
    if (type === 'RealtimeToOfflineSegmentsTask') continue;
    if (name === 'mergeType' && !mergeTypes.includes(value.toLowerCase())) {
      yield [path, `‘${value}’ is not one of ${mergeTypes.join(', ')}.`];
    }
    if (name === 'aggregationType') {
      yield* unknownColumns([[path, owner.split('.').at(-1) ?? '']], schema);
    }
  }
}
