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
import { isCount, isLong, isPeriod, isSize, javaNumber, periodMs } from './values-at.ts';

const { error, warning } = rulesAbout('tasks');

/** The task types for which Apache Pinot ships generators. */
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

/** Aggregations that a RealtimeToOfflineSegmentsTask supports for rollups. */
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
    `Task types must be known to the cluster, usually ${shippedTypes.join(', ')}, and their options must be an object.`,
    function* ({ config, cluster: { taskTypes = shippedTypes } }) {
      for (const [path, type, options] of tasksOf(config)) {
        if (!isRecord(options)) yield [path, `The options of ${type} are not an object.`];
        if (!taskTypes.includes(type)) {
          yield [path, `The task type ${type} is not one of ${taskTypes.join(', ')}.`];
        }
      }
    },
  ),
  error(
    'TASK_SCHEDULE',
    'A schedule, if present, must be a cron expression of 6 or 7 fields within their ranges, such as 0 */10 * * * ?.',
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
    'allowDownloadFromServer requires a peerSegmentDownloadScheme.',
    function* ({ config }) {
      if (config.segmentsConfig?.peerSegmentDownloadScheme !== undefined) return;
      for (const { path, owner, name, value } of optionsOf(config)) {
        if (owner === '' && name === 'allowDownloadFromServer' && /^true$/i.test(value)) {
          yield [
            path,
            'allowDownloadFromServer requires a peerSegmentDownloadScheme in segmentsConfig.',
          ];
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
const checkedPeriods: ReadonlyMap<string, readonly string[]> = new Map([
  ['RealtimeToOfflineSegmentsTask', periodOptions.slice(0, 3)],
  ['UpsertCompactionTask', ['bufferTimePeriod']],
  ['UpsertCompactMergeTask', ['bufferTimePeriod']],
]);

/** Rules about the options of background tasks. */
export const taskOptionRules = [
  error(
    'TASK_PERIOD',
    'bucketTimePeriod, bufferTimePeriod and roundBucketTimePeriod of RealtimeToOfflineSegmentsTask, and bufferTimePeriod of upsert tasks, must be periods such as 1d.',
    function* ({ config }) {
      for (const { path, type, owner, name, value } of optionsOf(config)) {
        if (owner !== '' || checkedPeriods.get(type)?.includes(name) !== true) continue;
        // Apache Pinot treats an empty text as a span of zero.
        if (value !== '' && periodMs(value) === undefined) {
          yield [path, `‘${value}’ is not a period such as 1d.`];
        }
      }
    },
  ),
  warning(
    'TASK_OPTION',
    `Options that a task reads only when it runs should be valid: ${periodOptions.join(', ')} periods such as 1d, ${countOptions.join(', ')} whole numbers of at least 1, mergeType one of ${mergeTypes.join(', ')}, aggregationType about a column of the schema.`,
    ({ config, schema, cluster }) => optionFaults({ config, schema, cluster }),
  ),
  error(
    'TASK_MERGE_TYPE',
    `The mergeType of a RealtimeToOfflineSegmentsTask must be one of ${mergeTypes.join(', ')}.`,
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
    `Options of a RealtimeToOfflineSegmentsTask such as price.aggregationType must name a column of the schema, and one of ${rollupAggregations.join(', ')}.`,
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
          yield [path, `‘${value}’ is not one of ${rollupAggregations.join(', ')}.`];
        }
      }
    },
  ),
  error(
    'TASK_ERASED_DIMENSION',
    'eraseDimensionValues, of the mergeLevel if there is one, must list columns of the schema.',
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
    'Options of a MergeRollupTask such as aggregationFunctionParameters.price.lgK must name a column of the schema; lgK and nominalEntries must be at least 1, and samplingProbability from 0 to 1.',
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
    'An UpsertCompactionTask must have an invalidRecordsThresholdPercent from 0 to 100, or an invalidRecordsThresholdCount of at least 1.',
    function* ({ config }) {
      const options = config.task?.taskTypeConfigsMap?.['UpsertCompactionTask'];
      const path = '/task/taskTypeConfigsMap/UpsertCompactionTask';
      if (!isRecord(options)) return;
      const { invalidRecordsThresholdPercent: percent, invalidRecordsThresholdCount: count } =
        options;
      if (percent === undefined && count === undefined) {
        yield [
          path,
          'UpsertCompactionTask requires invalidRecordsThresholdPercent or invalidRecordsThresholdCount.',
        ];
      }
      if (percent !== undefined && !isPercentage(textOf(percent))) {
        yield [
          `${path}/invalidRecordsThresholdPercent`,
          'invalidRecordsThresholdPercent must be a number from 0 to 100.',
        ];
      }
      if (count !== undefined && !isLongOfAtLeast(textOf(count), 1n)) {
        yield [
          `${path}/invalidRecordsThresholdCount`,
          'invalidRecordsThresholdCount must be a whole number of at least 1.',
        ];
      }
    },
  ),
  error(
    'TASK_SEGMENT_SIZE',
    'The outputSegmentMaxSize of an UpsertCompactMergeTask must be a size such as 200M.',
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
    'In a table with an UpsertCompactionTask, the minNumSegmentsPerTask of an UpsertCompactMergeTask must be at least 2.',
    function* ({ config }) {
      const { UpsertCompactionTask: compaction, UpsertCompactMergeTask: merge } =
        config.task?.taskTypeConfigsMap ?? {};
      const least = isRecord(merge) ? merge['minNumSegmentsPerTask'] : undefined;
      if (compaction === undefined || least === undefined || least === null) return;
      if (!isLongOfAtLeast(textOf(least), 2n)) {
        yield [
          '/task/taskTypeConfigsMap/UpsertCompactMergeTask/minNumSegmentsPerTask',
          'minNumSegmentsPerTask must be a whole number of at least 2: UpsertCompactionTask compacts single segments.',
        ];
      }
    },
  ),
  error(
    'TASK_VALID_DOC_IDS',
    `The validDocIdsType of an UpsertCompactionTask must be one of ${validDocIdsTypes().join(', ')}; the first and the last require snapshots, and those WITH_DELETE a deleteRecordColumn.`,
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
    'RealtimeToOfflineSegmentsTask requires a table without upsert, upsert tasks a real-time table with it, and UpsertCompactMergeTask snapshots as well.',
    function* ({ config }) {
      for (const [path, type] of tasksOf(config)) {
        const problem = tableProblem(type, config);
        if (problem !== undefined) yield [path, problem];
      }
    },
  ),
  warning(
    'TASK_IDLE',
    'RealtimeToOfflineSegmentsTask should be in a real-time table, and SegmentGenerationAndPushTask in a table with batchConfigMaps; elsewhere they have no effect.',
    function* ({ config }) {
      for (const [path, type] of tasksOf(config)) {
        if (type === 'RealtimeToOfflineSegmentsTask' && config.tableType !== 'REALTIME') {
          yield [path, 'RealtimeToOfflineSegmentsTask has no effect in an offline table.'];
        }
        const sources = config.ingestionConfig?.batchIngestionConfig?.batchConfigMaps ?? [];
        if (type === 'SegmentGenerationAndPushTask' && sources.length === 0) {
          yield [
            path,
            'SegmentGenerationAndPushTask has no effect in a table without batchConfigMaps.',
          ];
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
    return hasUpsert ? 'RealtimeToOfflineSegmentsTask cannot be combined with upsert.' : undefined;
  }
  if (type !== 'UpsertCompactionTask' && type !== 'UpsertCompactMergeTask') return undefined;
  if (!hasUpsert) return `${type} requires a table with upsert.`;
  if (config.tableType !== 'REALTIME') return `${type} requires a real-time table.`;
  return type === 'UpsertCompactMergeTask' && isSnapshotOff(config)
    ? 'UpsertCompactMergeTask requires snapshots of upsert.'
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
  // Only these two types support deleted rows.
  const type = hasDeletes && !said.endsWith('_WITH_DELETE') ? 'SNAPSHOT_WITH_DELETE' : said;
  if (type.startsWith('SNAPSHOT') && isSnapshotOff(config)) return `${type} requires snapshots.`;
  return type.endsWith('_WITH_DELETE') && !hasDeletes
    ? `${type} requires a deleteRecordColumn.`
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
      const isFit = javaNumber(value) >= 0 && javaNumber(value) <= 1;
      return isFit ? undefined : `${name} is ‘${value}’, not a number from 0 to 1.`;
    }
    default:
      return `${name} is not one of lgK, samplingProbability, nominalEntries.`;
  }
}

function isPercentage(text: string): boolean {
  const value = javaNumber(text);
  return value >= 0 && value <= 100;
}

/** Reports whether a text is a whole number of 64 bits that is not below `least`. */
function isLongOfAtLeast(text: string, least: bigint): boolean {
  return isLong(text) && BigInt(text.replace(/^\+/, '')) >= least;
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

/** Returns the text of a value as Apache Pinot parses it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

/** Yields faults of options that are read only when the task runs. */
function* optionFaults({ config, schema }: CheckedTable): Generator<Fault> {
  for (const { path, type, owner, name, value } of optionsOf(config)) {
    const isChecked = owner === '' && checkedPeriods.get(type)?.includes(name) === true;
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
