import { type CallOptions, type JsonValue, QuireError } from '@quire/core';
import type { Deadline } from '@quire/core/wait';
import type {
  Consumption,
  PartitionConsumption,
  PauseStatus,
  ReplicaConsumption,
} from '@quire/core/table-engine';
import {
  type AdminCalls,
  isJsonObject,
  type Json,
  numberIn,
  objectIn,
  textIn,
} from './admin-calls.ts';
import { isConsuming, readServers, readZkMetadata, streamSegmentOf } from './segments.ts';
import { readConfig, typedName } from './table-configs.ts';

/** @throws TABLE_NOT_FOUND; UNSUPPORTED for a table that consumes no stream */
export async function assertRealtime(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<void> {
  await readConfig(calls, tableNameWithType, options);
  if (typedName(tableNameWithType).type === 'REALTIME') return;
  throw new QuireError(
    'UNSUPPORTED',
    `${tableNameWithType} consumes no stream; only REALTIME tables do.`,
  );
}

export const pathOf = (tableNameWithType: string, verb: string): string =>
  `/tables/${encodeURIComponent(tableNameWithType)}/${verb}`;

/** Returns the status in ZooKeeper, without a call to servers. */
export async function readPauseStatus(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<PauseStatus> {
  await assertRealtime(calls, tableNameWithType, options);
  const path = pathOf(tableNameWithType, 'pauseStatus');
  const errors = { 404: 'TABLE_NOT_FOUND' } as const;
  const pause = await calls.object({ method: 'GET', path, errors }, options);
  const changedMs = Date.parse(`${textIn(pause, 'timestamp').replace(' ', 'T')}Z`);
  return {
    isPaused: pause['pauseFlag'] === true,
    changedMs: Number.isNaN(changedMs) ? null : changedMs,
    comment: textIn(pause, 'comment') || null,
    segmentNames: namesIn(pause, 'consumingSegments'),
  };
}

export async function readConsumption(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<Consumption> {
  const pause = await readPauseStatus(calls, tableNameWithType, options);
  const { isPaused } = pause;
  const errors = { 404: 'TABLE_NOT_FOUND' } as const;
  const metadata = await readZkMetadata(calls, tableNameWithType, options);
  const servers = await readServers(calls, tableNameWithType, options);
  const path = pathOf(tableNameWithType, 'consumingSegmentsInfo');
  using deadline = calls.serversDeadline(options);
  const answered = await calls.objectInTime({ method: 'GET', path, errors }, deadline);
  const info = answered ?? {};
  const consumers = objectIn(info, '_segmentToConsumingInfoMap');
  const segments = newestSegments(metadata).map(([name, each]) => ({
    name,
    metadata: each,
    // Apache Pinot lists the consumers of a committed segment too until its commit is completed.
    replicas:
      isConsuming(each) || consumers[name] !== undefined
        ? replicasOf(name, consumers[name], servers.get(name) ?? [])
        : [],
  }));
  const isTrouble =
    !isPaused &&
    segments.some(({ replicas }) => replicas.some(({ state }) => state !== 'CONSUMING'));
  // Servers that have just failed to answer would delay this answer as well.
  const isAsked = isTrouble && answered !== undefined;
  const reason = isAsked ? await readIngestionProblem(calls, tableNameWithType, deadline) : '';
  const nowMs = calls.controller.http.clock.nowMs();
  const partitions = segments.map((segment) => partitionOf(segment, { isPaused, reason, nowMs }));
  return {
    isPaused,
    changedMs: pause.changedMs,
    comment: pause.comment,
    partitions,
    isReady: partitions.length > 0,
    serversFailingCount:
      answered === undefined
        ? new Set(segments.flatMap(({ replicas }) => replicas.map(({ serverName }) => serverName)))
            .size
        : (numberIn(info, 'serversFailingToRespond') ?? 0),
    serversUnparsableCount: numberIn(info, 'serversUnparsableRespond') ?? 0,
  };
}

/**
 * Returns the reason why Apache Pinot calls the ingestion of a table unhealthy; empty if it does
 * not.
 */
async function readIngestionProblem(
  calls: AdminCalls,
  tableNameWithType: string,
  deadline: Deadline,
): Promise<string> {
  const { rawName } = typedName(tableNameWithType);
  const answer = await calls.objectInTime(
    {
      method: 'GET',
      path: pathOf(rawName, 'status'),
      parameters: { type: 'REALTIME' },
      errors: { 404: 'TABLE_NOT_FOUND' },
    },
    deadline,
  );
  return textIn(objectIn(answer ?? {}, 'ingestionStatus'), 'errorMessage');
}

/** Returns the last segment of each partition, by partition. */
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

interface NewestSegment {
  readonly name: string;
  readonly metadata: Json;
  readonly replicas: readonly ReplicaConsumption[];
}

/** Returns the state of each server that has the segment; UNKNOWN for those that report none. */
function replicasOf(
  segmentName: string,
  consumers: JsonValue | undefined,
  servers: readonly string[],
): readonly ReplicaConsumption[] {
  const partition = String(streamSegmentOf(segmentName)?.partition ?? 0);
  const answered = (Array.isArray(consumers) ? consumers : [])
    .filter(isJsonObject)
    .map((consumer): ReplicaConsumption => {
      const offsets = objectIn(consumer, 'partitionOffsetInfo');
      const valueOf = (map: string): number | null => numberIn(objectIn(offsets, map), partition);
      const lastConsumedMs = numberIn(consumer, 'lastConsumedTimestamp');
      return {
        serverName: textIn(consumer, 'serverName'),
        state: textIn(consumer, 'consumerState') === 'CONSUMING' ? 'CONSUMING' : 'NOT_CONSUMING',
        currentOffset: valueOf('currentOffsetsMap'),
        latestOffset: valueOf('latestUpstreamOffsetMap'),
        lagMessages: valueOf('recordsLagMap'),
        lastConsumedMs: lastConsumedMs === null || lastConsumedMs <= 0 ? null : lastConsumedMs,
        lagMs: valueOf('availabilityLagMsMap'),
      };
    });
  const silent = servers.filter((name) => !answered.some(({ serverName }) => serverName === name));
  const all = [
    ...answered,
    ...silent.map((serverName) => ({ serverName, state: 'UNKNOWN' as const, ...nothingKnown })),
  ];
  return all.toSorted((left, right) => (left.serverName < right.serverName ? -1 : 1));
}

const nothingKnown = {
  currentOffset: null,
  latestOffset: null,
  lagMessages: null,
  lastConsumedMs: null,
  lagMs: null,
};

/** The time for which the servers of a newly created segment may report nothing about it. */
const startingMaxMs = 30_000;

/** Returns the position of a partition: that of its most advanced replica. */
function partitionOf(
  { name, metadata, replicas }: NewestSegment,
  { isPaused, reason, nowMs }: { isPaused: boolean; reason: string; nowMs: number },
): PartitionConsumption {
  const common = {
    partition: streamSegmentOf(name)?.partition ?? 0,
    ...nothingKnown,
    replicas,
    skippedCount: 0,
    error: null,
  };
  if (!isConsuming(metadata)) {
    // Between the two steps of a commit, its servers still have it.
    const isBroken = replicas.length > 0 && replicas.every(({ state }) => state === 'UNKNOWN');
    const isRetrying = isBroken && !isPaused;
    return {
      ...common,
      state: isPaused ? 'PAUSED' : isBroken ? 'RETRYING' : 'STARTING',
      segmentName: replicas.length === 0 ? null : name,
      currentOffset: numberIn(metadata, 'segment.realtime.endOffset'),
      error: isRetrying ? brokenCommit(name, reason) : null,
    };
  }
  const known = {
    ...common,
    segmentName: name,
    ...furthest(replicas.filter(({ state }) => state !== 'UNKNOWN')),
  };
  const consuming = replicas.filter(({ state }) => state === 'CONSUMING');
  if (consuming.length > 0) {
    const isWhole = consuming.length === replicas.length;
    return {
      ...known,
      ...furthest(consuming),
      state: 'CONSUMING',
      ...(!isWhole && { notice: problemOf(replicas, reason) }),
    };
  }
  const ageMs = Math.abs(nowMs - (numberIn(metadata, 'segment.creation.time') ?? 0));
  const isStarting = ageMs < startingMaxMs && replicas.every(({ state }) => state === 'UNKNOWN');
  if (isPaused || isStarting) {
    return {
      ...known,
      state: isPaused ? 'PAUSED' : 'STARTING',
      currentOffset: known.currentOffset ?? numberIn(metadata, 'segment.realtime.startOffset'),
    };
  }
  return { ...known, state: 'RETRYING', error: problemOf(replicas, reason) };
}

function furthest(
  replicas: readonly ReplicaConsumption[],
): Pick<ReplicaConsumption, keyof typeof nothingKnown> {
  const [first] = replicas.toSorted(
    (left, right) => (right.currentOffset ?? -1) - (left.currentOffset ?? -1),
  );
  if (first === undefined) return nothingKnown;
  const { currentOffset, latestOffset, lagMessages, lastConsumedMs, lagMs } = first;
  return { currentOffset, latestOffset, lagMessages, lastConsumedMs, lagMs };
}

/**
 * Describes a commit after which Apache Pinot failed before it created the next segment, as it does
 * when the stream is down at that moment.
 */
function brokenCommit(segmentName: string, reason: string): string {
  return [
    `The commit of ${segmentName} is not completed: no server consumes the messages after it.`,
    'Apache Pinot completes it once it is five minutes old, when the table is resumed or in its periodic check.',
    saysPinot(reason),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function saysPinot(reason: string): string {
  return reason === '' ? '' : `Apache Pinot says: ${reason.replace(/\.?$/, '.')}`;
}

/** Describes the servers that do not consume a partition, with Apache Pinot's reason. */
function problemOf(replicas: readonly ReplicaConsumption[], reason: string): string {
  const namesOf = (wanted: ReplicaConsumption['state']): string =>
    replicas
      .filter(({ state }) => state === wanted)
      .map(({ serverName }) => serverName)
      .join(', ');
  const [stopped, silent] = [namesOf('NOT_CONSUMING'), namesOf('UNKNOWN')];
  return [
    stopped === '' ? '' : `${stopped}: NOT_CONSUMING.`,
    silent === '' ? '' : `${silent}: no answer; the server or its stream is not available.`,
    replicas.length === 0 ? 'No server has the consuming segment.' : '',
    saysPinot(reason),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** Returns a member that is a list of names, or a text that contains one. */
export function namesIn(answer: Json, member: string): readonly string[] {
  const value = answer[member];
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return Array.isArray(list) ? list.map(String).toSorted() : [];
}
