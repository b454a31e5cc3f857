import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TableName, tables } from '../data/tables.ts';
import { PageLoad } from '../http/page-load.ts';
import { PageReader, type PageTarget } from '../http/page-reader.ts';
import { RawLoad } from '../http/raw-load.ts';
import type { BenchContext } from '../measure/part.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { type PageOptions, pageOf, type StoredQuery, storeQuery } from '../quire/stored-query.ts';
import { findNginx, NginxServer } from '../rivals/nginx-server.ts';
import { findPostgres, PostgresCluster } from '../rivals/postgres-cluster.ts';
import type { RivalKind } from '../rivals/rival.ts';
import { RivalServer } from '../rivals/rival-server.ts';
import { assertRows } from './assert-rows.ts';
import { fullSizes, type PageSizes, quickSizes } from './page-sizes.ts';

/** The settings that differ between Quire's servers, by their names in the comparisons. */
const serverSettings = {
  file: {},
  uncached: { 'engine.broker.pagination.cache.maxMB': '0' },
  memory: {
    'engine.broker.pagination.protocol': 'memory',
    'engine.broker.pagination.memory.maxMB': '1024',
  },
  zstd: { 'engine.broker.pagination.compression': 'zstd' },
  lz4: { 'engine.broker.pagination.compression': 'lz4' },
} as const;

export type ServerName = keyof typeof serverSettings;

/** The pages of a stored result to read, and their format. */
export interface Reading extends PageOptions {
  readonly offsets: readonly number[];
  readonly pageRowCount: number;
  readonly readerCount?: number;
}

/** Readers of the same pages from several servers. */
export interface RawLoads {
  readonly quire: RawLoad;
  readonly staticFile: RawLoad;
  /** Undefined where nginx is not installed. */
  readonly nginx: RawLoad | undefined;
}

/**
 * Servers, stored results and rivals, each created when it is first requested, and kept until the
 * end.
 */
export class PageStage implements AsyncDisposable {
  readonly context: BenchContext;
  readonly sizes: PageSizes;
  readonly notes: string[] = [];
  readonly #resources = new AsyncDisposableStack();
  readonly #made = new Map<string, Promise<unknown>>();
  #staticCount = 0;

  constructor(context: BenchContext) {
    this.context = context;
    this.sizes = context.isQuick ? quickSizes : fullSizes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  parquet(name: TableName, rowCount: number): Promise<string> {
    return this.#once(`the table ${name} of ${rowCount} rows`, () =>
      this.context.tables.parquet(name, rowCount),
    );
  }

  /** Returns a result of all rows of a table, stored by one of Quire's servers. */
  async stored(server: ServerName, name: TableName, rowCount: number): Promise<StoredQuery> {
    const table = `${name}_${rowCount}`;
    const running = await this.#server(server);
    return this.#once(`a result of ${rowCount} rows of ${name} on ${server}`, () =>
      storeQuery(running, `SELECT * FROM ${table}`),
    );
  }

  /** Returns Quire's pages, verified once. */
  async quireLoad(stored: StoredQuery, reading: Reading): Promise<PageLoad> {
    const targets = reading.offsets.map((offset) =>
      pageOf(stored, offset, reading.pageRowCount, reading),
    );
    const load = this.#resources.use(new PageLoad(stored.server.url, targets, reading.readerCount));
    const isPlainJson = (reading.format ?? 'json') === 'json' && reading.encoding === undefined;
    if (isPlainJson) await this.#check(stored.server.url, targets, reading);
    return load;
  }

  /** Returns the bytes of Quire's pages as files behind a plain server. */
  async staticLoad(stored: StoredQuery, reading: Reading): Promise<PageLoad> {
    const directory = join(this.context.scratch, await this.#writePages(stored, reading));
    return this.#load(await this.#rival('static-file'), directory, reading);
  }

  /** Returns pages of Quire and the same bytes as files, read without the cost of a full client. */
  async rawLoads(stored: StoredQuery, reading: Reading): Promise<RawLoads> {
    const { offsets, pageRowCount } = reading;
    const folder = await this.#writePages(stored, reading);
    const rival = await this.#rival('static-file');
    const nginx = await this.#nginx();
    const use = (url: string, targetOf: (offset: number) => PageTarget): RawLoad =>
      this.#resources.use(new RawLoad(url, offsets.map(targetOf)));
    const directory = join(this.context.scratch, folder);
    return {
      quire: use(stored.server.url, (offset) => pageOf(stored, offset, pageRowCount, reading)),
      staticFile: use(rival.url, (offset) => rival.pageOf(directory, offset, pageRowCount)),
      nginx: nginx && use(nginx.url, (offset) => ({ path: `/${folder}/${offset}` })),
    };
  }

  /** Returns a rival's pages of the same rows, verified once; undefined when it cannot run here. */
  async rivalLoad(
    kind: RivalKind,
    stored: StoredQuery,
    name: TableName,
    reading: Reading,
  ): Promise<PageLoad | undefined> {
    const source = await this.#rivalSource(kind, stored, name);
    if (source === undefined) return undefined;
    const rival = await this.#rival(kind);
    await this.#check(
      rival.url,
      reading.offsets.map((offset) => rival.pageOf(source, offset, reading.pageRowCount)),
      reading,
    );
    return this.#load(rival, source, reading);
  }

  /** Writes Quire's pages as files of a folder, each named by its offset. */
  async #writePages(stored: StoredQuery, reading: Reading): Promise<string> {
    const folder = `static-${(this.#staticCount += 1)}`;
    const directory = join(this.context.scratch, folder);
    await mkdir(directory);
    await using reader = new PageReader(stored.server.url);
    for (const offset of new Set(reading.offsets)) {
      const bytes = await reader.readBytes(pageOf(stored, offset, reading.pageRowCount, reading));
      await writeFile(join(directory, String(offset)), bytes);
    }
    return folder;
  }

  #nginx(): Promise<NginxServer | undefined> {
    return this.#once('nginx', async () => {
      const program = await findNginx();
      if (program === undefined) {
        this.notes.push(
          'nginx is omitted: it is not installed here (Debian: apt-get install nginx-light).',
        );
        return undefined;
      }
      const { scratch } = this.context;
      return this.#resources.use(await NginxServer.start(program, scratch, join(scratch, 'nginx')));
    });
  }

  #load(
    rival: RivalServer,
    source: string,
    { offsets, pageRowCount, readerCount }: Reading,
  ): PageLoad {
    const targets = offsets.map((offset) => rival.pageOf(source, offset, pageRowCount));
    return this.#resources.use(new PageLoad(rival.url, targets, readerCount));
  }

  async #server(name: ServerName): Promise<QuireServer> {
    const { rows, bulkyRows } = this.sizes;
    const wanted: [TableName, number][] = [
      ['mixed', rows.few],
      ['mixed', rows.base],
      ['mixed', rows.many],
      ['narrow', rows.base],
      ['wide', bulkyRows],
      ['long', bulkyRows],
    ];
    const paths: Record<string, string> = {};
    for (const [table, rowCount] of wanted) {
      paths[`${table}_${rowCount}`] = await this.parquet(table, rowCount);
    }
    return this.#once(`the server ${name}`, async () => {
      const server = await QuireServer.start({
        settings: serverSettings[name],
        directory: join(this.context.scratch, `quire-${name}`),
        tables: paths,
        profileDirectory: this.context.profileDirectory,
      });
      return this.#resources.use(server);
    });
  }

  #rival(kind: RivalKind): Promise<RivalServer> {
    return this.#once(`the rival ${kind}`, async () =>
      this.#resources.use(await RivalServer.start(kind)),
    );
  }

  /** Creates the input of a rival from the same table. */
  async #rivalSource(
    kind: RivalKind,
    stored: StoredQuery,
    name: TableName,
  ): Promise<string | undefined> {
    const parquet = await this.parquet(name, stored.rowCount);
    switch (kind) {
      case 'duckdb-parquet':
      case 'duckdb-parquet-json':
        return parquet;
      case 'duckdb-table':
        return this.#once(`a DuckDB table of ${parquet}`, () =>
          this.context.tables.database(parquet),
        );
      case 'json-lines':
        return this.#once(`JSON lines of ${parquet}`, () => this.context.tables.jsonLines(parquet));
      case 'apache-arrow':
        return stored.server.dataFileOf(stored.requestId);
      case 'whole-json':
        return this.#once(`${parquet} as one JSON document`, async () => {
          await using reader = new PageReader(stored.server.url);
          const path = parquet.replace(/parquet$/, 'json');
          await writeFile(path, await reader.readBytes(pageOf(stored, 0, stored.rowCount)));
          return path;
        });
      case 'postgres-cursor':
        return this.#once(`PostgreSQL with ${parquet}`, () => this.#startPostgres(name, parquet));
      case 'static-file':
        throw new Error('Static files are requested with staticLoad.');
    }
  }

  async #startPostgres(name: TableName, parquet: string): Promise<string | undefined> {
    const binaries = await findPostgres();
    if (binaries === undefined) {
      this.notes.push(
        'PostgreSQL is omitted: it is not installed here (Debian: apt-get install postgresql-15).',
      );
      return undefined;
    }
    const directory = join(this.context.scratch, 'postgres');
    const csv = await this.context.tables.csv(parquet);
    return this.#resources.use(await PostgresCluster.start(binaries, directory, tables[name], csv))
      .socketDirectory;
  }

  async #check(
    url: string,
    targets: readonly { readonly path: string }[],
    reading: Reading,
  ): Promise<void> {
    const [target] = targets;
    const [offset] = reading.offsets;
    if (target === undefined || offset === undefined) return;
    await using reader = new PageReader(url);
    assertRows(await reader.readBytes(target), offset, reading.pageRowCount);
  }

  #once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(what) ?? this.#make(what, make);
    this.#made.set(what, made);
    return made as Promise<T>;
  }

  #make<T>(what: string, make: () => Promise<T>): Promise<T> {
    this.context.progress(`prepares ${what.replace(/\S*\//g, '')}`);
    return make();
  }
}
