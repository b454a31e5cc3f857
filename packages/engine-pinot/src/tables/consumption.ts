import { type CallOptions, isQuireError, QuireError } from '@quire/core';
import type {
  Consumption,
  ForceCommitJob,
  PartitionConsumption,
  ResumeFrom,
} from '@quire/core/table-engine';
import {
  type AdminCalls,
  isJsonObject,
  type Json,
  numberIn,
  objectIn,
  textIn,
} from './admin-calls.ts';
import { isConsuming, readZkMetadata, streamSegmentOf } from './segments.ts';
import { readConfig, typedName } from './table-configs.ts';

/** @throws TABLE_NOT_FOUND; UNSUPPORTED for a table that consumes no stream */
async function assertRealtime(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<void> {
  await readConfig(calls, tableNameWithType, options);
  if (typedName(tableNameWithType).type === 'REALTIME') return;
  throw new QuireError(
    'UNSUPPORTED',
    `${tableNameWithType} consumes no stream; its REALTIME half would.`,
  );
}

const pathOf = (tableNameWithType: string, verb: string): string =>
  `/tables/${encodeURIComponent(tableNameWithType)}/${verb}`;

export async function readConsumption(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<Consumption> {
  await assertRealtime(calls, tableNameWithType, options);
  const errors = { 404: 'TABLE_NOT_FOUND' } as const;
  const pause = await calls.object(
    { method: 'GET', path: pathOf(tableNameWithType, 'pauseStatus'), errors },
    options,
  );
  const metadata = await readZkMetadata(calls, tableNameWithType, options);
  const path = pathOf(tableNameWithType, 'consumingSegmentsInfo');
  const info = objectIn(
    await calls.object({ method: 'GET', path, errors }, options),
    '_segmentToConsumingInfoMap',
  );
  const isPaused = pause['pauseFlag'] === true;
  const changedMs = Date.parse(`${textIn(pause, 'timestamp').replace(' ', 'T')}Z`);
  const partitions = newestSegments(metadata).map(([name, each]) =>
    partitionOf(name, each, info, isPaused),
  );
  return {
    isPaused,
    changedMs: Number.isNaN(changedMs) ? null : changedMs,
    comment: textIn(pause, 'comment') === '' ? null : textIn(pause, 'comment'),
    partitions,
    isReady: partitions.length > 0,
  };
}

/** The last segment of each partition, by partition. */
function newestSegments(metadata: ReadonlyMap<string, Json>): readonly (readonly [string, Json])[] {
  const newest = new Map<
    number,
    { readonly sequence: number; readonly entry: readonly [string, Json] }
  >();
  for (const entry of metadata) {
    const place = streamSegmentOf(entry[0]);
    if (place === undefined || (newest.get(place.partition)?.sequence ?? -1) > place.sequence) {
      continue;
    }
    newest.set(place.partition, { sequence: place.sequence, entry });
  }
  return [...newest].toSorted(([left], [right]) => left - right).map(([, { entry }]) => entry);
}

function partitionOf(
  name: string,
  metadata: Json,
  info: Json,
  isPaused: boolean,
): PartitionConsumption {
  const partition = streamSegmentOf(name)?.partition ?? 0;
  const consumers = info[name];
  const consumer = Array.isArray(consumers) ? consumers.find(isJsonObject) : undefined;
  const unknown = {
    partition,
    latestOffset: null,
    lagMessages: null,
    lastConsumedMs: null,
    lagMs: null,
    skippedCount: 0,
    error: null,
  };
  if (!isConsuming(metadata)) {
    const currentOffset = numberIn(metadata, 'segment.realtime.endOffset');
    return {
      ...unknown,
      state: isPaused ? 'PAUSED' : 'STARTING',
      segmentName: null,
      currentOffset,
    };
  }
  if (consumer === undefined) {
    const currentOffset = numberIn(metadata, 'segment.realtime.startOffset');
    return { ...unknown, state: 'STARTING', segmentName: name, currentOffset };
  }
  const offsets = objectIn(consumer, 'partitionOffsetInfo');
  const valueOf = (map: string): number | null =>
    numberIn(objectIn(offsets, map), String(partition));
  const lastConsumedMs = numberIn(consumer, 'lastConsumedTimestamp');
  return {
    partition,
    state: textIn(consumer, 'consumerState') === 'CONSUMING' ? 'CONSUMING' : 'COMMITTING',
    segmentName: name,
    currentOffset: valueOf('currentOffsetsMap'),
    latestOffset: valueOf('latestUpstreamOffsetMap'),
    lagMessages: valueOf('recordsLagMap'),
    lastConsumedMs: lastConsumedMs === null || lastConsumedMs <= 0 ? null : lastConsumedMs,
    lagMs: valueOf('availabilityLagMsMap'),
    skippedCount: 0,
    error: null,
  };
}

export async function pauseConsumption(
  calls: AdminCalls,
  tableNameWithType: string,
  { comment, ...options }: CallOptions & { readonly comment?: string },
): Promise<Consumption> {
  await assertRealtime(calls, tableNameWithType, options);
  const { clock } = calls.controller.http;
  const startedMs = clock.monotonicMs();
  while (!(await isPauseApplied(calls, tableNameWithType, comment, options))) {
    if (clock.monotonicMs() - startedMs > pauseWaitMaxMs) {
      throw new QuireError(
        'ENGINE_UNAVAILABLE',
        `No server of Apache Pinot takes the wish to pause ${tableNameWithType}.`,
      );
    }
    await clock.sleep(pausePollMs, options.signal);
  }
  return readConsumption(calls, tableNameWithType, options);
}

/**
 * Servers that are not there yet, as right after a table was made, do not learn of a pause: it must
 * be requested again.
 */
const pausePollMs = 200;
const pauseWaitMaxMs = 60_000;

async function isPauseApplied(
  calls: AdminCalls,
  tableNameWithType: string,
  comment: string | undefined,
  options: CallOptions,
): Promise<boolean> {
  const path = pathOf(tableNameWithType, 'pauseConsumption');
  const errors = { 404: 'TABLE_NOT_FOUND', 500: 'CONFLICT' } as const;
  try {
    await calls.call({ method: 'POST', path, parameters: { comment }, errors }, options);
    return true;
  } catch (error) {
    if (isQuireError(error, 'CONFLICT') && error.message.includes('No force commit message')) {
      return false;
    }
    throw error;
  }
}

export async function resumeConsumption(
  calls: AdminCalls,
  tableNameWithType: string,
  {
    from,
    comment,
    ...options
  }: CallOptions & { readonly from?: ResumeFrom; readonly comment?: string },
): Promise<Consumption> {
  await assertRealtime(calls, tableNameWithType, options);
  const path = pathOf(tableNameWithType, 'resumeConsumption');
  const parameters = { consumeFrom: from ?? 'lastConsumed', comment };
  await calls.call(
    { method: 'POST', path, parameters, errors: { 404: 'TABLE_NOT_FOUND' } },
    options,
  );
  return readConsumption(calls, tableNameWithType, options);
}

export async function forceCommit(
  calls: AdminCalls,
  tableNameWithType: string,
  request: CallOptions & {
    readonly segmentNames?: readonly string[];
    readonly partitions?: readonly number[];
  },
): Promise<ForceCommitJob> {
  const { segmentNames, partitions, ...options } = request;
  const consumption = await readConsumption(calls, tableNameWithType, options);
  if (consumption.isPaused) {
    throw new QuireError(
      'CONFLICT',
      `${tableNameWithType} is paused: nothing of it is being consumed.`,
    );
  }
  const consuming = new Set(consumption.partitions.map((each) => each.segmentName));
  const missing = segmentNames?.find((name) => !consuming.has(name));
  if (missing !== undefined) {
    throw new QuireError(
      'SEGMENT_NOT_FOUND',
      `${tableNameWithType} has no consuming segment '${missing}'.`,
    );
  }
  const parameters = {
    segments: segmentNames?.join(','),
    partitions: segmentNames === undefined ? partitions?.join(',') : undefined,
  };
  const errors = { 400: 'CONFLICT', 404: 'TABLE_NOT_FOUND' } as const;
  const call = {
    method: 'POST',
    path: pathOf(tableNameWithType, 'forceCommit'),
    parameters,
    errors,
  } as const;
  const jobId = textIn(await calls.object(call, options), 'forceCommitJobId');
  return readForceCommit(calls, jobId, options);
}

export async function readForceCommit(
  calls: AdminCalls,
  jobId: string,
  options: CallOptions,
): Promise<ForceCommitJob> {
  const path = `/tables/forceCommitStatus/${encodeURIComponent(jobId)}`;
  const answer = await calls.object(
    { method: 'GET', path, errors: { 404: 'JOB_NOT_FOUND' } },
    options,
  );
  return {
    jobId,
    tableNameWithType: textIn(answer, 'tableName'),
    submittedMs: numberIn(answer, 'submissionTimeMs') ?? 0,
    segmentNames: namesIn(answer, 'segmentsForceCommitted'),
    pendingSegmentNames: namesIn(answer, 'segmentsYetToBeCommitted'),
  };
}

/** A list, or a text that holds one. */
function namesIn(answer: Json, member: string): readonly string[] {
  const value = answer[member];
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return Array.isArray(list) ? list.map(String).toSorted() : [];
}
