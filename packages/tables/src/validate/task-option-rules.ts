import { pointerTo } from '../json-pointer.ts';
import { isRecord } from '../model/model-schema.ts';
import { columnNamed } from './index-rules.ts';
import type { CheckedTable, TableRule } from './rule.ts';
import { isPeriod } from './segment-rules.ts';

const periodOptions = ['bucketTimePeriod', 'bufferTimePeriod', 'roundBucketTimePeriod', 'lastPurgeTimeThresholdPeriod'];
const countOptions = [
  'maxNumRecordsPerSegment',
  'maxNumRecordsPerTask',
  'maxNumParallelBuckets',
  'tableMaxNumTasks',
  'invalidRecordsThresholdCount',
];
const mergeTypes = ['concat', 'rollup', 'dedup'];

/** Rules about the options of background tasks. */
export const taskOptionRules: readonly TableRule[] = [
  {
    code: 'TASK_PERIOD',
    subject: 'tasks',
    severity: 'error',
    description: `Options of tasks that are spans of time are periods such as 1d: ${periodOptions.join(', ')}.`,
    *check({ config }) {
      for (const { path, name, value } of optionsOf(config)) {
        if (periodOptions.includes(name) && !isPeriod(value)) yield { path, message: `‘${value}’ is not a period such as 1d.` };
      }
    },
  },
  {
    code: 'TASK_COUNT',
    subject: 'tasks',
    severity: 'error',
    description: `Options of tasks that are counts are whole numbers of at least 1: ${countOptions.join(', ')}.`,
    *check({ config }) {
      for (const { path, name, value } of optionsOf(config)) {
        const isCount = /^\d{1,18}$/.test(value) && Number(value) >= 1;
        if (countOptions.includes(name) && !isCount) {
          yield { path, message: `‘${value}’ is not a whole number of at least 1.` };
        }
      }
    },
  },
  {
    code: 'TASK_MERGE_TYPE',
    subject: 'tasks',
    severity: 'error',
    description: `The mergeType of a task is ${mergeTypes.join(', ')}.`,
    *check({ config }) {
      for (const { path, name, value } of optionsOf(config)) {
        if (name === 'mergeType' && !mergeTypes.includes(value.toLowerCase())) {
          yield { path, message: `‘${value}’ is not one of ${mergeTypes.join(', ')}.` };
        }
      }
    },
  },
  {
    code: 'TASK_AGGREGATION',
    subject: 'tasks',
    severity: 'error',
    description: 'The columns of aggregationType options, as in price.aggregationType, are in the schema.',
    *check({ config, schema }) {
      if (schema === undefined) return;
      for (const { path, name, owner } of optionsOf(config)) {
        if (name === 'aggregationType' && columnNamed(owner, schema) === undefined) {
          yield { path, message: `The schema has no column ${owner}.` };
        }
      }
    },
  },
  {
    code: 'TASK_THRESHOLD',
    subject: 'tasks',
    severity: 'error',
    description: 'An UpsertCompactionTask has an invalidRecordsThresholdPercent of 0 to 100, or an invalidRecordsThresholdCount.',
    *check({ config }) {
      const type = 'UpsertCompactionTask';
      const options = config.task?.taskTypeConfigsMap?.[type];
      if (!isRecord(options)) return;
      const path = pointerTo('/task/taskTypeConfigsMap', type);
      const { invalidRecordsThresholdPercent: percent, invalidRecordsThresholdCount: count } = options;
      if (percent === undefined && count === undefined) yield { path, message: 'Nothing says when a segment is compacted.' };
      if (percent !== undefined && !(Number(percent) >= 0 && Number(percent) <= 100)) {
        yield { path: `${path}/invalidRecordsThresholdPercent`, message: 'It is not a percentage of 0 to 100.' };
      }
    },
  },
  {
    code: 'TASK_TABLE',
    subject: 'tasks',
    severity: 'error',
    description:
      'RealtimeToOfflineSegmentsTask is for real-time tables without upsert, upsert tasks for ones with it, SegmentGenerationAndPushTask for tables with files.',
    *check({ config }) {
      for (const type of Object.keys(config.task?.taskTypeConfigsMap ?? {})) {
        const problem = tableProblem(type, config);
        if (problem !== undefined) yield { path: pointerTo('/task/taskTypeConfigsMap', type), message: problem };
      }
    },
  },
];

function tableProblem(type: string, config: CheckedTable['config']): string | undefined {
  const hasUpsert = (config.upsertConfig?.mode ?? 'NONE') !== 'NONE';
  if (type === 'RealtimeToOfflineSegmentsTask') {
    if (config.tableType !== 'REALTIME') return 'The table is offline already.';
    return hasUpsert ? 'Rows that may still be replaced cannot move to an offline table.' : undefined;
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
  /** What stands before the last dot, such as a level of merging or a column; empty where there is none. */
  readonly owner: string;
  readonly name: string;
  readonly value: string;
}

function* optionsOf({ task }: CheckedTable['config']): Generator<TaskOption> {
  for (const [type, options] of Object.entries(task?.taskTypeConfigsMap ?? {})) {
    if (!isRecord(options)) continue;
    for (const [key, value] of Object.entries(options)) {
      const dot = key.lastIndexOf('.');
      const shown = typeof value === 'string' || typeof value === 'number' ? String(value) : typeof value;
      const path = pointerTo('/task/taskTypeConfigsMap', type, key);
      yield { path, owner: key.slice(0, Math.max(dot, 0)), name: key.slice(dot + 1), value: shown };
    }
  }
}
