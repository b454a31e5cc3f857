import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { UnsealedRecord } from '@quire/core';
import { type RecordFile, readText, verifyRecord } from '../directory/records.ts';
import { isMissingFile } from '@quire/core/process';
import { readRevisions, revisionsPath } from '../directory/revisions.ts';

interface CachedFile<Value> {
  /** Differs once the file has changed. */
  readonly mark: string;
  readonly value: Value;
}

const entriesMax = 1_000;

/**
 * Records as they are on disk at each call, for processes that do not write them; each is parsed
 * only when it has changed. What is damaged, missing or older than its witness is refused.
 */
export class RecordCache {
  readonly #records = new Map<string, CachedFile<UnsealedRecord>>();
  readonly #revisions = new Map<string, CachedFile<ReadonlyMap<string, number>>>();

  /** Undefined when the record does not exist. @throws RECORD_DAMAGED */
  async read<Content>(record: RecordFile): Promise<Content | undefined> {
    return (await this.find(record))?.content as Content | undefined;
  }

  /**
   * As `read`, with the revision; one of revision 0 was written by an earlier release, without a
   * checksum. @throws RECORD_DAMAGED
   */
  async find(record: RecordFile): Promise<UnsealedRecord | undefined> {
    const [folder, name] = [dirname(record.path), basename(record.path)];
    // The witness first: a record that is replaced meanwhile is newer than it says.
    const known = (await this.#readRevisions(folder)).get(name);
    const mark = await markOf(record.path);
    const cached = this.#records.get(record.path);
    if (mark !== undefined && cached?.mark === mark && cached.value.revision >= (known ?? 0)) {
      return cached.value;
    }
    const text = await readText(record);
    // A record may be removed between the two.
    const isGone =
      text === undefined && known !== undefined && !(await readRevisions(folder)).has(name);
    const found = verifyRecord(record, text, isGone ? undefined : known);
    if (found === undefined || mark === undefined) this.#records.delete(record.path);
    else remember(this.#records, record.path, { mark, value: found });
    return found;
  }

  /**
   * File names of the records that were written to a directory, whether they are still there or
   * not.
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

/** The latest, up to a bound. */
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
