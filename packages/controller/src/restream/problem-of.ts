import { type ErrorCode, formatDurationMs } from '@quire/core';
import type { Observation } from './observe.ts';
import type { RestreamJob } from './restream-job.ts';

/**
 * The time without progress of a destination after which its job reports a problem: a partition
 * whose segment is being created has no offset for a moment.
 */
const silentMaxMs = 10_000;

/**
 * Returns the reason why the stage of a job does not progress, as far as the engine's state shows
 * it.
 */
export function problemOf(
  job: RestreamJob,
  seen: Observation,
): { readonly code: ErrorCode; readonly message: string } | undefined {
  if (seen.failure !== undefined) return seen.failure;
  const partition = seen.consumption?.partitions.find(({ error }) => error !== null);
  if (partition !== undefined) {
    return {
      code: 'STREAM_UNAVAILABLE',
      message: `Partition ${partition.partition} of the destination: ${partition.error}`,
    };
  }
  const idle = idleProblemOf(job, seen);
  if (idle !== undefined) return idle;
  const forgotten =
    seen.commit === 'gone'
      ? 'force commit'
      : seen.rebalance === 'gone' && job.rebalance?.status === 'IN_PROGRESS'
        ? 'rebalance'
        : undefined;
  if (forgotten === undefined) return undefined;
  return {
    code: 'JOB_NOT_FOUND',
    message: `The engine no longer knows the ${forgotten}; it is requested again.`,
  };
}

/**
 * Returns the reason why a destination has made no progress for a while, as far as its consumption
 * shows it.
 */
function idleProblemOf(
  job: RestreamJob,
  { consumption }: Observation,
): { readonly code: ErrorCode; readonly message: string } | undefined {
  const { idleMs } = job.stream ?? { idleMs: 0 };
  if (consumption === undefined || idleMs <= silentMaxMs) return undefined;
  const idle = formatDurationMs(Math.floor(idleMs / 1000) * 1000);
  const unknown = consumption.partitions.find(({ currentOffset }) => currentOffset === null);
  if (unknown !== undefined) {
    const where = `The engine does not know the offset of partition ${unknown.partition} of the destination; its server may be down.`;
    return { code: 'ENGINE_UNAVAILABLE', message: `${where} No offset has moved for ${idle}.` };
  }
  const notice = consumption.partitions.find((each) => typeof each.notice === 'string')?.notice;
  const why = consumption.isPaused ? ' The destination is paused.' : '';
  return {
    code: 'STREAM_UNAVAILABLE',
    message: `The destination has consumed nothing for ${idle}: ${progressOf(job)}.${why}${typeof notice === 'string' ? ` ${notice}` : ''}`,
  };
}

/**
 * Describes the progress of the partitions that have not reached their target, as a part of a
 * sentence.
 */
export function progressOf({ stream, targetOffsets }: RestreamJob): string {
  const { offsets = {} } = stream ?? {};
  const behind = Object.entries(targetOffsets ?? {}).filter(
    ([name, target]) => (offsets[name] ?? -1) < target,
  );
  if (targetOffsets === null) return 'the end of its stream is unknown';
  if (behind.length === 0) {
    return 'every partition has passed its target, but still lags too far behind';
  }
  return behind
    .map(
      ([name, target]) =>
        `partition ${name} is at ${offsets[name] ?? 'no known offset'} of ${target}`,
    )
    .join(', ');
}
