import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  isQuireError,
  QuireError,
  type Random,
  type RecordIdentity,
  sealRecord,
  type UnsealedRecord,
  unsealRecord,
} from '@quire/core';
import { KeyedQueue } from '@quire/core/wait';
import { assertDirectory, writeOfTables } from './disk-problem.ts';
import {
  createFile,
  isErrno,
  isMissingFile,
  movePath,
  removeFile,
  replaceFile,
} from '@quire/core/process';
import { Revisions, revisionsPath } from './revisions.ts';

/** The location of a record in the directory of a table server, and its identity. */
export interface RecordFile extends RecordIdentity {
  readonly path: string;
  /** The path relative to the root of the directory, as messages name it. */
  readonly relativePath: string;
}

export interface RecordsOptions {
  readonly random: Random;
  /**
   * Called when a record was written but its revision could not be recorded, so that an older copy
   * of the record would not be detected.
   */
  readonly onRevisionUnwritten?: ((path: string, error: unknown) => void) | undefined;
}

/**
 * The records of a table server, read and replaced by their only writer. Each is one JSON document
 * with a checksum, replaced durably in one atomic step. A record that is damaged, swapped, missing
 * or older than the last one written is refused.
 */
export class Records {
  readonly #options: RecordsOptions;
  readonly #folders = new Map<string, Promise<Revisions>>();
  /**
   * Calls about one record run sequentially, by its path: a read beside a removal would note the
   * revision again that the removal has forgotten, and the record would count as missing.
   */
  readonly #calls = new KeyedQueue<string>();

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /**
   * Reads a record; undefined if it never existed. A record that an earlier release wrote without a
   * checksum is sealed once, on the first read.
   *
   * @throws RECORD_DAMAGED; STORE_UNAVAILABLE when the directory of the tables is missing
   */
  read<Content>(record: RecordFile): Promise<Content | undefined> {
    return this.#calls.run(record.path, async () => {
      const found = await this.#find(record);
      if (found === undefined) return undefined;
      // A table must be readable even if its disk cannot be written.
      if (found.revision === 0) {
        await this.#witness(record, () => this.#replace(record, found.content as object));
      }
      return found.content as Content;
    });
  }

  /**
   * Reads a record like `read`, with its revision. A record of revision 0 has no checksum and is
   * left as it is. @throws as `read`
   */
  find(record: RecordFile): Promise<UnsealedRecord | undefined> {
    return this.#calls.run(record.path, () => this.#find(record));
  }

  /** @throws STORE_FULL when the disk is full; the record is unchanged then */
  replace(record: RecordFile, content: object): Promise<void> {
    return this.#calls.run(record.path, () => this.#replace(record, content));
  }

  /**
   * Resolves to false, and changes nothing, if the record exists. @throws STORE_FULL as `replace`
   */
  create(record: RecordFile, content: object): Promise<boolean> {
    return this.#calls.run(record.path, async () => {
      const revision = await this.#nextRevision(record);
      const text = sealRecord(record, { revision, content });
      if (!(await writeOfTables(() => createFile(record.path, text, this.#options.random)))) {
        return false;
      }
      await this.#note(record, revision);
      return true;
    });
  }

  /** Resolves to false if the record does not exist. */
  remove(record: RecordFile): Promise<boolean> {
    return this.#calls.run(record.path, async () => {
      await this.#forget(record);
      return removeFile(record.path);
    });
  }

  /**
   * Moves a record away, damaged or not, without writing anything. Resolves to false if it does not
   * exist.
   */
  move(record: RecordFile, to: string): Promise<boolean> {
    return this.#calls.run(record.path, async () => {
      await this.#forget(record);
      return movePath(record.path, to);
    });
  }

  /**
   * Returns the file names of records that were written to a directory, including those that no
   * longer exist.
   */
  async names(folder: string): Promise<readonly string[]> {
    return (await this.#open(folder)).names;
  }

  /** Drops the cached revisions of a directory that is no longer used. */
  close(folder: string): void {
    this.#folders.delete(folder);
  }

  async #find(record: RecordFile): Promise<UnsealedRecord | undefined> {
    const revisions = await this.#revisionsOf(record);
    const known = revisions.get(basename(record.path));
    const text = await readText(record);
    if (text === undefined && known !== undefined) await assertDirectory(rootOf(record));
    const found = verifyRecord(record, text, known);
    if (found !== undefined && found.revision > (known ?? 0)) {
      await this.#note(record, found.revision);
    }
    return found;
  }

  async #replace(record: RecordFile, content: object): Promise<void> {
    const revision = await this.#nextRevision(record);
    const text = sealRecord(record, { revision, content });
    await writeOfTables(() => replaceFile(record.path, text, this.#options.random));
    await this.#note(record, revision);
  }

  async #nextRevision(record: RecordFile): Promise<number> {
    return ((await this.#revisionsOf(record)).get(basename(record.path)) ?? 0) + 1;
  }

  async #note(record: RecordFile, revision: number): Promise<void> {
    const revisions = await this.#revisionsOf(record);
    await this.#witness(record, () => revisions.note(basename(record.path), revision));
  }

  async #forget(record: RecordFile): Promise<void> {
    const revisions = await this.#revisionsOf(record);
    await this.#witness(record, () => revisions.forget(basename(record.path)));
  }

  /**
   * Reports a failure to record a revision instead of throwing: the record itself is durable
   * already, or is about to be removed.
   */
  async #witness({ relativePath }: RecordFile, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#options.onRevisionUnwritten?.(relativePath, error);
    }
  }

  #revisionsOf({ path }: RecordFile): Promise<Revisions> {
    return this.#open(dirname(path));
  }

  #open(folder: string): Promise<Revisions> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const opening = this.#openRevisions(folder);
    this.#folders.set(folder, opening);
    opening.catch(() => this.#folders.delete(folder));
    return opening;
  }

  async #openRevisions(folder: string): Promise<Revisions> {
    const revisions = await Revisions.open(folder);
    const { damagedCount } = revisions;
    if (damagedCount > 0) {
      const error = new QuireError(
        'RECORD_DAMAGED',
        `${damagedCount} lines are damaged, and are written again with the next changes.`,
      );
      this.#options.onRevisionUnwritten?.(revisionsPath(folder), error);
    }
    return revisions;
  }
}

/**
 * Returns the content of a record if it is the one that was written last; undefined if it never
 * existed.
 *
 * @param known its last recorded revision
 * @throws RECORD_DAMAGED
 */
export function verifyRecord(
  record: RecordFile,
  text: string | undefined,
  known: number | undefined,
): UnsealedRecord | undefined {
  if (text === undefined) {
    if (known === undefined) return undefined;
    throw recordDamaged(record, 'is missing');
  }
  const found = unsealed(record, text);
  if (known === undefined || found.revision >= known) return found;
  const problem =
    found.revision === 0
      ? 'has no checksum, so it is an older copy'
      : `is an older copy: it has revision ${found.revision}, and revision ${known} was written`;
  throw recordDamaged(record, problem);
}

function unsealed(record: RecordFile, text: string): UnsealedRecord {
  try {
    return unsealRecord(text, record);
  } catch (error) {
    if (!isQuireError(error, 'RECORD_DAMAGED')) throw error;
    throw recordDamaged(record, error.message, error);
  }
}

/**
 * Reads the text of a record; undefined if there is none. @throws RECORD_DAMAGED when something
 * else is at its path
 */
export async function readText(record: RecordFile): Promise<string | undefined> {
  try {
    return await readFile(record.path, 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    if (isErrno(error, 'EISDIR')) throw recordDamaged(record, 'is a directory', error);
    // Other errors concern only this process, and not the record.
    if (!isErrno(error, 'EACCES', 'EPERM', 'EIO', 'ELOOP', 'ENXIO')) throw error;
    throw recordDamaged(record, `cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
}

/** Returns the directory of the table server that has a record. */
function rootOf({ path, relativePath }: RecordFile): string {
  return path.slice(0, -relativePath.length);
}

export function recordDamaged(
  { relativePath }: RecordFile,
  problem: string,
  cause?: unknown,
): QuireError {
  return new QuireError('RECORD_DAMAGED', `${relativePath} ${problem}.`, { cause });
}
