import {
  type CallOptions,
  isQuireError,
  type ObjectStore,
  QuireError,
  readObject,
  type RecordIdentity,
  sealRecord,
  type UnsealedRecord,
  unsealRecord,
} from '@quire/core';
import type { TableProblem } from '@quire/core/table-engine';
import { KeyedQueue } from '@quire/core/wait';
import type { RestreamJob } from './restream-job.ts';

/**
 * The requests of callers for a job, stored separately because only the driver of the job writes
 * its record.
 */
export interface JobRequests {
  readonly isResumeWanted: boolean;
  readonly cancel: { readonly dropDestination: boolean } | undefined;
}

const jobIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const recordKeyPattern = /^restreams\/([0-9a-f-]{36})\/(?:record|revision)\.json$/;

/**
 * The records of all jobs in an object store: `restreams/<jobId>/record.json`, with the requests
 * for the job beside it. Every write is one atomic `put` of a sealed record. A job whose record is
 * damaged, or is that of another job, is set aside; other jobs are not affected.
 */
export class JobRecords {
  readonly #store: ObjectStore;
  /** The latest revision of the record of each job that was read or written here. */
  readonly #revisions = new Map<string, number>();
  readonly #cancels = new KeyedQueue<string>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** @throws JOB_NOT_FOUND, RECORD_DAMAGED */
  async read(jobId: string, options: CallOptions = {}): Promise<RestreamJob> {
    // An invalid id must not become a key.
    if (!jobIdPattern.test(jobId)) throw notFound(jobId);
    // The revision is read first: a record that is written in the meantime is newer than that.
    const witnessed = Number((await this.#find(revisionKey(jobId), options)) ?? 0) || 0;
    const text = await this.#find(recordKey(jobId), options);
    if (text === undefined) {
      // A removal that happens in the meantime deletes the revision first.
      const isGone =
        witnessed === 0 || (await this.#find(revisionKey(jobId), options)) === undefined;
      throw isGone ? notFound(jobId) : damaged(jobId, 'is missing');
    }
    const { job, revision } = parseRecord(jobId, text);
    const isOlder = revision < witnessed;
    if (isOlder) {
      throw damaged(
        jobId,
        `is an older copy: it has revision ${revision}, and revision ${witnessed} was written`,
      );
    }
    // A record that was replaced during the read is not the latest one: the next revision must be
    // higher than that of every write.
    this.#revisions.set(jobId, Math.max(revision, this.#revisions.get(jobId) ?? 0));
    return job;
  }

  /**
   * Returns all jobs, newest first, except those that are set aside and those whose id is known:
   * the records of the latter are not read.
   */
  async list(
    options: CallOptions = {},
    knownIds: ReadonlySet<string> = new Set(),
  ): Promise<readonly RestreamJob[]> {
    return (await this.#readAll(options, knownIds)).jobs;
  }

  /** Returns the jobs that are set aside because their record is damaged: they are not driven. */
  async listProblems(options: CallOptions = {}): Promise<readonly TableProblem[]> {
    return (await this.#readAll(options, new Set())).problems;
  }

  async #readAll(
    options: CallOptions,
    knownIds: ReadonlySet<string>,
  ): Promise<{
    readonly jobs: readonly RestreamJob[];
    readonly problems: readonly TableProblem[];
  }> {
    const jobs: RestreamJob[] = [];
    const problems: TableProblem[] = [];
    const jobIds = new Set<string>();
    for await (const { key } of this.#store.list('restreams/', options)) {
      const jobId = recordKeyPattern.exec(key)?.[1];
      if (jobId !== undefined && !knownIds.has(jobId)) jobIds.add(jobId);
    }
    for (const jobId of jobIds) {
      try {
        jobs.push(await this.read(jobId, options));
      } catch (error) {
        if (isQuireError(error, 'RECORD_DAMAGED')) {
          problems.push({ kind: 'job', subject: jobId, problem: error.message });
        } else if (!isQuireError(error, 'JOB_NOT_FOUND')) throw error; // already removed
      }
    }
    return {
      jobs: jobs.toSorted((a, b) => b.createdMs - a.createdMs || (a.jobId < b.jobId ? 1 : -1)),
      problems,
    };
  }

  async write(job: RestreamJob): Promise<void> {
    const { jobId } = job;
    const revision = (this.#revisions.get(jobId) ?? 0) + 1;
    const { cleanup: aftermath, ...others } = job;
    const content: StoredJob = { ...others, aftermath };
    await this.#put(recordKey(jobId), sealRecord(identityOf(jobId), { revision, content }));
    this.#revisions.set(jobId, revision);
    await this.#put(revisionKey(jobId), `${revision}\n`);
  }

  /** Removes all objects of a job. */
  async remove(jobId: string): Promise<void> {
    for (const key of [revisionKey(jobId), recordKey(jobId), resumeKey(jobId), cancelKey(jobId)]) {
      await this.#store.delete(key);
    }
    this.#revisions.delete(jobId);
  }

  async readRequests(jobId: string, options: CallOptions = {}): Promise<JobRequests> {
    const [resume, cancel] = await Promise.all([
      this.#find(resumeKey(jobId), options),
      this.#find(cancelKey(jobId), options),
    ]);
    const parsed =
      cancel === undefined ? undefined : (JSON.parse(cancel) as { dropDestination?: unknown });
    return {
      isResumeWanted: resume !== undefined,
      cancel:
        parsed === undefined ? undefined : { dropDestination: parsed.dropDestination === true },
    };
  }

  async requestResume(jobId: string): Promise<void> {
    await this.#put(resumeKey(jobId), '{}\n');
  }

  async requestCancel(jobId: string, cancel: { readonly dropDestination: boolean }): Promise<void> {
    await this.#cancels.run(jobId, async () => {
      // An earlier request, which may want the destination dropped, was acknowledged.
      if (!cancel.dropDestination && (await this.readRequests(jobId)).cancel !== undefined) return;
      await this.#put(cancelKey(jobId), `${JSON.stringify(cancel)}\n`);
    });
  }

  /** Removes the request to cancel a job, if there is one. */
  async removeCancel(jobId: string): Promise<void> {
    await this.#store.delete(cancelKey(jobId));
  }

  /**
   * @throws STORE_FULL, STORE_UNAVAILABLE with a message for callers, and other errors of the store
   */
  async #put(key: string, text: string): Promise<void> {
    try {
      await this.#store.put(key, Buffer.from(text));
    } catch (error) {
      if (!isQuireError(error, 'STORE_FULL', 'STORE_UNAVAILABLE')) throw error;
      const problem =
        error.code === 'STORE_FULL'
          ? 'is full: jobs cannot be recorded. Delete segments or tables, or give it more space.'
          : 'does not take writes: jobs cannot be recorded.';
      const message = `The disk of restream jobs (engine.tables.data.dir) ${problem}`;
      throw new QuireError(error.code, message, { cause: error, isForCallers: true });
    }
  }

  async #find(key: string, options: CallOptions): Promise<string | undefined> {
    try {
      return Buffer.from(await readObject(this.#store, key, options)).toString();
    } catch (error) {
      if (isQuireError(error, 'OBJECT_NOT_FOUND')) return undefined;
      throw error;
    }
  }
}

/** Returns the key of a job's lease. */
export function leaseKeyOf(jobId: string): string {
  return `restreams/${jobId}/lease.json`;
}

function recordKey(jobId: string): string {
  return `restreams/${jobId}/record.json`;
}

/** Returns the key of the number of a record's last revision. */
function revisionKey(jobId: string): string {
  return `restreams/${jobId}/revision.json`;
}

function resumeKey(jobId: string): string {
  return `restreams/${jobId}/resume-wanted.json`;
}

function cancelKey(jobId: string): string {
  return `restreams/${jobId}/cancel-wanted.json`;
}

function notFound(jobId: string): QuireError {
  const shown = JSON.stringify(jobId.length > 64 ? `${jobId.slice(0, 64)}…` : jobId).slice(1, -1);
  return new QuireError('JOB_NOT_FOUND', `There is no restream job '${shown}'.`);
}

function identityOf(jobId: string): RecordIdentity {
  return { kind: 'restream', subject: jobId };
}

function damaged(jobId: string, problem: string, cause?: unknown): QuireError {
  const sentence = `The restream job ${jobId} is set aside: ${recordKey(jobId)} ${problem}.`;
  return new QuireError('RECORD_DAMAGED', `${sentence} Restore the file, and the job continues.`, {
    cause,
  });
}

/**
 * A job as its record stores it: one member keeps the name that controllers of other versions read.
 */
type StoredJob = Omit<RestreamJob, 'cleanup'> & { readonly aftermath: RestreamJob['cleanup'] };

/** @throws RECORD_DAMAGED */
function parseRecord(
  jobId: string,
  text: string,
): { readonly job: RestreamJob; readonly revision: number } {
  const { content, revision } = unsealed(jobId, text);
  const stored = content as unknown as StoredJob | null;
  if (stored?.jobId !== jobId) throw damaged(jobId, 'is the record of another job');
  const { aftermath: cleanup, ...job } = stored;
  return { job: { ...job, cleanup }, revision };
}

function unsealed(jobId: string, text: string): UnsealedRecord {
  try {
    return unsealRecord(text, identityOf(jobId));
  } catch (error) {
    if (!isQuireError(error, 'RECORD_DAMAGED')) throw error;
    throw damaged(jobId, error.message, error);
  }
}
