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
      E: { schedule: '0 */61 * * * ?' },
      F: { schedule: '0 0 0 ? * 8' },
      G: { schedule: '' },
      H: { schedule: '0 0 0 32 * ?' },
    }),
    at: 'ABCDEFGH'.split('').flatMap((type) => at(type, 'schedule')),
  },
  TASK_DOWNLOAD: {
    keeps: tasks({ PurgeTask: { allowDownloadFromServer: 'false' } }),
    breaks: tasks({ PurgeTask: { allowDownloadFromServer: 'True' } }),
    at: at('PurgeTask', 'allowDownloadFromServer'),
  },
  TASK_PERIOD: {
    keeps: tasks({
      MergeRollupTask: { '1day.bucketTimePeriod': 'day' },
      RealtimeToOfflineSegmentsTask: { bucketTimePeriod: '1d12h', bufferTimePeriod: '' },
    }),
    breaks: tasks({
      RealtimeToOfflineSegmentsTask: { bucketTimePeriod: 'day', roundBucketTimePeriod: 5 },
      UpsertCompactionTask: { bufferTimePeriod: '1 d' },
    }),
    at: [
      ...at('RealtimeToOfflineSegmentsTask', 'bucketTimePeriod', 'roundBucketTimePeriod'),
      ...at('UpsertCompactionTask', 'bufferTimePeriod'),
    ],
  },
  TASK_OPTION: {
    keeps: merge({
      '1day.bucketTimePeriod': '1d',
      '1day.maxNumRecordsPerSegment': '1000000',
      tableMaxNumTasks: 2,
      '1day.mergeType': 'rollup',
      'price.aggregationType': 'sum',
    }),
    breaks: merge({
      '1day.bucketTimePeriod': 'day',
      '1day.maxNumRecordsPerSegment': 'many',
      tableMaxNumTasks: 0,
      mergeType: 'sum',
      'cost.aggregationType': 'sum',
    }),
    at: at(
      'MergeRollupTask',
      '1day.bucketTimePeriod',
      '1day.maxNumRecordsPerSegment',
      'cost.aggregationType',
      'mergeType',
      'tableMaxNumTasks',
    ),
  },
  TASK_MERGE_TYPE: {
    keeps: tasks({ RealtimeToOfflineSegmentsTask: { mergeType: 'CONCAT' } }),
    breaks: tasks({ RealtimeToOfflineSegmentsTask: { mergeType: 'sum' } }),
    at: at('RealtimeToOfflineSegmentsTask', 'mergeType'),
  },
  TASK_AGGREGATION: {
    keeps: tasks({ RealtimeToOfflineSegmentsTask: { 'price.aggregationType': 'sum' } }),
    breaks: tasks({
      RealtimeToOfflineSegmentsTask: {
        'cost.aggregationType': 'sum',
        'price.aggregationType': 'avg',
      },
    }),
    at: at('RealtimeToOfflineSegmentsTask', 'cost.aggregationType', 'price.aggregationType'),
  },
  TASK_ERASED_DIMENSION: {
    keeps: merge({ eraseDimensionValues: 'id, customer', '1day.eraseDimensionValues': 'other' }),
    breaks: merge({ mergeLevel: '1day', '1day.eraseDimensionValues': 'id,other' }),
    at: at('MergeRollupTask', '1day.eraseDimensionValues'),
  },
  TASK_AGGREGATION_PARAMETER: {
    keeps: merge({
      'aggregationFunctionParameters.price.lgK': '12',
      'aggregationFunctionParameters.price.samplingProbability': '0.5',
    }),
    breaks: merge({
      'aggregationFunctionParameters.cost.lgK': '12',
      'aggregationFunctionParameters.price.colour': 'red',
      'aggregationFunctionParameters.price.nominalEntries': '0',
      'aggregationFunctionParameters.price.samplingProbability': '1.5',
    }),
    at: at(
      'MergeRollupTask',
      'aggregationFunctionParameters.cost.lgK',
      'aggregationFunctionParameters.price.colour',
      'aggregationFunctionParameters.price.nominalEntries',
      'aggregationFunctionParameters.price.samplingProbability',
    ),
  },
  TASK_THRESHOLD: {
    keeps: tasks({ UpsertCompactionTask: { invalidRecordsThresholdPercent: '30' } }),
    breaks: tasks({ UpsertCompactionTask: { invalidRecordsThresholdPercent: '130' } }),
    at: at('UpsertCompactionTask', 'invalidRecordsThresholdPercent'),
  },
  TASK_SEGMENT_SIZE: {
    keeps: tasks({ UpsertCompactMergeTask: { outputSegmentMaxSize: '200M' } }),
    breaks: tasks({ UpsertCompactMergeTask: { outputSegmentMaxSize: 'large' } }),
    at: at('UpsertCompactMergeTask', 'outputSegmentMaxSize'),
  },
  TASK_COMPACTED_TWICE: {
    keeps: tasks({ UpsertCompactMergeTask: { minNumSegmentsPerTask: '1' } }),
    breaks: tasks({
      UpsertCompactionTask: {},
      UpsertCompactMergeTask: { minNumSegmentsPerTask: '1' },
    }),
    at: at('UpsertCompactMergeTask', 'minNumSegmentsPerTask'),
  },
  TASK_VALID_DOC_IDS: {
    keeps: upserting(
      {},
      { task: { taskTypeConfigsMap: { UpsertCompactionTask: { validDocIdsType: 'snapshot' } } } },
    ),
    breaks: upserting(
      {},
      {
        task: {
          taskTypeConfigsMap: {
            UpsertCompactionTask: { validDocIdsType: 'IN_MEMORY_WITH_DELETE' },
          },
        },
      },
    ),
    at: at('UpsertCompactionTask', 'validDocIdsType'),
  },
  TASK_TABLE: {
    keeps: upserting(
      {},
      { task: { taskTypeConfigsMap: { UpsertCompactionTask: {}, MergeRollupTask: {} } } },
    ),
    breaks: upserting(
      { snapshot: 'DISABLE' },
      {
        task: {
          taskTypeConfigsMap: { RealtimeToOfflineSegmentsTask: {}, UpsertCompactMergeTask: {} },
        },
      },
    ),
    at: ['RealtimeToOfflineSegmentsTask', 'UpsertCompactMergeTask'].map(
      (type) => `/task/taskTypeConfigsMap/${type}`,
    ),
  },
  TASK_IDLE: {
    keeps: tasks({ MergeRollupTask: {} }),
    breaks: tasks({ RealtimeToOfflineSegmentsTask: {}, SegmentGenerationAndPushTask: {} }),
    at: ['RealtimeToOfflineSegmentsTask', 'SegmentGenerationAndPushTask'].map(
      (type) => `/task/taskTypeConfigsMap/${type}`,
    ),
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
