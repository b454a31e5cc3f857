import { aggregationsOf, countOf, invalid, mergeModeOf, periodOf } from './task-options.ts';
import type { TaskPlanner } from './task-plan.ts';

const rowsMaxDefault = 5_000_000;

/**
 * Plans to write the rows of one time window, older than the buffer, to the offline half of a
 * hybrid table; the next task takes the next window. The rows stay in the real-time half until its
 * retention ends. Queries of the whole table see them once, by its time boundary.
 */
export const planRealtimeToOffline: TaskPlanner = async ({
  table,
  offline,
  configs,
  progress,
  nowMs,
}) => {
  if (table.type !== 'REALTIME') {
    throw invalid('taskType', `${table.name} is offline already; expected a REALTIME table.`);
  }
  if (offline === undefined) {
    throw invalid(
      'tableName',
      `The table ${table.rawName} has no OFFLINE half that rows could move to.`,
    );
  }
  const bucketMs = periodOf(configs, 'bucketTimePeriod', '1d');
  const bufferMs = periodOf(configs, 'bufferTimePeriod', '2d');
  const timed = table.segments.manifest.segments.flatMap((segment) => {
    const { minTimeMs, maxTimeMs } = segment;
    return minTimeMs === null || maxTimeMs === null ? [] : [{ segment, minTimeMs, maxTimeMs }];
  });
  const fromMs = progress.watermarkMs ?? Number.NEGATIVE_INFINITY;
  // Windows without segments are skipped.
  const left = timed.filter(({ maxTimeMs }) => maxTimeMs >= fromMs);
  if (left.length === 0) {
    return { reason: 'No committed segment has rows that have not moved yet.' };
  }
  const oldestMs = Math.max(fromMs, Math.min(...left.map(({ minTimeMs }) => minTimeMs)));
  const startMs = Math.floor(oldestMs / bucketMs) * bucketMs;
  const endMs = startMs + bucketMs;
  const shown = `${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
  if (endMs > nowMs - bufferMs) {
    return { reason: `The window ${shown} is not older than the buffer yet.` };
  }
  const consuming = table
    .listSegments()
    .find(
      ({ state, minTimeMs }) => state === 'CONSUMING' && minTimeMs !== null && minTimeMs < endMs,
    );
  if (consuming !== undefined) {
    return { reason: `${consuming.segmentName} still consumes rows of the window ${shown}.` };
  }
  const inputs = left.flatMap(({ segment, minTimeMs }) => (minTimeMs < endMs ? [segment] : []));
  const round =
    configs['roundBucketTimePeriod'] === undefined
      ? null
      : periodOf(configs, 'roundBucketTimePeriod');
  return {
    subtasks: [
      {
        configs: {
          ...configs,
          tableName: table.name,
          segmentName: inputs.map(({ segmentName }) => segmentName).join(','),
          windowStartMs: String(startMs),
          windowEndMs: String(endMs),
        },
        work: {
          kind: 'merge',
          sourceTable: table.name,
          inputs,
          mode: mergeModeOf(configs, 'mergeType'),
          aggregations: aggregationsOf(configs),
          roundMs: round,
          // Late rows of windows that have moved stay in the real-time half.
          window: { startMs: Math.max(startMs, fromMs), endMs },
          rowsMax: countOf(configs, 'maxNumRecordsPerSegment', rowsMaxDefault),
          custom: { windowStartMs: String(startMs), windowEndMs: String(endMs) },
        },
      },
    ],
    commit: { targetTable: offline.name, remove: [], ingestedFiles: [], watermarkMs: endMs },
  };
};
