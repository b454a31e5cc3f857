import type { SegmentRecord } from '../segments/manifest.ts';
import { aggregationsOf, countOf, invalid, mergeModeOf, periodOf } from './task-options.ts';
import type { TaskPlan, TaskPlanner } from './task-plan.ts';

const rowsMaxDefault = 5_000_000;
const taskRowsMaxDefault = 50_000_000;
const bucketsMaxDefault = 10;
type Options = Readonly<Record<string, string>>;

/**
 * Merges the segments of one time bucket into one: unchanged (concat), without repeated rows
 * (dedup), or with the metrics of otherwise equal rows aggregated (rollup). Options are by level,
 * as in `1day.bucketTimePeriod`; levels are ordered from short to long buckets.
 */
export const planMergeRollup: TaskPlanner = async ({ table, configs, nowMs }) => {
  if (table.type !== 'OFFLINE') {
    throw invalid('taskType', `${table.name} is a real-time table; expected an OFFLINE one.`);
  }
  const levels = levelsOf(configs);
  const reasons: string[] = [];
  for (const level of levels) {
    const groups = groupsOf(level, table.segments.manifest.segments, nowMs).slice(
      0,
      countOf(configs, 'tableMaxNumTasks', bucketsMaxDefault),
    );
    if (groups.length > 0) return planOf(table.name, level, groups, configs);
    reasons.push(level.name);
  }
  return {
    reason: `No bucket has two segments that are older than the buffer (${reasons.join(', ')}).`,
  };
};

interface Level {
  readonly name: string;
  readonly bucketMs: number;
  readonly bufferMs: number;
}

/** @throws TABLE_INVALID when there is no level */
function levelsOf(configs: Options): readonly Level[] {
  const suffix = '.bucketTimePeriod';
  const names = Object.keys(configs).flatMap((key) =>
    key.endsWith(suffix) ? [key.slice(0, -suffix.length)] : [],
  );
  if (names.length === 0) {
    throw invalid(
      '<level>.bucketTimePeriod',
      'It is missing; expected for example 1day.bucketTimePeriod.',
    );
  }
  const levels = names.map((name) => ({
    name,
    bucketMs: periodOf(configs, `${name}.bucketTimePeriod`),
    bufferMs: periodOf(configs, `${name}.bufferTimePeriod`, '1d'),
  }));
  return levels.toSorted((left, right) => left.bucketMs - right.bucketMs);
}

interface Group {
  readonly bucketStartMs: number;
  readonly segments: readonly SegmentRecord[];
}

/**
 * Groups the segments of finished buckets in which some segment does not have this level yet. A
 * segment that spans several buckets belongs to its first.
 */
function groupsOf(
  { name, bucketMs, bufferMs }: Level,
  segments: readonly SegmentRecord[],
  nowMs: number,
): readonly Group[] {
  const buckets = new Map<number, SegmentRecord[]>();
  for (const segment of segments) {
    const { minTimeMs, maxTimeMs } = segment;
    if (minTimeMs === null || maxTimeMs === null) continue;
    const lastBucketEndMs = (Math.floor(maxTimeMs / bucketMs) + 1) * bucketMs;
    if (lastBucketEndMs > nowMs - bufferMs) continue;
    const bucketStartMs = Math.floor(minTimeMs / bucketMs) * bucketMs;
    buckets.set(bucketStartMs, [...(buckets.get(bucketStartMs) ?? []), segment]);
  }
  return [...buckets]
    .map(([bucketStartMs, members]) => ({ bucketStartMs, segments: members }))
    .filter(
      (group) =>
        group.segments.length > 1 &&
        group.segments.some(({ custom }) => custom['mergeLevel'] !== name),
    )
    .toSorted((left, right) => left.bucketStartMs - right.bucketStartMs);
}

/**
 * Splits groups with more rows than a subtask may take into parts of whole segments. Rows of
 * different parts are not compared.
 */
function partsOf(groups: readonly Group[], rowsMax: number): readonly Group[] {
  return groups.flatMap(({ bucketStartMs, segments }) => {
    const parts: SegmentRecord[][] = [];
    let rowCount = Infinity;
    for (const segment of segments) {
      rowCount += segment.rowCount;
      const part = parts.at(-1);
      if (part !== undefined && rowCount <= rowsMax) {
        part.push(segment);
      } else {
        parts.push([segment]);
        rowCount = segment.rowCount;
      }
    }
    return parts.map((part) => ({ bucketStartMs, segments: part }));
  });
}

function planOf(
  tableName: string,
  level: Level,
  groups: readonly Group[],
  configs: Options,
): TaskPlan {
  const option = (name: string): string => `${level.name}.${name}`;
  const mode = mergeModeOf(configs, option('mergeType'));
  const round = option('roundBucketTimePeriod');
  const roundMs = configs[round] === undefined ? null : periodOf(configs, round);
  const rowsMax = countOf(configs, option('maxNumRecordsPerSegment'), rowsMaxDefault);
  const parts = partsOf(
    groups,
    countOf(configs, option('maxNumRecordsPerTask'), taskRowsMaxDefault),
  );
  return {
    subtasks: parts.map(({ bucketStartMs, segments }) => ({
      configs: {
        ...configs,
        tableName,
        mergeLevel: level.name,
        segmentName: segments.map(({ segmentName }) => segmentName).join(','),
      },
      work: {
        kind: 'merge',
        sourceTable: tableName,
        inputs: segments,
        mode,
        aggregations: aggregationsOf(configs),
        roundMs,
        window: null,
        rowsMax,
        custom: { mergeLevel: level.name, bucketStartMs: String(bucketStartMs) },
      },
    })),
    commit: {
      targetTable: tableName,
      remove: groups.flatMap(({ segments }) => segments.map(({ segmentName }) => segmentName)),
      ingestedFiles: [],
      watermarkMs: null,
    },
  };
}
