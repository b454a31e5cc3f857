import { isObjectKey, type ListOptions, type ObjectEntry } from '@quire/core';
import { absenceErrnos, type FailedCall, isErrno, translated } from './errors.ts';
import type { FileSystem } from './file-system.ts';
import type { RootDirectory } from './root-directory.ts';

/** How many names of a directory are looked up ahead of the reader; one by one, each would wait for the one before. */
const lookaheadCount = 16;
/** How many files of a directory that was itself looked up ahead. */
const nestedLookaheadCount = 4;

/** What a name turns out to be: an object, a directory to walk, or nothing of interest. */
export type Found = ObjectEntry | OpenDirectory | undefined;

/** The look-ups of one listing: what to look at, what is under way, and when to stop. */
export class TreeWalk {
  readonly #fileSystem: FileSystem;
  readonly #root: RootDirectory;
  readonly #prefix: string;
  readonly #options: ListOptions;
  readonly #call: FailedCall;
  readonly #underWay = new Set<Promise<Found>>();
  #isStopped = false;

  constructor(fileSystem: FileSystem, root: RootDirectory, prefix: string, options: ListOptions) {
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#prefix = prefix;
    this.#options = options;
    this.#call = { op: 'list', key: prefix, location: root.location };
  }

  /** Opens the deepest directory that holds everything of the prefix; undefined when there is none. */
  async openStart(): Promise<OpenDirectory | undefined> {
    const keyPrefix = this.#prefix.slice(0, this.#prefix.lastIndexOf('/') + 1);
    if (keyPrefix === '') return this.#readDirectory('');
    // Text that no key has leads nowhere, least of all to a path outside of the root.
    const key = keyPrefix.slice(0, -1);
    if (!isObjectKey(key)) return undefined;
    const isContained = await this.#unlessAbsent(key, (path) => this.#root.isContained(path));
    // Absent together with the root, it must not pass for empty.
    if (isContained === undefined) await this.#unlessAbsent('', (path) => this.#fileSystem.status(path));
    if (isContained !== true) return undefined;
    return this.#readDirectory(keyPrefix);
  }

  /** Begins to find out what a name in a directory is; a name with a slash at its end is a directory's. */
  lookUp(key: string): Promise<Found> {
    const finding = key.endsWith('/') ? this.#readDirectory(key) : this.#readFile(key);
    this.#underWay.add(finding);
    // A failure shows when the reader comes to this name; if it never does, nobody needs to know.
    finding.catch(() => undefined).finally(() => this.#underWay.delete(finding));
    return finding;
  }

  /** Ends the walk; afterwards nothing is looked up any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #readDirectory(keyPrefix: string): Promise<OpenDirectory | undefined> {
    const names = await this.#unlessAbsent(keyPrefix, (path) => this.#fileSystem.readDirectory(path));
    if (names === undefined) return undefined;
    // With its slash, a directory sorts where its objects' keys do: after `a-b` and `a.b`, before `a0`.
    const wanted = names.filter((name) => this.#isWanted(keyPrefix, name)).sort();
    const directory = new OpenDirectory(this, keyPrefix, wanted);
    if (keyPrefix !== '') directory.lookUpFiles(nestedLookaheadCount);
    return directory;
  }

  async #readFile(key: string): Promise<ObjectEntry | undefined> {
    const status = await this.#unlessAbsent(key, (path) => this.#fileSystem.status(path));
    if (status?.kind !== 'file') return undefined;
    return { key, sizeBytes: status.sizeBytes, lastModifiedMs: status.lastModifiedMs };
  }

  async #unlessAbsent<T>(key: string, look: (path: string) => Promise<T>): Promise<T | undefined> {
    if (this.#isStopped || this.#options.signal?.aborted === true) return undefined;
    return translated(this.#call, async () => {
      try {
        return await look(this.#root.pathOf(key));
      } catch (error) {
        // Deleted since its directory was read. A root that is gone is another matter: nobody may take that for an empty store.
        if (key !== '' && isErrno(error, ...absenceErrnos)) return undefined;
        throw error;
      }
    });
  }

  #isWanted(keyPrefix: string, name: string): boolean {
    const { after } = this.#options;
    const key = keyPrefix + name;
    const isDirectory = name.endsWith('/');
    if (!key.startsWith(this.#prefix) && !(isDirectory && this.#prefix.startsWith(key))) return false;
    if (after !== undefined && key <= after && !(isDirectory && after.startsWith(key))) return false;
    return isObjectKey(isDirectory ? key.slice(0, -1) : key);
  }
}

/** A directory's names in order, with a few look-ups under way ahead of the reader. */
export class OpenDirectory {
  readonly #walk: TreeWalk;
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #ahead: Promise<Found>[] = [];
  #lookedUpCount = 0;

  constructor(walk: TreeWalk, keyPrefix: string, names: readonly string[]) {
    this.#walk = walk;
    this.#keyPrefix = keyPrefix;
    this.#names = names;
  }

  /** What the next name is; undefined at the end. */
  next(): Promise<Found> | undefined {
    while (this.#ahead.length < lookaheadCount && this.#lookUpNext());
    return this.#ahead.shift();
  }

  /** Looks up the first names as long as they are files: a directory's would lead to ever more look-ups. */
  lookUpFiles(count: number): void {
    while (this.#ahead.length < count && this.#names[this.#lookedUpCount]?.endsWith('/') === false) this.#lookUpNext();
  }

  #lookUpNext(): boolean {
    const name = this.#names[this.#lookedUpCount];
    if (name === undefined) return false;
    this.#lookedUpCount += 1;
    this.#ahead.push(this.#walk.lookUp(this.#keyPrefix + name));
    return true;
  }
}
