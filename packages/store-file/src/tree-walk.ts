import { isObjectKey, type ListOptions, type ObjectEntry } from '@quire/core';
import { isErrno } from '@quire/core/process';
import { absenceErrnos, type FailedCall, translated } from './errors.ts';
import { type BulkThread, threadNumberOf } from './bulk-thread.ts';
import type { DirectoryContents } from './bulk-work.ts';
import type { FileSystem } from './file-system.ts';
import {
  type Found,
  type DirectoryLookups,
  OpenAtOnce,
  OpenDirectory,
  OpenInBulk,
} from './open-directory.ts';
import type { RootDirectory } from './root-directory.ts';

/** The number of look-ups ahead for files of a directory that was itself looked up ahead. */
const nestedLookaheadCount = 4;
/** The number of directories in one from which they are looked up in bulk. */
const bulkCountMin = 64;

/** The look-ups of one listing: the entries to look up, those in progress, and the end. */
export class TreeWalk implements DirectoryLookups {
  readonly #fileSystem: FileSystem;
  readonly #root: RootDirectory;
  readonly #prefix: string;
  readonly #options: ListOptions;
  readonly #call: FailedCall;
  readonly #threads: readonly BulkThread[];
  readonly #inProgress = new Set<Promise<unknown>>();
  #isStopped = false;

  /** Creates a walk. With threads, directories that contain many others are looked up there. */
  constructor(
    fileSystem: FileSystem,
    root: RootDirectory,
    prefix: string,
    options: ListOptions,
    threads: readonly BulkThread[] = [],
  ) {
    this.#threads = threads;
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#prefix = prefix;
    this.#options = options;
    this.#call = { op: 'list', key: prefix, location: root.location };
  }

  /**
   * Opens the deepest directory that contains everything with the prefix; undefined if it does not
   * exist.
   */
  async openStart(): Promise<OpenDirectory | OpenInBulk | OpenAtOnce | undefined> {
    const keyPrefix = this.#prefix.slice(0, this.#prefix.lastIndexOf('/') + 1);
    if (keyPrefix === '') return this.#readDirectory('');
    // Text that is not a key has no path, least of all one outside the root.
    const key = keyPrefix.slice(0, -1);
    if (!isObjectKey(key)) return undefined;
    const atOnce = await this.#readAtOnce(keyPrefix);
    if (atOnce !== undefined) return atOnce;
    const isContained = await this.#unlessAbsent(key, (path) => this.#root.isContained(path));
    // If the root is missing as well, it must not count as empty.
    if (isContained === undefined) {
      await this.#unlessAbsent('', (path) => this.#fileSystem.status(path));
    }
    if (isContained !== true) return undefined;
    return this.#readDirectory(keyPrefix);
  }

  /** Starts to look up a name in a directory; a name with a trailing slash is a directory. */
  lookUp(key: string): Promise<Found> {
    return this.#track<Found>(key.endsWith('/') ? this.#readDirectory(key) : this.#readFile(key));
  }

  /** Starts to look up several directories at once. */
  lookUpInBulk(keyPrefix: string, names: readonly string[]): Promise<readonly Found[]> {
    return this.#track(this.#readInBulk(keyPrefix, names));
  }

  /** Ends the walk; afterwards nothing is looked up. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    while (this.#inProgress.size > 0) await Promise.allSettled(this.#inProgress);
  }

  /**
   * Reads a directory of files in a thread that is already busy; undefined if there is none, or a
   * closer check is needed.
   */
  async #readAtOnce(keyPrefix: string): Promise<OpenAtOnce | undefined> {
    const thread = this.#threads.find(({ isBusy }) => isBusy);
    if (thread === undefined) return undefined;
    const isWanted = (): boolean => this.#options.signal?.aborted !== true;
    const contents = await translated(this.#call, () =>
      thread.listDirectory(this.#root.pathOf(keyPrefix.slice(0, -1)), isWanted),
    );
    const count = contents?.fileCounts[0] ?? 0;
    // No files may mean that the root is missing.
    if (contents === undefined || count <= 0) return undefined;
    const entries: ObjectEntry[] = [];
    this.#addEntries(entries, keyPrefix, contents, 0, count);
    return new OpenAtOnce(entries);
  }

  #track<T>(finding: Promise<T>): Promise<T> {
    this.#inProgress.add(finding);
    // A failure is reported when the reader reaches this name, or otherwise ignored.
    const end = (): void => void this.#inProgress.delete(finding);
    finding.then(end, end);
    return finding;
  }

  async #readInBulk(keyPrefix: string, names: readonly string[]): Promise<readonly Found[]> {
    const shares = this.#threads.map((thread) => ({
      thread,
      names: [] as string[],
      directoryIndex: 0,
      fileIndex: 0,
    }));
    const numbers = names.map((name) => {
      const directoryName = name.slice(0, -1);
      const number = threadNumberOf(directoryName, shares.length);
      shares[number]?.names.push(directoryName);
      return number;
    });
    const path = keyPrefix === '' ? this.#root.path : this.#root.pathOf(keyPrefix.slice(0, -1));
    const isWanted = (): boolean => !this.#isStopped && this.#options.signal?.aborted !== true;
    const looks = shares.map((share) => share.thread.listDirectories(path, share.names, isWanted));
    const contents = await translated(this.#call, () => Promise.all(looks));
    const found: Found[] = [];
    let entries: ObjectEntry[] = [];
    for (const [index, name] of names.entries()) {
      const number = numbers[index] ?? 0;
      const [share, seen] = [shares[number], contents[number]];
      if (share === undefined || seen === undefined) return [];
      const count = seen.fileCounts[share.directoryIndex++] ?? -1;
      if (count === -1) {
        // Rare: the walk itself reads this directory, and reports any failure.
        found.push(entries, await this.#readDirectory(keyPrefix + name));
        entries = [];
        continue;
      }
      this.#addEntries(entries, keyPrefix + name, seen, share.fileIndex, share.fileIndex + count);
      share.fileIndex += count;
    }
    found.push(entries);
    return found;
  }

  /** Adds the files `[start, end)` of a directory that was listed, in the order of their names. */
  #addEntries(
    entries: ObjectEntry[],
    keyPrefix: string,
    contents: DirectoryContents,
    start: number,
    end: number,
  ): void {
    const first = entries.length;
    for (let index = start; index < end; index += 1) {
      const name = contents.names[index] ?? '';
      if (!this.#isWanted(keyPrefix, name)) continue;
      const [sizeBytes = NaN, lastModifiedMs = NaN] = [
        contents.sizesBytes[index],
        contents.lastModifiedMs[index],
      ];
      entries.push({ key: keyPrefix + name, sizeBytes, lastModifiedMs });
    }
    if (entries.length - first === 2) {
      const [one, other] = entries.slice(first) as [ObjectEntry, ObjectEntry];
      if (one.key > other.key) entries.splice(first, 2, other, one);
    } else if (entries.length - first > 2) {
      entries.push(...entries.splice(first).sort((one, other) => (one.key < other.key ? -1 : 1)));
    }
  }

  async #readDirectory(keyPrefix: string): Promise<OpenDirectory | OpenInBulk | undefined> {
    const names = await this.#unlessAbsent(keyPrefix, (path) =>
      this.#fileSystem.readDirectory(path),
    );
    if (names === undefined) return undefined;
    // With its slash, a directory sorts where its objects' keys do: after `a-b` and `a.b`, before
    // `a0`. Skipped entries need not be sorted.
    const wanted = names.filter((name) => this.#isWanted(keyPrefix, name)).sort();
    if (
      this.#threads.length > 0 &&
      wanted.length >= bulkCountMin &&
      wanted.every((name) => name.endsWith('/'))
    ) {
      return new OpenInBulk(this, keyPrefix, wanted);
    }
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
        // Deleted since its directory was read. A missing root is different: it must not count as
        // an empty store.
        if (key !== '' && isErrno(error, ...absenceErrnos)) return undefined;
        throw error;
      }
    });
  }

  #isWanted(keyPrefix: string, name: string): boolean {
    const { after, skipsFolder } = this.#options;
    const key = keyPrefix + name;
    const isDirectory = name.endsWith('/');
    const isWithin = key.startsWith(this.#prefix);
    if (!isWithin && !(isDirectory && this.#prefix.startsWith(key))) return false;
    if (after !== undefined && key <= after && !(isDirectory && after.startsWith(key))) {
      return false;
    }
    if (isDirectory && isWithin && skipsFolder?.(key) === true) return false;
    return isObjectKey(isDirectory ? key.slice(0, -1) : key);
  }
}
