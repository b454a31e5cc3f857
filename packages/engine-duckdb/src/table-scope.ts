import { isQuireError, type NamedRows, QuireError, type QueryStatistics } from '@quire/core';
import type { LiveTables, TableRelation } from '@quire/core/table-engine';
import { quoteIdentifier } from './conversion/column-type.ts';
import { selectRelation } from './live-relation.ts';
import type { QueryConnection } from './query-connection.ts';
import { readRows } from './read-rows.ts';
import { ResultTables } from './result-tables.ts';
import { foldName, type TableNames } from './statement-guard.ts';
import type { StatementTraits } from './statement-traits.ts';
import type { OpenTable } from './table-source.ts';

/**
 * The tables that one query may read. Live tables are defined for its connection alone, so that it
 * sees one set of their files throughout.
 */
export class TableScope {
  readonly names: TableNames;
  /** Why the live tables are not known, so that only the configured ones can be read. */
  readonly problem: QuireError | undefined;
  /** The stored results that it may read. */
  readonly results: ResultTables;
  readonly #sizes: Map<string, TableSize>;
  readonly #relations = new Map<string, TableRelation>();
  readonly #live: LiveTables | undefined;
  readonly #liveNames: ReadonlySet<string>;
  /**
   * The full names of configured tables, which have offline halves only, with their names in
   * DuckDB.
   */
  readonly #fullNames: ReadonlyMap<string, string>;
  readonly #defined = new Set<string>();
  /** Tables whose columns are defined in the connection, without rows. */
  readonly #shown = new Set<string>();

  private constructor(
    tables: readonly OpenTable[],
    live: LiveTables | undefined,
    { liveNames, problem }: Pick<TableScope, 'problem'> & { readonly liveNames: readonly string[] },
    results: readonly NamedRows[],
  ) {
    this.problem = problem;
    this.results = new ResultTables(results);
    this.#live = live;
    this.#sizes = new Map(tables.map((table) => [table.name, table]));
    // A configured table hides a live table with the same name.
    const hidden = new Set(tables.map(({ name }) => name.toLowerCase()));
    this.#liveNames = new Set(liveNames.filter((name) => !hidden.has(name.toLowerCase())));
    this.#fullNames = new Map(
      tables
        .filter(({ name }) => !hidden.has(offlineNameOf(name).toLowerCase()))
        .map(({ name }) => [offlineNameOf(name), name]),
    );
    for (const [fullName, name] of this.#fullNames) {
      this.#sizes.set(fullName, this.#sizes.get(name) ?? empty);
    }
    const names = [
      ...this.#fullNames.keys(),
      ...this.#liveNames,
      ...tables.map(({ name }) => name),
    ];
    this.names = new Map(names.map((name) => [foldName(name), name]));
  }

  static async open(
    tables: readonly OpenTable[],
    live: LiveTables | undefined,
    results: readonly NamedRows[],
  ): Promise<TableScope> {
    let liveNames: readonly string[] = [];
    let problem: QuireError | undefined;
    try {
      liveNames = (await live?.listNames()) ?? [];
    } catch (error) {
      if (!isQuireError(error, 'STORE_UNAVAILABLE')) throw error;
      problem = error;
    }
    return new TableScope(tables, live, { liveNames, problem }, results);
  }

  /**
   * Defines the live tables among these in the connection, or all of them for a query that reads
   * the catalog. Further calls for the same table do nothing.
   *
   * @throws STORE_UNAVAILABLE when it reads the catalog and the live tables are not known
   */
  async define(
    connection: QueryConnection,
    tables: readonly string[],
    { readsCatalog }: Pick<StatementTraits, 'readsCatalog'>,
  ): Promise<void> {
    if (readsCatalog && this.problem !== undefined) throw this.problem;
    for (const fullName of tables) {
      const name = this.#fullNames.get(fullName);
      if (name !== undefined) {
        await this.#defineView(connection, fullName, `FROM main.${quoteIdentifier(name)}`);
      }
    }
    const wanted = [...this.#liveNames].filter(
      (name) => tables.includes(name) && !this.#defined.has(name),
    );
    const shown = readsCatalog
      ? [...this.#liveNames].filter(
          (name) => !tables.includes(name) && !this.#defined.has(name) && !this.#shown.has(name),
        )
      : [];
    if (wanted.length + shown.length === 0) return;
    const relations = (await this.#live?.resolve([...wanted, ...shown])) ?? [];
    const read = relations.filter(({ name }) => wanted.includes(name));
    await this.#live?.verify(read, { signal: connection.signal });
    for (const relation of relations) {
      this.#sizes.set(relation.name, { rowCount: relation.rowCount, sizeBytes: sizeOf(relation) });
      this.#relations.set(relation.name, relation);
      if (read.includes(relation)) {
        await this.#defineView(connection, relation.name, selectRelation(relation));
      } else await this.#defineEmptyView(connection, relation);
    }
    const gone = tables.find((name) => this.#liveNames.has(name) && !this.#relations.has(name));
    if (gone !== undefined) {
      throw new QuireError('TABLE_NOT_FOUND', `Table ${gone} no longer exists.`);
    }
  }

  async #defineView(connection: QueryConnection, name: string, relation: string): Promise<void> {
    if (this.#defined.has(name)) return;
    await connection.call((handle) =>
      readRows(handle, `CREATE OR REPLACE TEMP VIEW ${quoteIdentifier(name)} AS ${relation}`),
    );
    this.#defined.add(name);
  }

  /** Defines the columns of a table that the query does not read, without opening its files. */
  async #defineEmptyView(connection: QueryConnection, relation: TableRelation): Promise<void> {
    const empty = selectRelation({ ...relation, parts: [] });
    await connection.call((handle) =>
      readRows(handle, `CREATE OR REPLACE TEMP VIEW ${quoteIdentifier(relation.name)} AS ${empty}`),
    );
    this.#shown.add(relation.name);
  }

  /** Returns statistics of the live tables among these; empty if there are none. */
  liveStatistics(tables: readonly string[]): Pick<QueryStatistics, 'segments' | 'consumedUntilMs'> {
    const relations = this.relationsOf(tables);
    if (relations.length === 0) return {};
    const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
    const consumedMs = relations.flatMap(({ consumedUntilMs }) => consumedUntilMs ?? []);
    return {
      segments: {
        queried: sum(relations.map(({ segmentCount }) => segmentCount)),
        consuming: sum(relations.map(({ consumingSegmentCount }) => consumingSegmentCount)),
      },
      ...(consumedMs.length > 0 && { consumedUntilMs: Math.min(...consumedMs) }),
    };
  }

  /**
   * Verifies that the files of these tables have not changed since their checksums were verified.
   * @throws TABLE_DAMAGED
   */
  async assertWhole(tables: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#live?.verify(this.relationsOf(tables), { signal });
  }

  /** Returns the relations of the live tables among these. */
  relationsOf(tables: readonly string[]): readonly TableRelation[] {
    return tables.flatMap((name) => this.#relations.get(name) ?? []);
  }

  /** Returns the number of rows of these tables and of the defined results. */
  countRows(tables: readonly string[]): number {
    return this.#sizesOf(tables).reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  /** Returns the largest average size of their stored rows, in bytes. */
  rowBytesOf(tables: readonly string[]): number {
    const averages = this.#sizesOf(tables).map(
      ({ rowCount, sizeBytes = 0 }) => sizeBytes / Math.max(1, rowCount),
    );
    return Math.max(0, ...averages);
  }

  #sizesOf(tables: readonly string[]): readonly TableSize[] {
    return [...tables.map((name) => this.#sizes.get(name) ?? empty), ...this.results.defined];
  }
}

type TableSize = Pick<OpenTable | NamedRows, 'rowCount' | 'sizeBytes'>;

const empty: TableSize = { rowCount: 0, sizeBytes: 0 };

function sizeOf({ parts }: TableRelation): number {
  const files = parts.flatMap((part) => part.files);
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function offlineNameOf(name: string): string {
  return `${name}_OFFLINE`;
}
