import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { UnsealedRecord } from '@quire/core';
import { type RecordFile, readText, verifyRecord } from '../directory/records.ts';
import { isMissingFile } from '@quire/core/process';
import { readRevisions, revisionsPath } from '../directory/revisions.ts';

interface CachedFile<Value> {
  /** A value that changes with the file. */
  readonly mark: string;
  readonly value: Value;
}

const entriesMax = 1_000;

/**
 * The current records on disk, for processes that do not write them. Each is parsed only after it
 * has changed. Records that are damaged, missing or older than their recorded revision are refused.
 */
export class RecordCache {
  readonly #records = new Map<string, CachedFile<UnsealedRecord>>();
  readonly #revisions = new Map<string, CachedFile<ReadonlyMap<string, number>>>();

  /** Resolves to undefined if the record does not exist. @throws RECORD_DAMAGED */
  async read<Content>(record: RecordFile): Promise<Content | undefined> {
    return (await this.find(record))?.content as Content | undefined;
  }

  /**
   * Reads a record like `read`, with its revision. A record of revision 0 was written by an earlier
   * release, without a checksum. @throws RECORD_DAMAGED
   */
  async find(record: RecordFile): Promise<UnsealedRecord | undefined> {
    const [folder, name] = [dirname(record.path), basename(record.path)];
    // The revisions are read first: a record that is replaced in the meantime is newer than its
    // revision here.
    const known = (await this.#readRevisions(folder)).get(name);
    const mark = await markOf(record.path);
    const cached = this.#records.get(record.path);
    if (mark !== undefined && cached?.mark === mark && cached.value.revision >= (known ?? 0)) {
      return cached.value;
    }
    const text = await readText(record);
    let found: UnsealedRecord | undefined;
    try {
      found = verifyRecord(record, text, known);
    } catch (error) {
      // The record may be removed between the two reads, and created again with a first revision.
      this.#revisions.delete(folder);
      if ((await this.#readRevisions(folder)).get(name) === known) throw error;
      return await this.find(record);
    }
    if (found === undefined || mark === undefined) this.#records.delete(record.path);
    else remember(this.#records, record.path, { mark, value: found });
    return found;
  }

  /**
   * Returns the file names of the records that were written to a directory, including those that no
   * longer exist.
   */
  async names(folder: string): Promise<readonly string[]> {
    return [...(await this.#readRevisions(folder)).keys()];
  }

  async #readRevisions(folder: string): Promise<ReadonlyMap<string, number>> {
    const mark = await markOf(revisionsPath(folder));
    const cached = this.#revisions.get(folder);
    if (mark !== undefined && cached?.mark === mark) return cached.value;
    const value = await readRevisions(folder);
    if (mark !== undefined) remember(this.#revisions, folder, { mark, value });
    return value;
  }
}

/** Adds an entry and drops the oldest one above the limit. */
function remember<Value>(
  files: Map<string, CachedFile<Value>>,
  key: string,
  file: CachedFile<Value>,
): void {
  files.delete(key);
  files.set(key, file);
  const [oldest] = files.keys();
  if (files.size > entriesMax && oldest !== undefined) files.delete(oldest);
}

async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
