import { type Clock, createRequestId, isQuireError, QuireError, type Random } from '@quire/core';
import type { ForceCommitJob, TableProblem } from '@quire/core/table-engine';
import type { Records } from '../directory/records.ts';
import type { TableDirectory } from '../directory/table-directory.ts';
import type { ServedTable } from '../served-table.ts';
import { readConsumingRecords } from './paused-partitions.ts';

interface Job {
  readonly job: Omit<ForceCommitJob, 'pendingSegmentNames'>;
  readonly tableId: string;
}

/** `force-commits.json`. */
interface ForceCommitRecord {
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
  readonly records: Records;
  readonly clock: Clock;
  readonly random: Random;
  readonly tables: () => readonly ServedTable[];
  readonly onSetAside?: ((subject: string, damage: QuireError) => void) | undefined;
}

/**
 * Wishes to commit consuming segments, the latest of them. They are on disk, and outlive the
 * server.
 */
export class ForceCommits {
  readonly #parts: ForceCommitParts;
  #jobs: readonly Job[];

  /** Why the requests from before the start are not known; undefined when they are. */
  #damage: QuireError | undefined;

  private constructor(
    parts: ForceCommitParts,
    jobs: readonly Job[],
    damage: QuireError | undefined,
  ) {
    this.#parts = parts;
    this.#jobs = jobs;
    this.#damage = damage;
  }

  static async open(parts: ForceCommitParts): Promise<ForceCommits> {
    try {
      const record = await parts.records.read<ForceCommitRecord>(parts.directory.forceCommits);
      return new ForceCommits(parts, record?.jobs ?? [], undefined);
    } catch (error) {
      if (!isQuireError(error, 'RECORD_DAMAGED')) throw error;
      parts.onSetAside?.(parts.directory.forceCommits.relativePath, error);
      // No rows are lost, only the answer: callers may ask again.
      return new ForceCommits(parts, [], error);
    }
  }

  get problems(): readonly TableProblem[] {
    if (this.#damage === undefined) return [];
    const { relativePath } = this.#parts.directory.forceCommits;
    const help =
      'Requests to commit from before the start are not known. The next one replaces the file.';
    return [{ kind: 'record', subject: relativePath, problem: `${this.#damage.message} ${help}` }];
  }

  /**
   * @throws CONFLICT while the table is paused; SEGMENT_NOT_FOUND when a named segment is not
   * consuming
   */
  async submit(
    table: ServedTable,
    { segmentNames, partitions }: CommitFilter = {},
  ): Promise<ForceCommitJob> {
    if (table.consumer?.isPaused === true) {
      throw new QuireError(
        'CONFLICT',
        `${table.name} is paused: all that it has consumed is committed already.`,
      );
    }
    // What a query has shown to the caller is to be committed as well.
    await table.consumer?.settled();
    const consuming = table.consumer?.records ?? [];
    const missing = segmentNames?.find(
      (name) => !consuming.some(({ segmentName }) => segmentName === name),
    );
    if (missing !== undefined) {
      throw new QuireError(
        'SEGMENT_NOT_FOUND',
        `${table.name} has no consuming segment ${missing.slice(0, 200)}.`,
      );
    }
    const wanted = consuming.filter(
      ({ segmentName, partition }) =>
        (segmentNames?.includes(segmentName) ?? true) && (partitions?.includes(partition) ?? true),
    );
    const { directory, records, clock, random } = this.#parts;
    const job = {
      jobId: createRequestId(clock, random),
      tableNameWithType: table.name,
      submittedMs: clock.nowMs(),
      // One without messages has nothing to commit.
      segmentNames: wanted.flatMap(({ segmentName, startOffset, endOffset }) =>
        endOffset > startOffset ? [segmentName] : [],
      ),
    };
    this.#jobs = [...this.#jobs, { job, tableId: table.record.tableId }].slice(-jobsMax);
    const record: ForceCommitRecord = { jobs: this.#jobs };
    await records.replace(directory.forceCommits, record);
    this.#damage = undefined;
    table.consumer?.requestCommits(wanted.map(({ segmentName }) => segmentName));
    return this.read(job.jobId);
  }

  /**
   * How far a wish has come; what a restart has kept from being committed is asked for again.
   *
   * @throws JOB_NOT_FOUND; RECORD_DAMAGED when it may have been submitted before the file was
   * damaged
   */
  async read(jobId: string): Promise<ForceCommitJob> {
    const known = this.#jobs.find(({ job }) => job.jobId === jobId);
    if (known === undefined && this.#damage !== undefined) throw this.#damage;
    if (known === undefined) {
      throw new QuireError(
        'JOB_NOT_FOUND',
        `Force-commit job ${jobId.slice(0, 200)} does not exist.`,
      );
    }
    const table = this.#parts.tables().find(({ record }) => record.tableId === known.tableId);
    const consuming = new Set(
      (table === undefined ? [] : await readConsumingRecords(table)).map(
        ({ segmentName }) => segmentName,
      ),
    );
    const pendingSegmentNames = known.job.segmentNames.filter((name) => consuming.has(name));
    table?.consumer?.requestCommits(pendingSegmentNames);
    return { ...known.job, pendingSegmentNames };
  }
}
