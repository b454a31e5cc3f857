import { parseBooleanParameter, streamOperations as operations } from '@quire/api';
import { QuireError } from '@quire/core';
import type {
  Consumption,
  PartitionConsumption,
  PauseStatus,
  RebalanceJob,
  ReplicaConsumption,
  ResumeFrom,
  TableEngine,
} from '@quire/core/table-engine';
import { queryOf, type RouteHandler, routeOf, signalOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import {
  authorizeChange,
  halvesOf,
  parameterOf,
  pathOf,
  realtimeName,
  sendJson,
  tablesOf,
  typeOf,
} from './table-context.ts';
import { formatTimestamp } from './time-text.ts';

/**
 * The calls about consumption from streams (TABLES.md section 3), as in Apache Pinot's controller.
 */
export function streamRoutes(context: ControllerContext): readonly RouteOptions[] {
  const engine = (): TableEngine => tablesOf(context).engine;
  const nameOf = (request: FastifyRequest): string =>
    realtimeName(pathOf(request)['tableName'] ?? '');
  const handlers: Readonly<Record<keyof typeof operations, RouteHandler>> = {
    readConsumingSegments: async (request, reply) => {
      const signal = signalOf(request);
      const consumption = await engine().readConsumption(nameOf(request), { signal });
      const isOneProcess = consumption.partitions.some(({ replicas }) => replicas === undefined);
      // An engine of one process does not report which server consumes a partition.
      const name = isOneProcess ? await serverNames(engine(), signal) : '';
      return sendJson(reply, consumingSegmentsOf(consumption, name));
    },
    readPauseStatus: async (request, reply) =>
      sendJson(
        reply,
        pauseStatusOf(
          await engine().readPauseStatus(nameOf(request), { signal: signalOf(request) }),
        ),
      ),
    readWatermarks: async (request, reply) =>
      sendJson(reply, await readWatermarks(engine(), nameOf(request), signalOf(request))),
    pauseConsumption: async (request, reply) => {
      const comment = parameterOf(request, 'comment') ?? '';
      authorizeChange(request, 'consumption paused', { table: nameOf(request) });
      return sendJson(
        reply,
        pauseStatusOf(await engine().pauseConsumption(nameOf(request), { comment })),
      );
    },
    resumeConsumption: async (request, reply) => {
      const [from, comment] = [resumeFromOf(request), parameterOf(request, 'comment') ?? ''];
      authorizeChange(request, 'consumption resumed', { table: nameOf(request), from });
      return sendJson(
        reply,
        pauseStatusOf(await engine().resumeConsumption(nameOf(request), { from, comment })),
      );
    },
    forceCommit: async (request, reply) => {
      const chosen = chosenSegmentsOf(request);
      authorizeChange(request, 'commit forced', { table: nameOf(request) });
      const { jobId } = await engine().forceCommit(nameOf(request), chosen);
      return sendJson(reply, {
        forceCommitStatus: 'SUCCESS',
        forceCommitJobId: jobId,
        jobMetaZKWriteStatus: 'SUCCESS',
      });
    },
    readForceCommit: async (request, reply) => {
      const job = await engine().readForceCommit(pathOf(request)['jobId'] ?? '', {
        signal: signalOf(request),
      });
      return sendJson(reply, {
        jobId: job.jobId,
        jobType: 'FORCE_COMMIT',
        tableName: job.tableNameWithType,
        submissionTimeMs: String(job.submittedMs),
        segmentsForceCommitted: JSON.stringify(job.segmentNames),
        segmentsYetToBeCommitted: job.pendingSegmentNames,
        numberOfSegmentsYetToBeCommitted: job.pendingSegmentNames.length,
      });
    },
    rebalance: async (request, reply) => {
      const isDryRun = booleanOf(request, 'dryRun');
      const name = await oneTable(engine(), request);
      authorizeChange(request, 'table rebalanced', { table: name, isDryRun });
      const { jobId, status, description } = await engine().rebalance(name, { isDryRun });
      return sendJson(reply, { jobId, status, description });
    },
    cancelRebalance: async (request, reply) => {
      const name = await oneTable(engine(), request);
      authorizeChange(request, 'rebalance cancelled', { table: name });
      return sendJson(reply, await engine().cancelRebalance(name));
    },
    readRebalance: async (request, reply) => {
      const job = await engine().readRebalance(pathOf(request)['jobId'] ?? '', {
        signal: signalOf(request),
      });
      return sendJson(reply, rebalanceProgressOf(job, context.clock.nowMs()));
    },
  };
  return Object.entries(handlers).map(([id, handler]) =>
    routeOf(operations[id as keyof typeof operations], handler),
  );
}

async function serverNames(engine: TableEngine, signal: AbortSignal): Promise<string> {
  const servers = (await engine.listInstances({ signal })).filter(({ kind }) => kind === 'SERVER');
  return servers.map(({ instanceName }) => instanceName).join(',');
}

function consumingSegmentsOf(
  { partitions, serversFailingCount = 0, serversUnparsableCount = 0 }: Consumption,
  serverName: string,
): object {
  const segments: Record<string, object[]> = {};
  for (const each of partitions) {
    if (each.segmentName === null) continue;
    const { currentOffset, state } = each;
    const isConsuming = state === 'CONSUMING' || state === 'COMMITTING';
    const alone: readonly ReplicaConsumption[] =
      currentOffset === null
        ? []
        : [{ ...each, serverName, state: isConsuming ? 'CONSUMING' : 'NOT_CONSUMING' }];
    segments[each.segmentName] = (each.replicas ?? alone).map((replica) =>
      consumerOf(each, replica),
    );
  }
  return {
    serversFailingToRespond: serversFailingCount,
    serversUnparsableRespond: serversUnparsableCount,
    _segmentToConsumingInfoMap: segments,
  };
}

function consumerOf(
  { partition, state, skippedCount, error, notice }: PartitionConsumption,
  replica: ReplicaConsumption,
): object {
  const mapOf = (value: number | null): Record<string, string> =>
    value === null ? {} : { [String(partition)]: String(value) };
  return {
    serverName: replica.serverName,
    consumerState: replica.state,
    lastConsumedTimestamp: replica.lastConsumedMs ?? 0,
    partitionToOffsetMap: mapOf(replica.currentOffset),
    partitionOffsetInfo: {
      currentOffsetsMap: mapOf(replica.currentOffset),
      latestUpstreamOffsetMap: mapOf(replica.latestOffset),
      recordsLagMap: mapOf(replica.lagMessages),
      availabilityLagMsMap: mapOf(replica.lagMs),
    },
    // Members that Apache Pinot lacks, the same for every server of a partition: the reason for
    // missing progress, and the skipped messages.
    partition,
    state,
    skippedCount,
    ...(error !== null && { error }),
    ...(typeof notice === 'string' && { notice }),
  };
}

function pauseStatusOf({ isPaused, changedMs, comment, segmentNames }: PauseStatus): object {
  return {
    pauseFlag: isPaused,
    consumingSegments: segmentNames,
    reasonCode: 'ADMINISTRATIVE',
    comment: comment ?? '',
    timestamp: changedMs === null ? '' : formatTimestamp(changedMs),
  };
}

/** Returns the starts of the consuming segments: the offsets up to which rows are committed. */
async function readWatermarks(
  engine: TableEngine,
  name: string,
  signal: AbortSignal,
): Promise<object> {
  const segments = await engine.listSegments(name, { signal });
  const watermarks = segments.flatMap(({ state, stream }) =>
    state === 'CONSUMING' && stream !== null
      ? [
          {
            partitionGroupId: stream.partition,
            sequenceNumber: stream.sequence,
            offset: stream.startOffset,
          },
        ]
      : [],
  );
  return { watermarks: watermarks.toSorted((a, b) => a.partitionGroupId - b.partitionGroupId) };
}

function resumeFromOf(request: FastifyRequest): ResumeFrom {
  const from = parameterOf(request, 'consumeFrom') ?? 'lastConsumed';
  if (from === 'lastConsumed' || from === 'smallest' || from === 'largest') return from;
  throw new QuireError(
    'INVALID_PARAMETER',
    `consumeFrom is '${from.slice(0, 40)}'; expected lastConsumed, smallest or largest.`,
  );
}

function chosenSegmentsOf(request: FastifyRequest): {
  segmentNames?: readonly string[];
  partitions?: readonly number[];
} {
  const [segments, partitions] = [
    parameterOf(request, 'segments'),
    parameterOf(request, 'partitions'),
  ];
  if (segments !== undefined && partitions !== undefined) {
    throw new QuireError(
      'INVALID_PARAMETER',
      'segments and partitions are both given; expected one of them.',
    );
  }
  if (segments !== undefined) {
    return { segmentNames: segments.split(',').map((name) => name.trim()) };
  }
  if (partitions === undefined) return {};
  const numbers = partitions.split(',').map((text) => text.trim());
  const odd = numbers.find((text) => !/^\d{1,9}$/.test(text));
  if (odd === undefined) return { partitions: numbers.map(Number) };
  throw new QuireError(
    'INVALID_PARAMETER',
    `partitions has '${odd.slice(0, 40)}'; expected integers of at least 0, separated by commas.`,
  );
}

export function booleanOf(request: FastifyRequest, name: string): boolean {
  return parseBooleanParameter(name, queryOf(request)[name]) ?? false;
}

async function oneTable(engine: TableEngine, request: FastifyRequest): Promise<string> {
  const name = pathOf(request)['tableName'] ?? '';
  const halves = await halvesOf(engine, name, typeOf(request), signalOf(request));
  const [half] = halves;
  if (half !== undefined && halves.length === 1) return half.tableNameWithType;
  throw new QuireError(
    'INVALID_PARAMETER',
    `The table ${name} has both halves; expected the parameter type, OFFLINE or REALTIME.`,
  );
}

function rebalanceProgressOf(job: RebalanceJob, nowMs: number): object {
  const endMs = job.endedMs ?? nowMs;
  return {
    timeElapsedSinceStartInSeconds: Math.max(0, Math.floor((endMs - job.startedMs) / 1000)),
    tableRebalanceProgressStats: {
      status: job.status,
      startTimeMs: job.startedMs,
      timeToFinishInSeconds:
        job.endedMs === null ? 0 : Math.floor((job.endedMs - job.startedMs) / 1000),
      completionStatusMsg: job.description,
      segmentsToMove: job.segmentsToMoveCount,
      segmentsMoved: job.segmentsMovedCount,
    },
  };
}
