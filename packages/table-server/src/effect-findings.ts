import type { Finding } from '@quire/core/table-engine';
import type { TableConfig } from '@quire/tables';
import { parseSchedule } from './task-schedule.ts';

/**
 * JSON pointers to members that configure how a cluster distributes, replicates or indexes a table.
 */
const membersOfClusters = [
  '/segmentsConfig/replication',
  '/segmentsConfig/replicaGroupStrategyConfig',
  '/segmentsConfig/peerSegmentDownloadScheme',
  '/segmentsConfig/completionConfig',
  '/segmentsConfig/crypterClassName',
  '/tenants/tagOverrideConfig',
  '/tableIndexConfig/invertedIndexColumns',
  '/tableIndexConfig/rangeIndexColumns',
  '/tableIndexConfig/sortedColumn',
  '/tableIndexConfig/bloomFilterColumns',
  '/tableIndexConfig/jsonIndexColumns',
  '/tableIndexConfig/noDictionaryColumns',
  '/tableIndexConfig/onHeapDictionaryColumns',
  '/tableIndexConfig/varLengthDictionaryColumns',
  '/tableIndexConfig/starTreeIndexConfigs',
  '/tableIndexConfig/enableDefaultStarTree',
  '/tableIndexConfig/segmentPartitionConfig',
  '/fieldConfigList',
  '/quota/storage',
  '/quota/maxQueriesPerSecond',
  '/routing',
  '/query',
  '/instanceAssignmentConfigMap',
  '/instancePartitionsMap',
  '/segmentAssignmentConfigMap',
  '/tierConfigs',
  '/tunerConfigs',
] as const;

/**
 * Returns findings for members that the embedded table server does not support and for those
 * without effect on one machine, so that neither is ignored silently.
 */
export function effectFindings(config: TableConfig): readonly Finding[] {
  const without = membersOfClusters.filter((pointer) => isPresent(config, pointer));
  const message = `These members are stored but have no effect on one machine: ${without.join(', ')}.`;
  const kept: Finding = { path: '', code: 'NO_EFFECT', severity: 'info', message };
  return [
    ...unsupported(config),
    ...scheduleFindings(config),
    ...(without.length === 0 ? [] : [kept]),
    ...optionFindings(config),
  ];
}

/** Options of tasks that merge. Tasks that load files also take the options of the file formats. */
const optionsOfAll = ['schedule', 'taskTimeout', 'maxAttemptsPerTask', 'tableMaxNumTasks'];
const optionsOfMerges = [
  'bucketTimePeriod',
  'bufferTimePeriod',
  'mergeType',
  'roundBucketTimePeriod',
  'maxNumRecordsPerSegment',
  'aggregationType',
];
const optionsByType: Readonly<Record<string, readonly string[]>> = {
  MergeRollupTask: [...optionsOfAll, ...optionsOfMerges, 'maxNumRecordsPerTask'],
  RealtimeToOfflineSegmentsTask: [...optionsOfAll, ...optionsOfMerges],
};

function* optionFindings({ task }: TableConfig): Generator<Finding> {
  for (const [type, known] of Object.entries(optionsByType)) {
    const options = task?.taskTypeConfigsMap?.[type];
    if (typeof options !== 'object' || options === null) continue;
    // The name of a level or column may precede the option.
    const without = Object.keys(options).filter(
      (name) => !known.includes(name.slice(name.lastIndexOf('.') + 1)),
    );
    if (without.length === 0) continue;
    const message = `These options are stored but have no effect on one machine: ${without.join(', ')}.`;
    yield {
      path: `/task/taskTypeConfigsMap/${type}`,
      code: 'NO_EFFECT',
      severity: 'info',
      message,
    };
  }
}

/** Yields findings for members that would change answers and are not supported here. */
function* unsupported({
  upsertConfig,
  dedupConfig,
  ingestionConfig,
}: TableConfig): Generator<Finding> {
  const finding = (path: string, what: string): Finding => ({
    path,
    code: 'UNSUPPORTED',
    severity: 'error',
    message: `The embedded table server does not ${what}: remove this member, or use an engine that does, such as Apache Pinot.`,
  });
  const mode = upsertConfig?.mode ?? 'NONE';
  if (mode !== 'NONE') yield finding('/upsertConfig/mode', 'replace rows by their primary key');
  if (dedupConfig?.dedupEnabled === true) {
    yield finding('/dedupConfig/dedupEnabled', 'drop rows by their primary key');
  }
  if ((ingestionConfig?.aggregationConfigs ?? []).length > 0) {
    yield finding('/ingestionConfig/aggregationConfigs', 'aggregate rows during ingestion');
  }
}

/** Yields findings for schedules that Apache Pinot may accept, and that are not supported here. */
function* scheduleFindings({ task }: TableConfig): Generator<Finding> {
  for (const [type, options] of Object.entries(task?.taskTypeConfigsMap ?? {})) {
    if (typeof options !== 'object' || options === null) continue;
    const { schedule } = options as Readonly<Record<string, unknown>>;
    if (typeof schedule !== 'string') continue;
    try {
      parseSchedule(schedule);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      yield {
        path: `/task/taskTypeConfigsMap/${type}/schedule`,
        code: 'UNSUPPORTED',
        severity: 'error',
        message: `The embedded table server cannot follow the schedule ‘${schedule.slice(0, 80)}’: ${reason} Write the days and times out, or use an engine that can, such as Apache Pinot.`,
      };
    }
  }
}

/** Reports whether a member is present with a value other than an empty default. */
function isPresent(config: object, pointer: string): boolean {
  let value: unknown = config;
  for (const name of pointer.slice(1).split('/')) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (
    value === null ||
    value === undefined ||
    value === false ||
    value === '' ||
    value === '1' ||
    value === 1
  ) {
    return false;
  }
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
