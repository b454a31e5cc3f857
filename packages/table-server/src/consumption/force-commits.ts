import { type Clock, createRequestId, QuireError, type Random } from '@quire/core';
import type { ForceCommitJob } from '@quire/core/table-engine';
import type { ServedTable } from '../served-table.ts';

interface Job {
  readonly job: Omit<ForceCommitJob, 'pendingSegmentNames'>;
  readonly table: ServedTable;
}

/** Which consuming segments are wanted; undefined members: all. */
interface CommitFilter {
  readonly segmentNames?: readonly string[];
  readonly partitions?: readonly number[];
}

const jobsMax = 100;

/** Wishes to commit consuming segments, the latest of them, as long as the server runs. */
export class ForceCommits {
  readonly #dependencies: { readonly clock: Clock; readonly random: Random };
  readonly #jobs = new Map<string, Job>();

  constructor(dependencies: { readonly clock: Clock; readonly random: Random }) {
    this.#dependencies = dependencies;
  }

  /** @throws CONFLICT while the table is paused; SEGMENT_NOT_FOUND when a named segment is not consuming */
  submit(table: ServedTable, { segmentNames, partitions }: CommitFilter = {}): ForceCommitJob {
    if (table.consumer?.isPaused === true) {
      throw new QuireError('CONFLICT', `${table.name} is paused: all that it has consumed is committed already.`);
    }
    const consuming = (table.consumer?.partitions ?? []).flatMap((consumer) => {
      const { segment } = consumer;
      return segment === undefined ? [] : [{ consumer, record: segment.record }];
    });
    const missing = segmentNames?.find((name) => !consuming.some(({ record }) => record.segmentName === name));
    if (missing !== undefined) {
      throw new QuireError('SEGMENT_NOT_FOUND', `${table.name} has no consuming segment ${missing.slice(0, 200)}.`);
    }
    const wanted = consuming.filter(
      ({ record }) => (segmentNames?.includes(record.segmentName) ?? true) && (partitions?.includes(record.partition) ?? true),
    );
    for (const { consumer, record } of wanted) consumer.requestCommit(record.segmentName);
    const { clock, random } = this.#dependencies;
    const job = {
      jobId: createRequestId(clock, random),
      tableNameWithType: table.name,
      submittedMs: clock.nowMs(),
      // One without messages has nothing to commit.
      segmentNames: wanted.flatMap(({ record }) => (record.endOffset > record.startOffset ? [record.segmentName] : [])),
    };
    this.#jobs.set(job.jobId, { job, table });
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > jobsMax && oldest !== undefined) this.#jobs.delete(oldest);
    return this.read(job.jobId);
  }

  /** @throws JOB_NOT_FOUND */
  read(jobId: string): ForceCommitJob {
    const known = this.#jobs.get(jobId);
    if (known === undefined) throw new QuireError('JOB_NOT_FOUND', `Force-commit job ${jobId.slice(0, 200)} does not exist.`);
    const consuming = new Set((known.table.consumer?.partitions ?? []).map(({ segment }) => segment?.record.segmentName));
    return { ...known.job, pendingSegmentNames: known.job.segmentNames.filter((name) => consuming.has(name)) };
  }
}
