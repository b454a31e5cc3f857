import { stat } from 'node:fs/promises';
import type { JsonValue } from '@quire/core';
import { isErrno, readDocument } from '../directory/documents.ts';

interface CachedDocument {
  readonly mark: string;
  readonly value: unknown;
}

const entriesMax = 1_000;

/** Documents as they are on disk at each call, parsed only when they have changed: each change is another file in the same place. */
export class DocumentCache {
  readonly #entries = new Map<string, CachedDocument>();

  /** Undefined when there is none. */
  async read<Value>(path: string, parse: (document: JsonValue) => Value): Promise<Value | undefined> {
    const mark = await markOf(path);
    if (mark === undefined) {
      this.#entries.delete(path);
      return undefined;
    }
    const known = this.#entries.get(path);
    if (known?.mark === mark) return known.value as Value;
    // It may change between the look and the reading: then it is read again the next time.
    const document = await readDocument(path);
    if (document === undefined) return undefined;
    const value = parse(document);
    this.#entries.delete(path);
    this.#entries.set(path, { mark, value });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > entriesMax && oldest !== undefined) this.#entries.delete(oldest);
    return value;
  }
}

async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
