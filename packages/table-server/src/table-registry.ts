import { type CallOptions, QuireError, throwIfAborted } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableCreated,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import { Slots } from '@quire/core/wait';
import { checkTable } from './check-table.ts';
import type { MessageStream } from '@quire/streams';
import type { RunChunkJob } from './consumption/chunk-job.ts';
import type { ConsumerEvents } from './consumption/partition-consumer.ts';
import { streamSettingsOf } from './consumption/stream-settings.ts';
import { TableConsumer } from './consumption/table-consumer.ts';
import { createDocument, readDocument, removeDocument, replaceDocument } from './directory/documents.ts';
import type { TableRecord } from './directory/table-directory.ts';
import { isName, SchemaStore } from './schema-store.ts';
import { ServedTable, tableNotFound, type TableParts } from './served-table.ts';

export interface TableRegistryOptions extends TableParts {
  /** Tenants that tables may name. */
  readonly tenants: readonly string[];
  readonly taskTypes: readonly string[];
  /** Opens the stream of a real-time table. @throws STREAM_INVALID */
  readonly openStream: (config: Readonly<Record<string, string>>) => MessageStream;
  readonly consumerEvents: ConsumerEvents;
  readonly runChunkJob: RunChunkJob;
}

/** The schemas and tables of a table server. Changes come one after the other; each is one atomic step on disk. */
export class TableRegistry implements AsyncDisposable {
  readonly schemas: SchemaStore;
  readonly #options: TableRegistryOptions;
  readonly #tables = new Map<string, ServedTable>();
  readonly #closing = new AbortController();
  readonly #changes = new Slots(1);

  private constructor(options: TableRegistryOptions) {
    this.#options = options;
    this.schemas = new SchemaStore(options.directory, options.random);
  }

  static async open(options: TableRegistryOptions): Promise<TableRegistry> {
    const registry = new TableRegistry(options);
    const { directory } = options;
    for (const name of await directory.listTables()) {
      const record = await readDocument(directory.table(name));
      if (record !== undefined) registry.#tables.set(name, await ServedTable.open(record as unknown as TableRecord, options));
    }
    for (const table of registry.tables) table.consumer = await registry.#consume(table);
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

  /** @throws TABLE_NOT_FOUND */
  get(tableNameWithType: string): ServedTable {
    const table = isName(tableNameWithType) ? this.#tables.get(tableNameWithType) : undefined;
    if (table === undefined) throw tableNotFound(tableNameWithType);
    return table;
  }

  createSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void> {
    return this.#change(options, () => this.schemas.create(schema));
  }

  updateSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void> {
    return this.#change(options, () => this.schemas.update(schema, this.#usersOf(schema.schemaName).length > 0));
  }

  deleteSchema(schemaName: string, options?: CallOptions): Promise<void> {
    return this.#change(options, async () => {
      const [user] = this.#usersOf(schemaName);
      if (user === undefined) return this.schemas.delete(schemaName);
      throw new QuireError('SCHEMA_IN_USE', `Schema ${schemaName} is used by table ${user.name}: delete the table first.`);
    });
  }

  create(given: TableConfigDocument, options?: CallOptions & { readonly isPaused?: boolean }): Promise<TableCreated> {
    const config = typedConfig(given);
    return this.#change(options, async () => {
      const { tableName } = config;
      const findings = await this.#check(config);
      // Queries do not tell upper from lower case.
      const { rawName } = parseTableName(tableName);
      const known = this.tables.find(
        (table) =>
          table.name === tableName || (table.rawName !== rawName && table.rawName.toLowerCase() === rawName.toLowerCase()),
      );
      if (known !== undefined) throw new QuireError('TABLE_EXISTS', `Table ${known.name} exists already.`);
      const { directory, clock, random } = this.#options;
      const tableId = `${tableName}.${Buffer.from(random.bytes(6)).toString('hex')}`;
      const record: TableRecord = { formatVersion: 1, tableId, createdMs: clock.nowMs(), config, findings };
      const table = await ServedTable.open(record, this.#options);
      // Whether it is paused is durable before the table is there.
      const consumer = await this.#consume(table, options?.isPaused);
      await createDocument(directory.table(tableName), record, random);
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
      await replaceDocument(this.#options.directory.table(table.name), record, this.#options.random);
      table.record = record;
      await table.consumer?.[Symbol.asyncDispose]();
      table.consumer = await this.#consume(table);
      return { tableNameWithType: table.name, findings };
    });
  }

  delete(tableNameWithType: string, options?: CallOptions): Promise<void> {
    return this.#change(options, async () => {
      const table = this.get(tableNameWithType);
      await removeDocument(this.#options.directory.table(table.name));
      this.#tables.delete(table.name);
      await table.consumer?.[Symbol.asyncDispose]();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new QuireError('SHUTTING_DOWN', 'The table server is shutting down.'));
    await this.#changes.run(async () => undefined);
    await Promise.all(this.tables.map(async (table) => table.consumer?.[Symbol.asyncDispose]()));
  }

  async #consume(table: ServedTable, isPaused?: boolean): Promise<TableConsumer | undefined> {
    const [settings] = table.type === 'REALTIME' ? streamSettingsOf(table.record.config) : [];
    if (settings === undefined) return undefined;
    const { clock, random, openStream, consumerEvents, runChunkJob } = this.#options;
    const readSchema = (): Promise<TableSchemaDocument> => this.schemas.read(table.rawName);
    const stream = openStream(settings.config);
    return TableConsumer.open(
      { ...consumerEvents, table, settings, stream, clock, random, readSchema, runChunkJob },
      { isPaused },
    );
  }

  /** Makes a change after all that were asked for before. */
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
    return checkTable(config, { schema, otherConfig: other?.record.config, tenants, taskTypes, clock });
  }

  #usersOf(schemaName: string): readonly ServedTable[] {
    return this.tables.filter(({ rawName }) => rawName === schemaName);
  }
}

/** The config with the type in its name, as it is kept. A type that is not one is left to the rules. */
function typedConfig(config: TableConfigDocument): TableConfigDocument {
  const { rawName, type } = parseTableName(config.tableName);
  const { tableType = type ?? 'OFFLINE' } = config;
  return { ...config, tableName: `${rawName}_${tableType === 'REALTIME' ? 'REALTIME' : 'OFFLINE'}`, tableType };
}
