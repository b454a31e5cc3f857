import type { ObjectEntry } from '@quire/core';

/**
 * The number of look-ups ahead of the reader; sequentially, each would wait for the previous one.
 */
const lookaheadCount = 16;
/** The number of names in one look-up, and the number of such look-ups ahead of the reader. */
const bulkBatchCount = 256;
const bulkLookaheadCount = 4;

/**
 * The outcome of a look-up: an object, a directory to walk, all objects among many names, or
 * undefined for anything else.
 */
export type Found = ObjectEntry | OpenDirectory | OpenInBulk | readonly ObjectEntry[] | undefined;

/** The look-ups of a walk, for its directories. */
export interface DirectoryLookups {
  lookUp(key: string): Promise<Found>;
  /** Looks up many names of one directory at once. */
  lookUpInBulk(keyPrefix: string, names: readonly string[]): Promise<readonly Found[]>;
}

/** A directory's names in order, with a few look-ups in progress ahead of the reader. */
export class OpenDirectory {
  readonly #walk: DirectoryLookups;
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #ahead: Promise<Found>[] = [];
  #lookedUpCount = 0;

  constructor(walk: DirectoryLookups, keyPrefix: string, names: readonly string[]) {
    this.#walk = walk;
    this.#keyPrefix = keyPrefix;
    this.#names = names;
  }

  /** Returns the look-up of the next name; undefined at the end. */
  next(): Promise<Found> | undefined {
    while (this.#ahead.length < lookaheadCount && this.#lookUpNext());
    return this.#ahead.shift();
  }

  /**
   * Looks up the first names as long as they are files: directories would cause ever more look-ups.
   */
  lookUpFiles(count: number): void {
    while (
      this.#ahead.length < count &&
      this.#names[this.#lookedUpCount]?.endsWith('/') === false
    ) {
      this.#lookUpNext();
    }
  }

  #lookUpNext(): boolean {
    const name = this.#names[this.#lookedUpCount];
    if (name === undefined) return false;
    this.#lookedUpCount += 1;
    this.#ahead.push(this.#walk.lookUp(this.#keyPrefix + name));
    return true;
  }
}

/** A directory that contains only many directories, which are looked up by the hundred. */
export class OpenInBulk {
  readonly #walk: DirectoryLookups;
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #ahead: Promise<readonly Found[]>[] = [];
  #found: Found[] = [];
  #batchCount = 0;

  constructor(walk: DirectoryLookups, keyPrefix: string, names: readonly string[]) {
    this.#walk = walk;
    this.#keyPrefix = keyPrefix;
    this.#names = names;
  }

  /**
   * Returns the next entry; undefined at the end. Call it again only after the last promise has
   * settled.
   */
  next(): Promise<Found> | undefined {
    while (
      this.#ahead.length < bulkLookaheadCount &&
      this.#batchCount * bulkBatchCount < this.#names.length
    ) {
      const start = this.#batchCount * bulkBatchCount;
      const names = this.#names.slice(start, start + bulkBatchCount);
      this.#ahead.push(this.#walk.lookUpInBulk(this.#keyPrefix, names));
      this.#batchCount += 1;
    }
    if (this.#found.length > 0) return Promise.resolve(this.#found.shift());
    return this.#ahead.shift()?.then((found) => {
      this.#found = found.slice(1);
      return found[0];
    });
  }
}

/** A directory of files that was read completely. */
export class OpenAtOnce {
  #entries: readonly ObjectEntry[] | undefined;

  constructor(entries: readonly ObjectEntry[]) {
    this.#entries = entries;
  }

  next(): Promise<Found> | undefined {
    const entries = this.#entries;
    this.#entries = undefined;
    return entries && Promise.resolve(entries);
  }
}
