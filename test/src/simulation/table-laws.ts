import { zstdDecompressSync } from 'node:zlib';
import { open } from 'node:fs/promises';
import { DirectoryTables } from '@quire/table-server';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { Laws } from './laws.ts';
import type { Topic } from './stream.ts';

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
  /** Its rows were confirmed to the client. */
  isAcknowledged: boolean;
}

interface Row {
  readonly p: number;
  readonly n: number;
}

/**
 * The laws of tables at every moment: each message is present at most once and none is skipped,
 * rows that were seen remain, and acknowledged ones are present.
 */
export class TableLaws {
  readonly tables = new Map<string, KnownTable>();
  readonly uploads: KnownUpload[] = [];
  readonly #laws: Laws;
  /** Messages of each partition that were seen in a table, by its name. */
  readonly #seen = new Map<string, readonly number[]>();
  /** The same, a check earlier. */
  readonly #seenBefore = new Map<string, readonly number[]>();
  #checkedRowCount = 0;

  constructor(laws: Laws) {
    this.#laws = laws;
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
  async check(directory: string, { isEnded }: { readonly isEnded: boolean }): Promise<void> {
    const live = new DirectoryTables(directory);
    const names = new Set(await live.listNames());
    for (const table of this.tables.values()) {
      const { name, topic, isCreated, isDeletionTried } = table;
      if (!names.has(name)) {
        if (isCreated && !isDeletionTried) this.#laws.violate(`the table ${name} is lost`);
        continue;
      }
      const rows = await this.#readRows(live, name);
      if (topic === undefined) this.#checkUploads(name, rows);
      else this.#checkMessages(table, topic, rows, isEnded && isCreated && !isDeletionTried);
    }
  }

  /** Rows that were seen between their writing and its sync may be lost with the power. */
  notePowerFailed(): void {
    for (const name of this.#seen.keys()) this.#seen.set(name, this.#seenBefore.get(name) ?? []);
  }

  #checkMessages(
    { name, isDeletionTried }: KnownTable,
    topic: Topic,
    rows: readonly Row[],
    isComplete: boolean,
  ): void {
    const seen = this.#seen.get(name) ?? [];
    const now = topic.partitions.map((messages, partition) => {
      const numbers = rows
        .filter(({ p }) => p === partition)
        .map(({ n }) => n)
        .toSorted((a, b) => a - b);
      const wrong = numbers.findIndex((n, index) => n !== index);
      if (wrong >= 0) {
        const found = numbers.slice(wrong, wrong + 3).join();
        this.#laws.violate(`${name} has ${found} of partition ${partition} where ${wrong} belongs`);
      }
      if (isComplete && numbers.length !== messages.length) {
        const counts = `${numbers.length} of ${messages.length}`;
        this.#laws.violate(`${name} has ${counts} messages of partition ${partition} in the end`);
      }
      return numbers.length;
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

  #checkUploads(name: string, rows: readonly Row[]): void {
    for (const { id, rowCount, isAcknowledged } of this.uploads) {
      const numbers = rows.filter(({ p }) => p === id).map(({ n }) => n);
      const isWhole = numbers.length === rowCount && new Set(numbers).size === rowCount;
      if (isWhole || (numbers.length === 0 && !isAcknowledged)) continue;
      this.#laws.violate(`${name} has ${numbers.length} of ${rowCount} rows of upload ${id}`);
    }
  }

  async #readRows(live: DirectoryTables, name: string): Promise<readonly Row[]> {
    const relations = await live.resolve([name]);
    const rows: Row[] = [];
    try {
      await live.verify(relations);
      for (const { parts } of relations) {
        for (const { files } of parts) {
          for (const { path } of files) rows.push(...(await readParquet(path)));
        }
      }
    } catch (error) {
      this.#laws.violate(`${name} cannot be read: ${String(error)}`);
    }
    this.#checkedRowCount += rows.length;
    return rows;
  }
}

async function readParquet(path: string): Promise<readonly Row[]> {
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
  return rows.map(({ p, n }) => ({ p: Number(p), n: Number(n) }));
}
