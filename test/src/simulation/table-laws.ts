import { zstdDecompressSync } from 'node:zlib';
import { open } from 'node:fs/promises';
import type { DirectoryTables } from '@quire/table-server';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { Laws } from './laws.ts';
import { retentionMs, type Topic } from './stream.ts';

/** A table that a client has requested. */
export interface KnownTable {
  readonly name: string;
  /** The stream that it consumes; undefined for a table that files are loaded into. */
  readonly topic: Topic | undefined;
  /** Its existence was confirmed to a client. */
  isCreated: boolean;
  /** A client has requested its deletion, with any outcome. */
  isDeletionTried: boolean;
}

/** Rows that a client has sent in one file. */
export interface KnownUpload {
  readonly id: number;
  readonly rowCount: number;
  /** The time of all of its rows. */
  readonly atMs: number;
  /** Its rows were confirmed to the client. */
  isAcknowledged: boolean;
}

/** Rows with consecutive numbers, up to but not including `end`. */
interface Run {
  readonly first: number;
  readonly end: number;
}

/** The runs of each partition or upload, in order. */
type Runs = ReadonlyMap<number, readonly Run[]>;

/**
 * The laws of tables at every moment: each message is present at most once and none is skipped,
 * rows that were seen remain, and acknowledged ones are present, all until their retention is over.
 */
export class TableLaws {
  readonly tables = new Map<string, KnownTable>();
  readonly uploads: KnownUpload[] = [];
  readonly #laws: Laws;
  readonly #nowMs: () => number;
  readonly #clockErrorMaxMs: number;
  /** Positions of each partition up to which messages were seen in a table, by its name. */
  readonly #seen = new Map<string, readonly number[]>();
  /** The same, a check earlier. */
  readonly #seenBefore = new Map<string, readonly number[]>();
  /** The runs of the files of the last check, by path and checksum: most files stay as they are. */
  #runs = new Map<string, Runs>();
  #checkedRowCount = 0;

  constructor(options: {
    readonly laws: Laws;
    readonly nowMs: () => number;
    /** The largest error of the clock of a table server. */
    readonly clockErrorMaxMs: number;
  }) {
    this.#laws = options.laws;
    this.#nowMs = options.nowMs;
    this.#clockErrorMaxMs = options.clockErrorMaxMs;
  }

  /** Rows that were looked at. */
  get checkedRowCount(): number {
    return this.#checkedRowCount;
  }

  /**
   * Checks all tables of a table server's directory.
   *
   * @param isEnded true if all work has ended
   */
  async check(live: DirectoryTables, { isEnded }: { readonly isEnded: boolean }): Promise<void> {
    const names = new Set(await live.listNames());
    const runs = new Map<string, Runs>();
    for (const table of this.tables.values()) {
      const { name, topic, isCreated, isDeletionTried } = table;
      if (!names.has(name)) {
        if (isCreated && !isDeletionTried) this.#laws.violate(`the table ${name} is lost`);
        continue;
      }
      const found = await this.#readTable(live, name, runs);
      if (topic === undefined) this.#checkUploads(name, found, isEnded);
      else this.#checkMessages(table, topic, found, isEnded && isCreated && !isDeletionTried);
    }
    this.#runs = runs;
  }

  /** Rows that were seen between their writing and its sync may be lost with the power. */
  notePowerFailed(): void {
    for (const name of this.#seen.keys()) this.#seen.set(name, this.#seenBefore.get(name) ?? []);
  }

  /** The time before which rows may be deleted, by any clock of a table server. */
  get #expiredBeforeMs(): number {
    return this.#nowMs() - retentionMs + this.#clockErrorMaxMs;
  }

  #checkMessages(
    { name, isDeletionTried }: KnownTable,
    topic: Topic,
    found: Runs,
    isComplete: boolean,
  ): void {
    const seen = this.#seen.get(name) ?? [];
    const now = topic.partitions.map((_, partition) => {
      const runs = found.get(partition) ?? [];
      const expiredCount = topic.count(partition, this.#expiredBeforeMs);
      let end = 0;
      for (const run of runs) {
        const isGap = run.first > end && run.first > expiredCount;
        if (run.first < end || isGap) {
          const numbers = `${run.first} to ${run.end - 1}`;
          this.#laws.violate(
            `${name} has ${numbers} of partition ${partition} where ${end} belongs`,
          );
        }
        ({ end } = run);
      }
      // Expired messages need not be there.
      end = Math.max(end, expiredCount);
      const count = topic.count(partition);
      if (isComplete && end !== count) {
        const counts = `${end} of ${count}`;
        this.#laws.violate(`${name} has ${counts} messages of partition ${partition} in the end`);
      }
      return end;
    });
    for (const [partition, before] of seen.entries()) {
      if (!isDeletionTried && (now[partition] ?? 0) < before) {
        const counts = `${before} messages of partition ${partition}, and has ${now[partition]}`;
        this.#laws.violate(`${name} had ${counts}`);
      }
    }
    this.#seenBefore.set(name, seen);
    this.#seen.set(name, now);
  }

  #checkUploads(name: string, found: Runs, isEnded: boolean): void {
    for (const { id, rowCount, atMs, isAcknowledged } of this.uploads) {
      const runs = found.get(id) ?? [];
      const isWhole = runs.length === 1 && runs[0]?.first === 0 && runs[0].end === rowCount;
      const mustExist = isAcknowledged && atMs >= this.#expiredBeforeMs;
      // Twice its retention is long enough for merges, and for a server that was down.
      const mustBeGone = isEnded && atMs < this.#nowMs() - 2 * retentionMs;
      if ((isWhole && !mustBeGone) || (runs.length === 0 && !mustExist)) continue;
      const numbers = runs.map(({ first, end }) => `${first} to ${end - 1}`).join(', ');
      this.#laws.violate(`${name} has rows ${numbers} of the ${rowCount} of upload ${id}`);
    }
  }

  /** Returns the runs of a table, and adds those of its files to `runs`. */
  async #readTable(live: DirectoryTables, name: string, runs: Map<string, Runs>): Promise<Runs> {
    const found: Runs[] = [];
    try {
      const relations = await live.resolve([name]);
      await live.verify(relations);
      const files = relations.flatMap(({ parts }) => parts.flatMap((part) => part.files));
      for (const { path, checksum } of files) {
        const key = `${path} ${checksum}`;
        const ofFile = this.#runs.get(key) ?? (await readParquet(path));
        runs.set(key, ofFile);
        found.push(ofFile);
      }
    } catch (error) {
      this.#laws.violate(`${name} cannot be read: ${String(error)}`);
    }
    const joined = joinRuns(found.flatMap((each) => [...each]));
    for (const { first, end } of [...joined.values()].flat()) this.#checkedRowCount += end - first;
    return joined;
  }
}

/** Joins runs that continue each other. Gaps and repeated rows remain visible, as further runs. */
function joinRuns(found: Iterable<readonly [key: number, runs: readonly Run[]]>): Runs {
  const joined = new Map<number, Run[]>();
  for (const [key, runs] of found) {
    const known = joined.get(key);
    if (known === undefined) joined.set(key, [...runs]);
    else known.push(...runs);
  }
  for (const [key, runs] of joined) {
    const inOrder: Run[] = [];
    for (const run of runs.toSorted((a, b) => a.first - b.first)) {
      const last = inOrder.at(-1);
      if (last?.end === run.first) inOrder[inOrder.length - 1] = { ...last, end: run.end };
      else inOrder.push(run);
    }
    joined.set(key, inOrder);
  }
  return joined;
}

async function readParquet(path: string): Promise<Runs> {
  await using handle = await open(path);
  const { size: byteLength } = await handle.stat();
  const bytes = new Uint8Array(byteLength);
  await handle.read(bytes, 0, byteLength, 0);
  const file = {
    byteLength,
    slice: (start: number, end?: number) => bytes.slice(start, end).buffer,
  };
  const metadata = await parquetMetadataAsync(file);
  const compressors = { ZSTD: (from: Uint8Array) => new Uint8Array(zstdDecompressSync(from)) };
  const columns = ['p', 'n'];
  const rows = await parquetReadObjects({ file, metadata, columns, compressors });
  return joinRuns(
    rows.map(({ p, n }) => [Number(p), [{ first: Number(n), end: Number(n) + 1 }]] as const),
  );
}
