import { type CallOptions, type Clock, QuireError } from '@quire/core';
import {
  parseTableName,
  type TableConfigDocument,
  type TableDescription,
  type TableEngine,
  type TableSchemaDocument,
  type TableSummary,
} from '@quire/core/table-engine';
import type { BrokerClient } from '../broker-client.ts';
import { askBrokers, listTables, readTableSchema } from '../broker-calls.ts';

export interface BrokerTablesOptions {
  readonly client: BrokerClient;
  /** Read at each call. */
  readonly brokers: () => readonly string[];
  readonly clock: Clock;
}

/** The time for which the tables of brokers are cached: they change only when a broker restarts. */
const lookEveryMs = 10_000;

/**
 * Wraps an engine to include the tables that brokers read from files (`engine.table.<name>.path`),
 * as read-only OFFLINE tables. Changing one is refused with CONFLICT, which names the setting of
 * its files.
 */
export function withBrokerTables(engine: TableEngine, options: BrokerTablesOptions): TableEngine {
  const brokerTables = new BrokerTables(engine, options);
  return new Proxy(engine, {
    get(target, name) {
      const own = brokerTables.verbs[name as keyof TableEngine];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

class BrokerTables {
  readonly #engine: TableEngine;
  readonly #options: BrokerTablesOptions;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #names: Promise<readonly string[]> = Promise.resolve([]);

  constructor(engine: TableEngine, options: BrokerTablesOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** The methods that differ from the engine's own. */
  get verbs(): Partial<TableEngine> {
    const engine = this.#engine;
    const unlessFile =
      <Rest extends unknown[], Result>(verb: (name: string, ...rest: Rest) => Promise<Result>) =>
      async (name: string, ...rest: Rest): Promise<Result> => {
        await this.#assertWritable(name);
        return verb.call(engine, name, ...rest);
      };
    return {
      listTables: async (options) =>
        [...(await engine.listTables(options)), ...(await this.#list(options))].toSorted(byName),
      readTable: async (name, options) =>
        (await this.#describe(name, options)) ?? engine.readTable(name, options),
      createTable: async (config, options) => {
        await this.#assertFree(parseTableName(config.tableName).rawName, 'TABLE_EXISTS');
        return engine.createTable(config, options);
      },
      updateTable: async (config, options) => {
        await this.#assertWritable(config.tableName);
        return engine.updateTable(config, options);
      },
      deleteTable: unlessFile((name, options) => engine.deleteTable(name, options)),
      listSegments: async (name, options) =>
        (await this.#isFile(name)) ? [] : engine.listSegments(name, options),
      ingest: async (request, options) => {
        await this.#assertWritable(request.tableNameWithType);
        return engine.ingest(request, options);
      },
      executeTask: async (request, options) => {
        await this.#assertWritable(request.tableNameWithType);
        return engine.executeTask(request, options);
      },
      scheduleTasks: async (options = {}) => {
        if (options.tableNameWithType !== undefined) {
          await this.#assertWritable(options.tableNameWithType);
        }
        return engine.scheduleTasks(options);
      },
      readSchema: async (name, options) => {
        const [table] = await this.#list(options, name);
        return table === undefined
          ? engine.readSchema(name, options)
          : this.#readSchema(name, options);
      },
      listSchemas: async (options) => {
        const ofFiles = (await this.#list(options)).map(
          ({ tableNameWithType }) => parseTableName(tableNameWithType).rawName,
        );
        return [...new Set([...(await engine.listSchemas(options)), ...ofFiles])].toSorted();
      },
      createSchema: async (schema, options) => {
        await this.#assertFree(schema.schemaName, 'SCHEMA_EXISTS');
        return engine.createSchema(schema, options);
      },
      updateSchema: async (schema, options) => {
        await this.#assertWritable(schema.schemaName);
        return engine.updateSchema(schema, options);
      },
      deleteSchema: unlessFile((name, options) => engine.deleteSchema(name, options)),
    };
  }

  /**
   * Returns the tables of brokers that the engine does not have: brokers list those of the engine
   * as well.
   */
  async #list(options?: CallOptions, rawName?: string): Promise<readonly TableSummary[]> {
    const names = await this.#readNames();
    const kept = await this.#keptNames(options);
    return names
      .filter((name) => !kept.has(name) && (rawName === undefined || name === rawName))
      .map((name) => ({ tableNameWithType: `${name}_OFFLINE`, type: 'OFFLINE', isReadOnly: true }));
  }

  #readNames(): Promise<readonly string[]> {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedMs < lookEveryMs) return this.#names;
    this.#lookedMs = nowMs;
    this.#names = this.#askNames();
    this.#names.catch(() => (this.#lookedMs = Number.NEGATIVE_INFINITY));
    return this.#names;
  }

  /**
   * Returns only the tables of files: a table of the engine may be deleted before the next request,
   * and would then be shown as a table of files.
   */
  async #askNames(): Promise<readonly string[]> {
    const { brokers, client } = this.#options;
    const before = await this.#keptNames();
    const outcomes = await askBrokers(brokers(), (url) =>
      listTables(client, url, new AbortController().signal),
    );
    const after = await this.#keptNames();
    const names = outcomes.flatMap(({ value }) => value?.tables ?? []);
    return [...new Set(names)].filter((name) => !before.has(name) && !after.has(name));
  }

  async #keptNames(options?: CallOptions): Promise<ReadonlySet<string>> {
    const tables = await this.#engine.listTables(options);
    return new Set(
      tables.map(({ tableNameWithType }) => parseTableName(tableNameWithType).rawName),
    );
  }

  async #isFile(name: string): Promise<boolean> {
    const { rawName, type } = parseTableName(name);
    return type !== 'REALTIME' && (await this.#list(undefined, rawName)).length > 0;
  }

  /** @throws CONFLICT */
  async #assertWritable(name: string): Promise<void> {
    if (await this.#isFile(name)) throw readOnly(name, 'CONFLICT');
  }

  /** @throws TABLE_EXISTS or SCHEMA_EXISTS */
  async #assertFree(rawName: string, code: 'TABLE_EXISTS' | 'SCHEMA_EXISTS'): Promise<void> {
    if ((await this.#list(undefined, rawName)).length > 0) throw readOnly(rawName, code);
  }

  async #describe(name: string, options?: CallOptions): Promise<TableDescription | undefined> {
    if (!(await this.#isFile(name))) return undefined;
    const { rawName } = parseTableName(name);
    const [table] = await this.#list(options, rawName);
    return table === undefined
      ? undefined
      : {
          ...table,
          config: configOf(rawName),
          schema: await this.#readSchema(rawName, options),
          findings: [],
        };
  }

  /**
   * Reads the schema from the first broker that answers. @throws TABLE_NOT_FOUND,
   * BROKER_UNAVAILABLE
   */
  async #readSchema(
    rawName: string,
    { signal = new AbortController().signal }: CallOptions = {},
  ): Promise<TableSchemaDocument> {
    const { client, brokers } = this.#options;
    const outcomes = await askBrokers(brokers(), (url) =>
      readTableSchema(client, url, rawName, signal),
    );
    const known = outcomes.find(({ value }) => value !== undefined)?.value;
    if (known !== undefined) return known;
    const failure = outcomes.find(({ error }) => error !== undefined)?.error;
    if (failure === undefined) {
      throw new QuireError('TABLE_NOT_FOUND', `There is no table '${rawName.slice(0, 200)}'.`);
    }
    throw new QuireError(
      'BROKER_UNAVAILABLE',
      'A broker that may know the table does not answer.',
      { cause: failure },
    );
  }
}

/** Returns the config of a table whose rows are configured files. */
function configOf(rawName: string): TableConfigDocument {
  return {
    tableName: `${rawName}_OFFLINE`,
    tableType: 'OFFLINE',
    metadata: { customConfigs: { readOnly: 'true', configuredBy: `engine.table.${rawName}.path` } },
  };
}

function readOnly(name: string, code: 'CONFLICT' | 'TABLE_EXISTS' | 'SCHEMA_EXISTS'): QuireError {
  const { rawName } = parseTableName(name);
  return new QuireError(
    code,
    `Table ${rawName} is read-only: its rows are the files that engine.table.${rawName}.path names in the settings of a broker.`,
  );
}

function byName(left: TableSummary, right: TableSummary): number {
  return left.tableNameWithType < right.tableNameWithType ? -1 : 1;
}
