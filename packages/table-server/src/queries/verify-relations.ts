import { type CallOptions, throwIfAborted } from '@quire/core';
import type { RelationFile, TableRelation } from '@quire/core/table-engine';
import {
  type FileIdentity,
  type SharedVerification,
  VerifiedFiles,
} from '../segments/verified-files.ts';
import { findDamage, identityOf, segmentDamaged } from '../segments/verify-file.ts';

/**
 * The number of files that are read concurrently: one waits for the disk while the checksum of
 * another is computed.
 */
const readsMax = 2;

/** The maximum number of damaged files that are cached. */
const damagedMax = 1_000;

interface UnverifiedFile extends FileIdentity {
  readonly file: RelationFile;
}

/**
 * Verifies the checksums of files of rows before a query reads them. A file is read once after each
 * write. After that it is recognized by its inode, size and times, here and in the other processes
 * that share their results.
 */
export class RelationVerifier {
  readonly #known = new VerifiedFiles();
  /**
   * The problems of damaged files, so that queries that are refused for them do not read the files
   * again.
   */
  readonly #damaged = new Map<string, { readonly identity: string; readonly problem: string }>();
  readonly #shared: SharedVerification | undefined;

  constructor(shared: SharedVerification | undefined) {
    this.#shared = shared;
  }

  /**
   * @throws TABLE_DAMAGED when a file does not have the size or checksum that was written; ABORTED
   */
  async verify(relations: readonly TableRelation[], { signal }: CallOptions = {}): Promise<void> {
    const unknown = await this.#findUnknown(
      relations.flatMap(({ parts }) => parts.flatMap(({ files }) => files)),
    );
    if (unknown.length === 0) return;
    const whole: FileIdentity[] = [];
    try {
      await this.#readAll(unknown, whole, signal);
    } finally {
      // Files that were verified before a query timed out need not be read again for the next one.
      if (whole.length > 0) await this.#shared?.add(whole);
    }
  }

  async #findUnknown(files: readonly RelationFile[]): Promise<readonly UnverifiedFile[]> {
    const unknown: UnverifiedFile[] = [];
    for (const file of files) {
      const { path } = file;
      const identity = identityOf(path);
      if (identity === undefined) {
        throw segmentDamaged(file, (await findDamage(file)) ?? 'was missing for a moment');
      }
      const damaged = this.#damaged.get(path);
      if (damaged?.identity === identity) throw segmentDamaged(file, damaged.problem);
      if (!this.#known.has({ path, identity })) unknown.push({ path, identity, file });
    }
    if (unknown.length === 0 || this.#shared === undefined) return unknown;
    const found = await this.#shared.find(
      unknown.map(({ path, identity }) => ({ path, identity })),
    );
    return unknown.filter((each, index) => {
      if (found[index] !== true) return true;
      this.#known.add(each);
      return false;
    });
  }

  async #readAll(
    unknown: readonly UnverifiedFile[],
    whole: FileIdentity[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const waiting = unknown.values();
    const readers = Array.from({ length: Math.min(readsMax, unknown.length) }, async () => {
      for (const { path, identity, file } of waiting) {
        throwIfAborted(signal);
        const problem = await findDamage(file, { signal });
        if (problem !== undefined) {
          this.#recordDamage(path, problem);
          throw segmentDamaged(file, problem);
        }
        // A file that was replaced during the read is intact as well, but is not cached under this
        // identity.
        this.#known.add({ path, identity });
        whole.push({ path, identity });
      }
    });
    const outcomes = await Promise.allSettled(readers);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #recordDamage(path: string, problem: string): void {
    // The identity is read after the file was marked as damaged, which changes its times.
    const identity = identityOf(path);
    this.#damaged.delete(path);
    if (identity !== undefined) this.#damaged.set(path, { identity, problem });
    const [oldest] = this.#damaged.keys();
    if (this.#damaged.size > damagedMax && oldest !== undefined) this.#damaged.delete(oldest);
  }
}
