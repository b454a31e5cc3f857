import { ingestion, tasks, upserting, type TableCase } from './table-scenes.ts';

const at = (type: string, ...options: string[]) =>
  options.map((option) => `/task/taskTypeConfigsMap/${type}/${option}`);
const merge = (options: Record<string, unknown>) => tasks({ MergeRollupTask: options });

/** Cases of rules about the options of background tasks, and about files that they read. */
export const taskCases: Readonly<Record<string, TableCase>> = {
  TASK_SCHEDULE: {
    keeps: tasks({
      MergeRollupTask: { schedule: '0 */10 * * * ?' },
      PurgeTask: { schedule: '0 0 2-4,6 ? JAN-MAR MON#1 2030' },
    }),
    breaks: tasks({
      A: { schedule: 'daily' },
      B: { schedule: 7 },
      C: { schedule: '0 60 * * * ?' },
      D: { schedule: '0 0 0 * * *' },
      E: { schedule: '0 */0 * * * ?' },
      F: { schedule: '0 0 0 ? * 8' },
      G: { schedule: '0 0 0 1 * ? 1969' },
      H: { schedule: '0 0 0 32 * ?' },
    }),
    at: 'ABCDEFGH'.split('').flatMap((type) => at(type, 'schedule')),
  },
  TASK_PERIOD: {
    keeps: merge({ '1day.bucketTimePeriod': '1d', bufferTimePeriod: '12h' }),
    breaks: merge({ '1day.bucketTimePeriod': 'day', bufferTimePeriod: 0 }),
    at: at('MergeRollupTask', '1day.bucketTimePeriod', 'bufferTimePeriod'),
  },
  TASK_COUNT: {
    keeps: merge({ '1day.maxNumRecordsPerSegment': '1000000', tableMaxNumTasks: 2 }),
    breaks: merge({ '1day.maxNumRecordsPerSegment': 'many', tableMaxNumTasks: 0 }),
    at: at('MergeRollupTask', '1day.maxNumRecordsPerSegment', 'tableMaxNumTasks'),
  },
  TASK_MERGE_TYPE: {
    keeps: merge({ '1day.mergeType': 'rollup', mergeType: 'CONCAT' }),
    breaks: merge({ mergeType: 'sum' }),
    at: at('MergeRollupTask', 'mergeType'),
  },
  TASK_AGGREGATION: {
    keeps: merge({ 'price.aggregationType': 'sum' }),
    breaks: merge({ 'cost.aggregationType': 'sum' }),
    at: at('MergeRollupTask', 'cost.aggregationType'),
  },
  TASK_THRESHOLD: {
    keeps: tasks({ UpsertCompactionTask: { invalidRecordsThresholdPercent: '30' } }),
    breaks: tasks({ UpsertCompactionTask: { invalidRecordsThresholdPercent: '130' } }),
    at: at('UpsertCompactionTask', 'invalidRecordsThresholdPercent'),
  },
  TASK_TABLE: {
    keeps: upserting(
      {},
      { task: { taskTypeConfigsMap: { UpsertCompactionTask: {}, MergeRollupTask: {} } } },
    ),
    breaks: tasks({
      RealtimeToOfflineSegmentsTask: {},
      UpsertCompactMergeTask: {},
      SegmentGenerationAndPushTask: {},
    }),
    at: [
      'RealtimeToOfflineSegmentsTask',
      'SegmentGenerationAndPushTask',
      'UpsertCompactMergeTask',
    ].map((type) => `/task/taskTypeConfigsMap/${type}`),
  },
  BATCH_CONFIG_MEMBER: {
    keeps: ingestion({
      batchIngestionConfig: {
        batchConfigMaps: [
          { inputDirURI: 's3://a/b', inputFormat: 'csv', 'input.fs.prop.region': 'x' },
        ],
      },
    }),
    breaks: ingestion({
      batchIngestionConfig: { batchConfigMaps: [{}, { inputDirUri: 's3://a/b' }] },
    }),
    at: ['/ingestionConfig/batchIngestionConfig/batchConfigMaps/1/inputDirUri'],
  },
};
