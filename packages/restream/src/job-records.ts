import { type CallOptions, isQuireError, type ObjectStore, QuireError, readObject } from '@quire/core';
import type { RestreamJob } from './restream-job.ts';

/** What somebody wants of a job: an object of its own, since only who drives the job writes its record. */
export interface JobRequests {
  readonly isResumeWanted: boolean;
  readonly cancel: { readonly dropDestination: boolean } | undefined;
}

const jobIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const recordKeyPattern = /^restreams\/([0-9a-f-]{36})\/record\.json$/;

/**
 * The records of all jobs in an object store: `restreams/<jobId>/record.json`, and beside it what is wanted of the job. Every write is
 * one atomic `put`.
 */
export class JobRecords {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** @throws JOB_NOT_FOUND */
  async read(jobId: string, options: CallOptions = {}): Promise<RestreamJob> {
    // An id that is not one must not become a key.
    if (!jobIdPattern.test(jobId)) throw notFound(jobId);
    try {
      return parseRecord(jobId, await readObject(this.#store, recordKey(jobId), options));
    } catch (error) {
      if (isQuireError(error, 'OBJECT_NOT_FOUND')) throw notFound(jobId);
      throw error;
    }
  }

  /** All jobs, newest first. */
  async list(options: CallOptions = {}): Promise<readonly RestreamJob[]> {
    const jobs: RestreamJob[] = [];
    for await (const { key } of this.#store.list('restreams/', options)) {
      const jobId = recordKeyPattern.exec(key)?.[1];
      if (jobId === undefined) continue;
      try {
        jobs.push(await this.read(jobId, options));
      } catch (error) {
        if (!isQuireError(error, 'JOB_NOT_FOUND')) throw error; // it went meanwhile
      }
    }
    return jobs.toSorted((a, b) => b.createdMs - a.createdMs || (a.jobId < b.jobId ? 1 : -1));
  }

  async write(job: RestreamJob): Promise<void> {
    await this.#store.put(recordKey(job.jobId), Buffer.from(`${JSON.stringify(job)}\n`));
  }

  /** Removes every trace of a job. */
  async remove(jobId: string): Promise<void> {
    for (const key of [recordKey(jobId), resumeKey(jobId), cancelKey(jobId)]) await this.#store.delete(key);
  }

  async readRequests(jobId: string, options: CallOptions = {}): Promise<JobRequests> {
    const [resume, cancel] = await Promise.all([this.#find(resumeKey(jobId), options), this.#find(cancelKey(jobId), options)]);
    const parsed = cancel === undefined ? undefined : (JSON.parse(cancel) as { dropDestination?: unknown });
    return {
      isResumeWanted: resume !== undefined,
      cancel: parsed === undefined ? undefined : { dropDestination: parsed.dropDestination === true },
    };
  }

  async requestResume(jobId: string): Promise<void> {
    await this.#store.put(resumeKey(jobId), Buffer.from('{}\n'));
  }

  async requestCancel(jobId: string, cancel: { readonly dropDestination: boolean }): Promise<void> {
    await this.#store.put(cancelKey(jobId), Buffer.from(`${JSON.stringify(cancel)}\n`));
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

/** Where the lease of a job lies. */
export function leaseKeyOf(jobId: string): string {
  return `restreams/${jobId}/lease.json`;
}

function recordKey(jobId: string): string {
  return `restreams/${jobId}/record.json`;
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

function parseRecord(jobId: string, bytes: Uint8Array): RestreamJob {
  let job: RestreamJob;
  try {
    job = JSON.parse(Buffer.from(bytes).toString()) as RestreamJob;
  } catch (cause) {
    throw new QuireError('INTERNAL', `The record of restream job ${jobId} is not JSON.`, { cause });
  }
  if (job.formatVersion !== 1 || job.jobId !== jobId) {
    throw new QuireError(
      'INTERNAL',
      `The record of restream job ${jobId} has format version ${String(job.formatVersion)}; expected 1.`,
    );
  }
  return job;
}
