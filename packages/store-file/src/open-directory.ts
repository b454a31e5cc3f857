import type { ObjectEntry } from '@quire/core';

/**
 * How many names of a directory are looked up ahead of the reader; one by one, each would wait for
 * the one before.
 */
const lookaheadCount = 16;
/** How many at a time, and how many times ahead of the reader. */
const bulkBatchCount = 256;
const bulkLookaheadCount = 4;

/**
 * What a name turns out to be: an object, a directory to walk, or nothing of interest. Of many
 * names at once, all the objects in them.
 */
export type Found = ObjectEntry | OpenDirectory | OpenInBulk | readonly ObjectEntry[] | undefined;

/** Who looks at what names are: the walk that the directories belong to. */
export interface LookUps {
  lookUp(key: string): Promise<Found>;
  /** Many names of one directory at a time. */
  lookUpInBulk(keyPrefix: string, names: readonly string[]): Promise<readonly Found[]>;
}

/** A directory's names in order, with a few look-ups under way ahead of the reader. */
export class OpenDirectory {
  readonly #walk: LookUps;
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #ahead: Promise<Found>[] = [];
  #lookedUpCount = 0;

  constructor(walk: LookUps, keyPrefix: string, names: readonly string[]) {
    this.#walk = walk;
    this.#keyPrefix = keyPrefix;
    this.#names = names;
  }

  /** What the next name is; undefined at the end. */
  next(): Promise<Found> | undefined {
    while (this.#ahead.length < lookaheadCount && this.#lookUpNext());
    return this.#ahead.shift();
  }

  /**
   * Looks up the first names as long as they are files: a directory's would lead to ever more
   * look-ups.
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

/** A directory of many directories, and of nothing else, which are looked into by the hundred. */
export class OpenInBulk {
  readonly #walk: LookUps;
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #ahead: Promise<readonly Found[]>[] = [];
  #found: Found[] = [];
  #batchCount = 0;

  constructor(walk: LookUps, keyPrefix: string, names: readonly string[]) {
    this.#walk = walk;
    this.#keyPrefix = keyPrefix;
    this.#names = names;
  }

  /**
   * The next that was found; undefined at the end. Not to be called again before the last promise
   * has settled.
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

/** A directory of files that was read as a whole. */
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
