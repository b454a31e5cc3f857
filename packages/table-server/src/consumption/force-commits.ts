import { type Clock, createRequestId, QuireError, type Random } from '@quire/core';
import type { ForceCommitJob } from '@quire/core/table-engine';
import { readDocument, replaceDocument } from '../directory/documents.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import type { ServedTable } from '../served-table.ts';
import { readConsumingRecords } from './resting-partitions.ts';

interface Job {
  readonly job: Omit<ForceCommitJob, 'pendingSegmentNames'>;
  readonly tableId: string;
}

/** `force-commits.json`. */
interface ForceCommitRecord {
  readonly formatVersion: 1;
  /** Oldest first. */
  readonly jobs: readonly Job[];
}

/** Which consuming segments are wanted; undefined members: all. */
interface CommitFilter {
  readonly segmentNames?: readonly string[];
  readonly partitions?: readonly number[];
}

const jobsMax = 100;

interface ForceCommitParts {
  readonly directory: TableDirectory;
  readonly clock: Clock;
  readonly random: Random;
  readonly tables: () => readonly ServedTable[];
}

/** Wishes to commit consuming segments, the latest of them. They are on disk, and outlive the server. */
export class ForceCommits {
  readonly #parts: ForceCommitParts;
  #jobs: readonly Job[];

  private constructor(parts: ForceCommitParts, jobs: readonly Job[]) {
    this.#parts = parts;
    this.#jobs = jobs;
  }

  static async open(parts: ForceCommitParts): Promise<ForceCommits> {
    const record = (await readDocument(parts.directory.forceCommits)) as unknown as ForceCommitRecord | undefined;
    return new ForceCommits(parts, record?.jobs ?? []);
  }

  /** @throws CONFLICT while the table is paused; SEGMENT_NOT_FOUND when a named segment is not consuming */
  async submit(table: ServedTable, { segmentNames, partitions }: CommitFilter = {}): Promise<ForceCommitJob> {
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
    const { directory, clock, random } = this.#parts;
    const job = {
      jobId: createRequestId(clock, random),
      tableNameWithType: table.name,
      submittedMs: clock.nowMs(),
      // One without messages has nothing to commit.
      segmentNames: wanted.flatMap(({ record }) => (record.endOffset > record.startOffset ? [record.segmentName] : [])),
    };
    this.#jobs = [...this.#jobs, { job, tableId: table.record.tableId }].slice(-jobsMax);
    const record: ForceCommitRecord = { formatVersion: 1, jobs: this.#jobs };
    await replaceDocument(directory.forceCommits, record, random);
    for (const each of wanted) each.consumer.requestCommit(each.record.segmentName);
    return this.read(job.jobId);
  }

  /**
   * How far a wish has come; what a restart has kept from being committed is asked for again.
   *
   * @throws JOB_NOT_FOUND
   */
  async read(jobId: string): Promise<ForceCommitJob> {
    const known = this.#jobs.find(({ job }) => job.jobId === jobId);
    if (known === undefined) throw new QuireError('JOB_NOT_FOUND', `Force-commit job ${jobId.slice(0, 200)} does not exist.`);
    const table = this.#parts.tables().find(({ record }) => record.tableId === known.tableId);
    const consuming = new Set(
      (table === undefined ? [] : await readConsumingRecords(table)).map(({ segmentName }) => segmentName),
    );
    const pendingSegmentNames = known.job.segmentNames.filter((name) => consuming.has(name));
    for (const consumer of table?.consumer?.partitions ?? []) {
      const name = consumer.segment?.record.segmentName;
      if (name !== undefined && pendingSegmentNames.includes(name)) consumer.requestCommit(name);
    }
    return { ...known.job, pendingSegmentNames };
  }
}
