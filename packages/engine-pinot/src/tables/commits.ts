import { type CallOptions, isQuireError, type JsonValue, QuireError } from '@quire/core';
import type { ForceCommitJob, PauseStatus, ResumeFrom } from '@quire/core/table-engine';
import { type AdminCalls, isJsonObject, numberIn, objectIn, textIn } from './admin-calls.ts';
import {
  assertRealtime,
  namesIn,
  pathOf,
  readConsumption,
  readPauseStatus,
} from './consumption.ts';
import { readView } from './views.ts';

export async function pauseConsumption(
  calls: AdminCalls,
  tableNameWithType: string,
  { comment, ...options }: CallOptions & { readonly comment?: string },
): Promise<PauseStatus> {
  await assertRealtime(calls, tableNameWithType, options);
  const pause = { verb: 'pauseConsumption' as const, parameters: { comment } };
  await askForCommit(calls, tableNameWithType, pause, options);
  return readPauseStatus(calls, tableNameWithType, options);
}

/** The interval of repeating a request to commit that has reached no server. */
const commitPollMs = 200;
const commitWaitMaxMs = 60_000;
/**
 * The timeout of waiting for segments that no server has: all of theirs may be down. Apache Helix
 * counts a server as alive for as long after its last sign, unless that is configured.
 */
const unseenMaxMs = 30_000;

interface CommitRequest {
  readonly verb: 'pauseConsumption' | 'forceCommit';
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/**
 * Requests that the consuming segments are committed.
 *
 * Apache Pinot sends such a request only to the servers in the external view of the table, which is
 * written after they start to consume: just after a table was created, it reaches some or none of
 * them. It is not sent again.
 *
 * @throws ENGINE_UNAVAILABLE when no server receives it
 */
async function askForCommit(
  calls: AdminCalls,
  tableNameWithType: string,
  { verb, parameters }: CommitRequest,
  options: CallOptions,
): Promise<JsonValue> {
  const { clock } = calls.controller.http;
  const path = pathOf(tableNameWithType, verb);
  const errors = { 400: 'CONFLICT', 404: 'TABLE_NOT_FOUND', 500: 'CONFLICT' } as const;
  const startedMs = clock.monotonicMs();
  for (;;) {
    const isSeen = await isEachConsumingSegmentSeen(calls, tableNameWithType, options);
    const waitedMs = clock.monotonicMs() - startedMs;
    if (isSeen || waitedMs >= unseenMaxMs) {
      try {
        return await calls.call({ method: 'POST', path, parameters, errors }, options);
      } catch (error) {
        if (!isQuireError(error, 'CONFLICT') || !error.message.includes(unreached)) throw error;
        if (waitedMs > commitWaitMaxMs) {
          throw new QuireError(
            'ENGINE_UNAVAILABLE',
            `No server of Apache Pinot accepts the request to commit ${tableNameWithType}.`,
            { cause: error },
          );
        }
      }
    }
    await clock.sleep(commitPollMs, options.signal);
  }
}

/** A part of the message of a controller that has sent a request to no server. */
const unreached = 'No force commit message';

/** Reports whether the external view has a server for each segment that is to be consuming. */
async function isEachConsumingSegmentSeen(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<boolean> {
  const [ideal = {}, view = {}] = await Promise.all([
    readView(calls, tableNameWithType, 'idealstate', options),
    readView(calls, tableNameWithType, 'externalview', options),
  ]);
  const consuming = Object.keys(ideal).filter((name) =>
    Object.values(objectIn(ideal, name)).includes('CONSUMING'),
  );
  return consuming.every((name) => Object.keys(objectIn(view, name)).length > 0);
}

export async function resumeConsumption(
  calls: AdminCalls,
  tableNameWithType: string,
  {
    from,
    comment,
    ...options
  }: CallOptions & { readonly from?: ResumeFrom; readonly comment?: string },
): Promise<PauseStatus> {
  await untilCommitted(calls, tableNameWithType, options);
  const path = pathOf(tableNameWithType, 'resumeConsumption');
  const parameters = { consumeFrom: from ?? 'lastConsumed', comment };
  await calls.call(
    { method: 'POST', path, parameters, errors: { 404: 'TABLE_NOT_FOUND' } },
    options,
  );
  return readPauseStatus(calls, tableNameWithType, options);
}

/**
 * Waits until the segments that a pause commits are committed.
 *
 * A resumption starts each partition that has no consuming segment. In Apache Pinot 1.5.1, a
 * segment that is committed during a pause counts as one until its commit ends, and none follows
 * it: its partition would not be consumed until a check that runs every hour.
 */
async function untilCommitted(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<void> {
  const { clock } = calls.controller.http;
  const startedMs = clock.monotonicMs();
  for (;;) {
    const { isPaused, segmentNames } = await readPauseStatus(calls, tableNameWithType, options);
    if (!isPaused || segmentNames.length === 0) return;
    // Servers that are down commit nothing.
    if (clock.monotonicMs() - startedMs >= unseenMaxMs) return;
    await clock.sleep(commitPollMs, options.signal);
  }
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
      `${tableNameWithType} is paused: it has no consuming segments.`,
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
  const commit = { verb: 'forceCommit' as const, parameters };
  const answer = await askForCommit(calls, tableNameWithType, commit, options);
  const jobId = isJsonObject(answer) ? textIn(answer, 'forceCommitJobId') : '';
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
