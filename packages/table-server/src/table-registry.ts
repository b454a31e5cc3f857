import { dirname, join } from 'node:path';
import { type CallOptions, isQuireError, QuireError, throwIfAborted } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableContext,
  type TableCreated,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import { Slots } from '@quire/core/wait';
import { checkTable } from './check-table.ts';
import { LateStream, type MessageStream } from '@quire/streams';
import type { RunChunkJob } from './consumption/chunk-job.ts';
import type { ConsumerEvents } from './consumption/partition-consumer.ts';
import { streamSettingsOf } from './consumption/stream-settings.ts';
import { TableConsumer } from './consumption/table-consumer.ts';
import { recordDamaged } from './directory/records.ts';
import { namesIn, tableNameOf, type TableRecord } from './directory/table-directory.ts';
import { trashName } from './upkeep/trash.ts';
import { isName, SchemaStore } from './schema-store.ts';
import { creatingMark, ServedTable, type TableParts } from './served-table.ts';
import { tableDamaged, tableNotFound } from './table-errors.ts';

export interface TableRegistryOptions extends TableParts {
  /** Tenants that tables may name. */
  readonly tenants: readonly string[];
  readonly taskTypes: readonly string[];
  /** Opens the stream of a real-time table. @throws STREAM_INVALID */
  readonly openStream: (config: Readonly<Record<string, string>>) => MessageStream;
  readonly consumerEvents: ConsumerEvents;
  readonly runChunkJob: RunChunkJob;
  /** Called when a table is set aside, and again when the reason has changed. */
  readonly onSetAside?: ((tableNameWithType: string, damage: QuireError) => void) | undefined;
}

/**
 * The schemas and tables of a table server. Changes run one after another; each is one atomic step
 * on disk.
 */
export class TableRegistry implements AsyncDisposable {
  readonly schemas: SchemaStore;
  readonly #options: TableRegistryOptions;
  readonly #tables = new Map<string, ServedTable>();
  readonly #setAside = new Map<string, QuireError>();
  readonly #closing = new AbortController();
  readonly #changes = new Slots(1);

  private constructor(options: TableRegistryOptions) {
    this.#options = options;
    this.schemas = new SchemaStore(options.directory, options.records);
  }

  /** Opens all tables. A damaged one is set aside, and the others are served. */
  static async open(options: TableRegistryOptions): Promise<TableRegistry> {
    const registry = new TableRegistry(options);
    for (const name of await registry.#knownNames()) await registry.#openTable(name);
    for (const table of registry.tables) {
      await registry.#startConsumer(table, registry.#openKnownStream(table));
    }
    return registry;
  }

  /** Aborted when the server shuts down. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** In ascending order of their names. */
  get tables(): readonly ServedTable[] {
    return [...this.#tables.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }

  /**
   * Tables that are not served because one of their records is damaged, by name, with the reason.
   */
  get setAside(): ReadonlyMap<string, QuireError> {
    return this.#setAside;
  }

  /** @throws TABLE_NOT_FOUND; TABLE_DAMAGED when it is set aside */
  get(tableNameWithType: string): ServedTable {
    const table = isName(tableNameWithType) ? this.#tables.get(tableNameWithType) : undefined;
    if (table !== undefined) return table;
    const damage = this.#setAside.get(tableNameWithType);
    throw damage === undefined
      ? tableNotFound(tableNameWithType)
      : tableDamaged(tableNameWithType, damage);
  }

  /**
   * Tries to open all tables that are not served: serves those whose records are intact, and sets
   * aside those with a damaged record.
   */
  reopen(): Promise<void> {
    return this.#change(undefined, async () => {
      for (const name of await this.#knownNames()) {
        if (this.#tables.has(name)) continue;
        await this.#openTable(name);
        const table = this.#tables.get(name);
        if (table === undefined) continue;
        await this.#startConsumer(table, this.#openKnownStream(table));
      }
    });
  }

  createSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void> {
    return this.#change(options, () => this.schemas.create(schema));
  }

  updateSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void> {
    return this.#change(options, () =>
      this.schemas.update(schema, this.#usersOf(schema.schemaName).length > 0),
    );
  }

  deleteSchema(schemaName: string, options?: CallOptions): Promise<void> {
    return this.#change(options, async () => {
      const [user] = this.#usersOf(schemaName);
      if (user === undefined) return this.schemas.delete(schemaName);
      throw new QuireError(
        'SCHEMA_IN_USE',
        `Schema ${schemaName} is used by table ${user}: delete the table first.`,
      );
    });
  }

  create(
    given: TableConfigDocument,
    options?: CallOptions & { readonly isPaused?: boolean },
  ): Promise<TableCreated> {
    const config = typedConfig(given);
    return this.#change(options, async () => {
      const { tableName } = config;
      const findings = await this.#check(config);
      // Table names are case-insensitive in queries.
      const { rawName } = parseTableName(tableName);
      const damage = this.#setAside.get(tableName);
      if (damage !== undefined) throw tableDamaged(tableName, damage);
      const known = this.#allNames.find((name) => {
        const other = parseTableName(name).rawName;
        return (
          name === tableName || (other !== rawName && other.toLowerCase() === rawName.toLowerCase())
        );
      });
      if (known !== undefined) {
        throw new QuireError('TABLE_EXISTS', `Table ${known} exists already.`);
      }
      const { directory, records, clock, random } = this.#options;
      const tableId = `${tableName}.${Buffer.from(random.bytes(6)).toString('hex')}`;
      const record: TableRecord = { tableId, createdMs: clock.nowMs(), config, findings };
      const stream = this.#openStream(record);
      const table = await ServedTable.create(record, this.#options);
      // The paused state is durable before the table exists.
      const consumer = await this.#consume(table, stream, options?.isPaused);
      try {
        const isNew = await records.create(directory.table(tableName), record);
        if (!isNew) throw new QuireError('TABLE_EXISTS', `Table ${tableName} exists already.`);
        await table.markCreated();
      } catch (error) {
        // If its record is written, the next round of upkeep opens the table, with a new consumer.
        await consumer?.[Symbol.asyncDispose]();
        throw error;
      }
      table.consumer = consumer;
      this.#tables.set(tableName, table);
      return { tableNameWithType: tableName, findings };
    });
  }

  update(given: TableConfigDocument, options?: CallOptions): Promise<TableCreated> {
    const config = typedConfig(given);
    return this.#change(options, async () => {
      const table = this.get(config.tableName);
      const findings = await this.#check(config);
      const record: TableRecord = { ...table.record, config, findings };
      // Before anything changes, because the settings of the server may not allow the stream.
      const stream = this.#openStream(record);
      try {
        await this.#options.records.replace(this.#options.directory.table(table.name), record);
      } catch (error) {
        await stream?.[Symbol.asyncDispose]();
        throw error;
      }
      table.record = record;
      await table.consumer?.[Symbol.asyncDispose]();
      await this.#startConsumer(table, stream);
      return { tableNameWithType: table.name, findings };
    });
  }

  /**
   * Checks a config with documents that need not be stored yet. @throws TENANT_NOT_FOUND,
   * TABLE_INVALID; STREAM_INVALID when its stream is not allowed
   */
  async check(
    given: TableConfigDocument,
    { schema, otherConfig }: TableContext,
  ): Promise<readonly Finding[]> {
    const config = typedConfig(given);
    const { tenants, taskTypes, clock } = this.#options;
    const findings = checkTable(config, { schema, otherConfig, tenants, taskTypes, clock });
    await this.#openStream({ config })?.[Symbol.asyncDispose]();
    return findings;
  }

  delete(tableNameWithType: string, options?: CallOptions): Promise<void> {
    return this.#change(options, async () => {
      if (this.#setAside.has(tableNameWithType)) return this.#deleteSetAside(tableNameWithType);
      const table = this.get(tableNameWithType);
      const { directory, records } = this.#options;
      const { tableId } = table.record;
      // A single rename, which needs no disk space, deletes the table; the moved record explains
      // its directory.
      const isMoved = await records.move(
        directory.table(table.name),
        directory.deleted(tableId).path,
      );
      if (!isMoved) await records.replace(directory.deleted(tableId), { tableId });
      this.#tables.delete(table.name);
      await table.consumer?.[Symbol.asyncDispose]();
      // Rows that are still being loaded into it must not be acknowledged.
      await table.segments.close(tableNotFound(table.name));
      records.close(dirname(directory.manifest(tableId).path));
    });
  }

  /** Resolves once the changes that are in progress have ended. */
  settled(): Promise<void> {
    return this.#changes.run(async () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new QuireError('SHUTTING_DOWN', 'The table server is shutting down.');
    this.#closing.abort(reason);
    await this.settled();
    await Promise.all(this.tables.map(async (table) => table.consumer?.[Symbol.asyncDispose]()));
    // A load that is still in progress must not replace a manifest that the next server has read.
    await Promise.all(this.tables.map((table) => table.segments.close(reason)));
  }

  /** Opens the stream of a real-time table. @throws STREAM_INVALID when it is not allowed */
  #openStream({ config }: Pick<TableRecord, 'config'>): MessageStream | undefined {
    const [settings] = config.tableType === 'REALTIME' ? streamSettingsOf(config) : [];
    return settings === undefined ? undefined : this.#options.openStream(settings.config);
  }

  /** Consumes a stream into its table; disposes of the stream if that fails. */
  async #consume(
    table: ServedTable,
    stream: MessageStream | undefined,
    isPaused?: boolean,
  ): Promise<TableConsumer | undefined> {
    const [settings] = streamSettingsOf(table.record.config);
    if (stream === undefined || settings === undefined) return undefined;
    const { clock, random, consumerEvents, runChunkJob } = this.#options;
    const readSchema = (): Promise<TableSchemaDocument> => this.schemas.read(table.rawName);
    try {
      return await TableConsumer.open(
        { ...consumerEvents, table, settings, stream, clock, random, readSchema, runChunkJob },
        { isPaused },
      );
    } catch (error) {
      await stream[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Returns the names of tables that have or had a record, and of those whose data directory has no
   * explanation.
   */
  async #knownNames(): Promise<readonly string[]> {
    const { directory, records } = this.#options;
    const written = (await records.names(directory.folder('tables'))).map((file) =>
      file.replace(/\.json$/, ''),
    );
    const orphaned: string[] = [];
    const served = new Set(this.tables.map(({ record }) => record.tableId));
    for (const tableId of await namesIn(directory.folder('data'))) {
      if (served.has(tableId)) continue;
      const names = await namesIn(directory.data(tableId));
      const isExplained =
        names.length === 0 || names.includes(creatingMark) || names.includes('deleted.json');
      if (!isExplained) orphaned.push(tableNameOf(tableId));
    }
    return [...new Set([...(await directory.listTables()), ...written, ...orphaned])].filter(
      isName,
    );
  }

  /** Serves a table, or sets it aside. */
  async #openTable(name: string): Promise<void> {
    const { directory, records, onSetAside } = this.#options;
    try {
      const record = directory.table(name);
      const found = await records.find(record);
      if (found === undefined) throw recordDamaged(record, 'is missing');
      const content = found.content as unknown as TableRecord;
      const table = await ServedTable.open(content, this.#options, {
        isOfEarlierRelease: found.revision === 0,
      });
      await table.readRecords();
      await this.schemas.read(table.rawName);
      // The record is sealed only now: until then, revision 0 means that the table may have no
      // manifest.
      await records.read(record);
      await table.markCreated();
      this.#tables.set(name, table);
      this.#setAside.delete(name);
    } catch (error) {
      const damage = isQuireError(error)
        ? error
        : new QuireError('INTERNAL', String(error), { cause: error });
      if (this.#setAside.get(name)?.message !== damage.message) onSetAside?.(name, damage);
      this.#setAside.set(name, damage);
    }
  }

  /** Starts the consumption of a table. A table whose consumption cannot start is set aside. */
  async #startConsumer(table: ServedTable, stream: MessageStream | undefined): Promise<void> {
    try {
      table.consumer = await this.#consume(table, stream);
    } catch (error) {
      const damage = isQuireError(error)
        ? error
        : new QuireError('INTERNAL', String(error), { cause: error });
      this.#options.onSetAside?.(table.name, damage);
      this.#tables.delete(table.name);
      this.#setAside.set(table.name, damage);
    }
  }

  /**
   * Opens the stream of a table that exists. If the settings of the server no longer allow it, its
   * calls fail: the table is served, and another config can be given to it.
   */
  #openKnownStream(table: ServedTable): MessageStream | undefined {
    try {
      return this.#openStream(table.record);
    } catch (error) {
      if (!isQuireError(error, 'STREAM_INVALID')) throw error;
      return new LateStream(`stream of ${table.name}`, () => Promise.reject(error));
    }
  }

  /** Deletes a table whose record cannot be read. Its files go to the trash first. */
  async #deleteSetAside(name: string): Promise<void> {
    const { directory, records, clock } = this.#options;
    for (const tableId of await namesIn(directory.folder('data'))) {
      if (tableNameOf(tableId) === name) {
        await records.replace(directory.deleted(tableId), { tableId });
      }
    }
    await records.move(
      directory.table(name),
      join(directory.folder('trash'), trashName(clock.nowMs(), `${name}.json`)),
    );
    this.#setAside.delete(name);
  }

  /** Runs a change after all earlier ones. */
  #change<Result>(options: CallOptions | undefined, make: () => Promise<Result>): Promise<Result> {
    return this.#changes.run(async () => {
      throwIfAborted(this.#closing.signal);
      throwIfAborted(options?.signal);
      return await make();
    });
  }

  /** @throws SCHEMA_NOT_FOUND, TABLE_INVALID */
  async #check(config: TableConfigDocument): Promise<readonly Finding[]> {
    const { rawName, type } = parseTableName(config.tableName);
    const other = this.#tables.get(`${rawName}_${type === 'OFFLINE' ? 'REALTIME' : 'OFFLINE'}`);
    const { tenants, taskTypes, clock } = this.#options;
    const schema = await this.schemas.read(rawName);
    return checkTable(config, {
      schema,
      otherConfig: other?.record.config,
      tenants,
      taskTypes,
      clock,
    });
  }

  /** Returns the names of tables with this schema, including those that are set aside. */
  #usersOf(schemaName: string): readonly string[] {
    return this.#allNames.filter((name) => parseTableName(name).rawName === schemaName);
  }

  get #allNames(): readonly string[] {
    return [...this.#tables.keys(), ...this.#setAside.keys()];
  }
}

/**
 * Returns the config with the type in its name, as it is stored. An unknown type is left to the
 * validation rules.
 */
function typedConfig(config: TableConfigDocument): TableConfigDocument {
  const { rawName, type } = parseTableName(config.tableName);
  const { tableType = type ?? 'OFFLINE' } = config;
  return {
    ...config,
    tableName: `${rawName}_${tableType === 'REALTIME' ? 'REALTIME' : 'OFFLINE'}`,
    tableType,
  };
}
