import { type Clock, createRequestId, isQuireError, QuireError, type Random } from '@quire/core';
import type { ForceCommitJob, TableProblem } from '@quire/core/table-engine';
import { Slots } from '@quire/core/wait';
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

/** Selects consuming segments; undefined members select all. */
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
 * The latest requests to commit consuming segments. They are stored on disk and survive a restart.
 */
export class ForceCommits {
  readonly #parts: ForceCommitParts;
  /** Writes the record sequentially: each write contains the jobs of the earlier ones. */
  readonly #writes = new Slots(1);
  #jobs: readonly Job[];

  /** The reason why requests from before the start could not be read; undefined if they could. */
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
      // Only the status of earlier requests is lost, no rows: callers can submit the requests
      // again.
      return new ForceCommits(parts, [], error);
    }
  }

  get problems(): readonly TableProblem[] {
    if (this.#damage === undefined) return [];
    const { relativePath } = this.#parts.directory.forceCommits;
    const help =
      'The commit requests made before the server started are lost. The next request replaces the file.';
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
    // Rows that the caller has seen in a query must be committed as well.
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
    const { clock, random } = this.#parts;
    const job = {
      jobId: createRequestId(clock, random),
      tableNameWithType: table.name,
      submittedMs: clock.nowMs(),
      // A segment without messages has nothing to commit.
      segmentNames: wanted.flatMap(({ segmentName, startOffset, endOffset }) =>
        endOffset > startOffset ? [segmentName] : [],
      ),
    };
    await this.#writes.run(() => this.#add({ job, tableId: table.record.tableId }));
    table.consumer?.requestCommits(wanted.map(({ segmentName }) => segmentName));
    return this.read(job.jobId);
  }

  async #add(job: Job): Promise<void> {
    const { directory, records } = this.#parts;
    const record: ForceCommitRecord = { jobs: [...this.#jobs, job].slice(-jobsMax) };
    await records.replace(directory.forceCommits, record);
    this.#jobs = record.jobs;
    this.#damage = undefined;
  }

  /**
   * Returns the progress of a request. Commits that a restart prevented are requested again.
   *
   * @throws JOB_NOT_FOUND; RECORD_DAMAGED when the job may have been submitted before the file was
   *   damaged
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
