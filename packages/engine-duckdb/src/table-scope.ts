import { type ClusterStatistics, noClusterStatistics, QuireError } from '@quire/core';
import type { LiveTables, TableRelation } from '@quire/core/table-engine';
import { quoteIdentifier } from './conversion/column-type.ts';
import { selectRelation } from './live-relation.ts';
import type { QueryConnection } from './query-connection.ts';
import { readRows } from './read-rows.ts';
import type { SyntaxNode, TableNames } from './statement-guard.ts';
import type { OpenTable } from './table-source.ts';

/** The tables that one query may read. Those that change are defined for its connection alone: it sees one set of their files throughout. */
export class TableScope {
  readonly names: TableNames;
  readonly #rowCounts: Map<string, number>;
  readonly #relations = new Map<string, TableRelation>();
  readonly #live: LiveTables | undefined;
  readonly #liveNames: ReadonlySet<string>;

  private constructor(tables: readonly OpenTable[], live: LiveTables | undefined, liveNames: readonly string[]) {
    this.#live = live;
    this.#rowCounts = new Map(tables.map(({ name, rowCount }) => [name, rowCount]));
    // A table of the settings hides another of its name.
    const hidden = new Set(tables.map(({ name }) => name.toLowerCase()));
    this.#liveNames = new Set(liveNames.filter((name) => !hidden.has(name.toLowerCase())));
    const names = [...tables.map(({ name }) => name), ...this.#liveNames];
    this.names = new Map(names.map((name) => [name.toLowerCase(), name]));
  }

  static async open(tables: readonly OpenTable[], live: LiveTables | undefined): Promise<TableScope> {
    return new TableScope(tables, live, (await live?.listNames()) ?? []);
  }

  /** Makes the live tables among these known to the connection, and all of them for a query that looks into the catalog. */
  async define(connection: QueryConnection, tables: readonly string[], tree: SyntaxNode): Promise<void> {
    const isWholeCatalog = this.#liveNames.size > 0 && looksIntoCatalog(tree);
    const wanted = [...this.#liveNames].filter((name) => isWholeCatalog || tables.includes(name));
    if (wanted.length === 0) return;
    const relations = (await this.#live?.resolve(wanted)) ?? [];
    for (const relation of relations) {
      this.#rowCounts.set(relation.name, relation.rowCount);
      this.#relations.set(relation.name, relation);
      const view = `CREATE TEMP VIEW ${quoteIdentifier(relation.name)} AS ${selectRelation(relation)}`;
      await connection.call((handle) => readRows(handle, view));
    }
    const gone = tables.find((name) => this.#liveNames.has(name) && !relations.some((relation) => relation.name === name));
    if (gone !== undefined) throw new QuireError('TABLE_NOT_FOUND', `Table ${gone} no longer exists.`);
  }

  /** The segments of the live tables among these; undefined when there is none. */
  clusterStatistics(tables: readonly string[]): ClusterStatistics | undefined {
    const relations = tables.flatMap((name) => this.#relations.get(name) ?? []);
    if (relations.length === 0) return undefined;
    const segmentCount = relations.reduce((sum, relation) => sum + relation.segmentCount, 0);
    const consumingCount = relations.reduce((sum, relation) => sum + relation.consumingSegmentCount, 0);
    const consumedMs = relations.flatMap(({ consumedUntilMs }) => consumedUntilMs ?? []);
    return {
      ...noClusterStatistics,
      segments: { queried: segmentCount, processed: segmentCount, matched: 0 },
      consumingSegments: { queried: consumingCount, processed: consumingCount, matched: 0 },
      consumedUntilMs: consumedMs.length === 0 ? 0 : Math.min(...consumedMs),
    };
  }

  countRows(tables: readonly string[]): number {
    return tables.reduce((sum, name) => sum + (this.#rowCounts.get(name) ?? 0), 0);
  }
}

/** SHOW and DESCRIBE, and the views of the catalog. */
function looksIntoCatalog(tree: SyntaxNode): boolean {
  const text = JSON.stringify(tree);
  return text.includes('"SHOW_REF"') || text.toLowerCase().includes('"information_schema"');
}
