import { type ErrorCode, formatDurationMs } from '@quire/core';
import type { Observation } from './observe.ts';
import type { RestreamJob } from './restream-job.ts';

/** A partition whose segment is being made has no offset for a moment. */
const unknownOffsetMaxMs = 10_000;

/** Why the stage of a job does not go on at the moment, as far as a look at the engine says. */
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
  const unknown = seen.consumption?.partitions.find(({ currentOffset }) => currentOffset === null);
  const { idleMs } = job.stream ?? { idleMs: 0 };
  if (unknown !== undefined && idleMs > unknownOffsetMaxMs) {
    const idle = formatDurationMs(Math.floor(idleMs / 1000) * 1000);
    const where = `The engine cannot tell how far partition ${unknown.partition} of the destination is; its server may be away.`;
    return { code: 'ENGINE_UNAVAILABLE', message: `${where} No offset has moved for ${idle}.` };
  }
  const forgotten =
    seen.commit === 'gone'
      ? 'force commit'
      : seen.rebalance === 'gone' && job.rebalance?.status === 'IN_PROGRESS'
        ? 'rebalance'
        : undefined;
  if (forgotten === undefined) return undefined;
  return {
    code: 'JOB_NOT_FOUND',
    message: `The engine does not know the ${forgotten} any more; it is asked for again.`,
  };
}
