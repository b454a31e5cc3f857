import { type RestreamResponse, restreamOperations as operations } from '@quire/api';
import { type JsonValue, QuireError } from '@quire/core';
import { droppedError } from '../restream/decide.ts';
import { isFinal, type RestreamJob } from '../restream/restream-job.ts';
import type { RestreamRequest } from '../restream/start-job.ts';
import type { Restreams } from '../restream/restreams.ts';
import {
  admitWork,
  claimOf,
  countWork,
  principalOf,
  type RouteHandler,
  routeOf,
  signalOf,
} from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from '../object-body.ts';
import { booleanOf } from './stream-routes.ts';
import { authorizeChange, parameterOf, pathOf, sendJson, tablesOf } from './table-context.ts';

/** The calls about restream jobs (SPECIFICATION.md section 4.1; TABLES.md section 5). */
export function restreamRoutes(context: ControllerContext): readonly RouteOptions[] {
  const jobs = (): Restreams => tablesOf(context).restreams;
  const tableOf = (request: FastifyRequest): string => pathOf(request)['tableName'] ?? '';
  const view = (job: RestreamJob): RestreamResponse =>
    restreamResponseOf(job, context.clock.nowMs());
  const handlers: Readonly<Record<keyof typeof operations, RouteHandler>> = {
    startRestream: async (request, reply) => {
      const asked = restreamRequestOf(request);
      admitWork(request, reply);
      authorizeChange(request, 'restream started', {
        table: asked.tableNameWithType,
        destination: asked.destTableNameWithType,
      });
      // The job continues without its caller.
      const starting = jobs().start(asked, { claim: claimOf(principalOf(request)) });
      countWork(request, starting);
      return sendJson(reply, view(await starting));
    },
    readTableRestream: async (request, reply) =>
      sendJson(
        reply,
        view(await jobs().readOfTable(tableOf(request), { signal: signalOf(request) })),
      ),
    cancelRestream: async (request, reply) => {
      const dropDestination = booleanOf(request, 'dropDestination');
      authorizeChange(request, 'restream cancelled', { table: tableOf(request), dropDestination });
      const { jobId } = await jobs().readOfTable(tableOf(request));
      return sendJson(reply, view(await jobs().cancel(jobId, { dropDestination })));
    },
    resumeRestream: async (request, reply) => {
      authorizeChange(request, 'restream resumed', { table: tableOf(request) });
      const { jobId } = await jobs().readOfTable(tableOf(request));
      return sendJson(reply, view(await jobs().resume(jobId)));
    },
    listRestreams: async (request, reply) => {
      const all = await jobs().list({ signal: signalOf(request) });
      return sendJson(reply, { restreams: all.map(view) });
    },
    readRestream: async (request, reply) =>
      sendJson(
        reply,
        view(await jobs().read(pathOf(request)['jobId'] ?? '', { signal: signalOf(request) })),
      ),
  };
  const body = objectBody(context.options.bodyBytesMax, () => undefined);
  const optionalBody = {
    ...body,
    check: (value: unknown) =>
      value === undefined || value === null ? undefined : body.check(value),
  };
  return Object.entries(handlers).map(([id, handler]) =>
    routeOf(
      operations[id as keyof typeof operations],
      handler,
      id === 'startRestream' ? optionalBody : undefined,
    ),
  );
}

const parameters: Readonly<Record<string, 'text' | 'boolean' | 'integer'>> = {
  destTableNameWithType: 'text',
  destServerTenant: 'text',
  destTenant: 'text',
  destBrokerTenant: 'text',
  debugPause: 'boolean',
  maxTableStreamLag: 'integer',
  maxRebalanceTimeMin: 'integer',
};

/**
 * Returns the request of a call from its query, its body, or both if they agree. @throws
 * INVALID_PARAMETER, INVALID_BODY
 */
function restreamRequestOf(request: FastifyRequest): RestreamRequest {
  const body = (request.body ?? {}) as Readonly<Record<string, JsonValue>>;
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) {
    const expected = Object.keys(parameters).join(', ');
    throw new QuireError(
      'INVALID_BODY',
      `The body has an unknown member '${unknown.slice(0, 60)}'; expected one or more of ${expected}.`,
    );
  }
  const given: Record<string, string | boolean | number> = {};
  for (const [name, kind] of Object.entries(parameters)) {
    const values = [
      parse(name, kind, parameterOf(request, name)),
      parse(name, kind, body[name] ?? undefined),
    ];
    const [inQuery, inBody] = values;
    if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `${name} is '${inQuery}' in the query and '${inBody}' in the body; expected it once.`,
      );
    }
    const value = inQuery ?? inBody;
    if (value !== undefined) given[name] = value;
  }
  const { destTenant, destServerTenant, destTableNameWithType, ...rest } = given;
  if (
    destTenant !== undefined &&
    destServerTenant !== undefined &&
    destTenant !== destServerTenant
  ) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `destTenant is '${destTenant}' and destServerTenant is '${destServerTenant}'; they mean the same, expected one of them.`,
    );
  }
  if (destTableNameWithType === undefined) {
    throw new QuireError(
      'INVALID_PARAMETER',
      "destTableNameWithType is missing; expected the name of the new table, 'name_REALTIME'.",
    );
  }
  return {
    ...rest,
    tableNameWithType: pathOf(request)['tableName'] ?? '',
    destTableNameWithType: String(destTableNameWithType),
    destServerTenant: (destServerTenant ?? destTenant) as string | undefined,
  };
}

function parse(
  name: string,
  kind: 'text' | 'boolean' | 'integer',
  value: JsonValue | undefined,
): string | boolean | number | undefined {
  if (value === undefined) return undefined;
  const shown = JSON.stringify(typeof value === 'bigint' ? String(value) : value).slice(0, 60);
  if (kind === 'text' && typeof value === 'string' && value !== '') return value;
  if (kind === 'boolean' && (value === true || value === 'true')) return true;
  if (kind === 'boolean' && (value === false || value === 'false')) return false;
  if (
    kind === 'integer' &&
    (typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}$/.test(value)))
  ) {
    if (Number.isSafeInteger(Number(value))) return Number(value);
  }
  const expected = { text: 'a text', boolean: 'true or false', integer: 'an integer' }[kind];
  throw new QuireError('INVALID_PARAMETER', `${name} is ${shown}; expected ${expected}.`);
}

/** Returns a job as SPECIFICATION.md section 2.1 shows it. */
function restreamResponseOf(job: RestreamJob, nowMs: number): RestreamResponse {
  const { config, stream, commit } = job;
  return {
    timeElapsedSinceStartInSeconds: Math.max(
      0,
      Math.floor(((job.finishedMs ?? nowMs) - job.createdMs) / 1000),
    ),
    jobId: job.jobId,
    status: job.status,
    stage: job.status,
    restreamConfig: { ...config },
    tableStreamProgress: {
      lastProbedLag: stream?.lagMessages ?? -1,
      lastProbeTimeMs: stream?.probedMs ?? 0,
      startTime: stream?.startedMs ?? 0,
    },
    verboseTableStreamLag:
      stream === null || Object.keys(stream.lagByPartition).length === 0
        ? {}
        : { [config.destTableNameWithType]: { ...stream.lagByPartition } },
    forceCommitProgress: {
      lastProbeTimeMs: commit?.probedMs ?? 0,
      startTime: commit?.startedMs ?? 0,
      totalConsumingSegments: commit?.segmentNames.length ?? 0,
      consumingSegmentsCommitted:
        (commit?.segmentNames.length ?? 0) - (commit?.pendingSegmentNames.length ?? 0),
    },
    segmentsToBeCommitted: [...(commit?.pendingSegmentNames ?? [])],
    stages: job.stages.map(({ stage, startedMs, endedMs, outcome }) => ({
      stage,
      startTimeMs: startedMs,
      endTimeMs: endedMs,
      outcome,
    })),
    targetOffsets: job.targetOffsets === null ? null : { ...job.targetOffsets },
    comparison: job.comparison === null ? null : { ...job.comparison },
    error: job.error === null ? null : { ...job.error },
    lastProblem: lastProblemOf(job),
    next: nextOf(job),
  };
}

function lastProblemOf({ lastProblem }: RestreamJob): RestreamResponse['lastProblem'] {
  if (lastProblem === undefined || lastProblem === null) return null;
  const { code, message, stage, atMs } = lastProblem;
  return { code, message, stage, timeMs: atMs };
}

/** Reports whether a job has failed because its destination was dropped. */
function isDestinationGone(job: RestreamJob): boolean {
  return job.error?.message === droppedError(job).message;
}

/** Describes what the stage waits for, if the latest observation met a problem. */
function waitOf({ lastProblem, stream, commit, rebalance, status }: RestreamJob): string {
  if (lastProblem === undefined || lastProblem === null || lastProblem.stage !== status) return '';
  const probedMs = { TABLE_STREAM: stream?.probedMs, FORCE_COMMIT: commit?.probedMs }[
    status as string
  ];
  const isOver =
    (typeof probedMs === 'number' && lastProblem.atMs < probedMs) ||
    (status === 'REBALANCE' && rebalance?.status === 'IN_PROGRESS');
  return isOver ? '' : ` It waits now: ${lastProblem.message}`;
}

/** Describes what happens next, or what the caller can do. */
function nextOf(job: RestreamJob): string {
  const { status, init, config, cleanup } = job;
  const { tableNameWithType: source, destTableNameWithType: destination } = config;
  const path = `/tables/${source}/restream`;
  const again = status === 'CANCELLED' ? '' : ' Start again when the cause is fixed.';
  if (!isFinal(status)) {
    if (status === 'INIT' && init.isHeld) return `It waits to be resumed: POST ${path}/resume.`;
    const doing = {
      INIT: `It creates ${destination}.`,
      TABLE_STREAM: `${destination} consumes its stream; the job continues when every partition has caught up.`,
      FORCE_COMMIT: 'It waits until the consuming segments are committed.',
      REBALANCE: 'It waits until segments are on the servers that their tenants require.',
    }[status as 'INIT' | 'TABLE_STREAM' | 'FORCE_COMMIT' | 'REBALANCE'];
    return `${doing}${waitOf(job)} To cancel: DELETE ${path}.`;
  }
  if (status === 'DONE') {
    return `${destination} serves queries. When ${source} is no longer used: DELETE /tables/${source}.`;
  }
  if (cleanup !== null && cleanup.problem !== null) {
    const what = cleanup.kind === 'DROP' ? 'dropped' : 'paused';
    return `${destination} could not be ${what}: ${cleanup.problem} Check it, and then: DELETE ${path}?dropDestination=true.`;
  }
  if (cleanup?.kind === 'PAUSE' && isDestinationGone(job)) {
    return `${destination} was dropped by another caller.${again}`;
  }
  if (cleanup?.kind === 'DROP') {
    if (!cleanup.isDone) return `${destination} is being dropped.`;
    const left = cleanup.leftover ?? `${destination} was removed completely.`;
    return `${left}${again}`;
  }
  return `${destination} is kept and paused. To drop it: DELETE ${path}?dropDestination=true. To let it consume: POST /tables/${destination}/resumeConsumption.`;
}
