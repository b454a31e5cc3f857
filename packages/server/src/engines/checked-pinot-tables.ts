import { type CallOptions, type Clock, isQuireError } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableContext,
  type TableCreated,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import {
  completeTableConfig,
  PinotTableEngine,
  type PinotTableEngineOptions,
} from '@quire/engine-pinot';
import { assertNoErrors, findingsOfSchema, findingsOfTable } from '@quire/tables';

/**
 * The tables of an Apache Pinot cluster, with documents that are checked against Quire's own rules
 * first: all findings are reported at once, and documents that the cluster would silently accept
 * are refused.
 */
export class CheckedPinotTables extends PinotTableEngine {
  readonly #clock: Clock;

  constructor(options: PinotTableEngineOptions) {
    super(options);
    this.#clock = options.clock;
  }

  override async createSchema(
    schema: TableSchemaDocument,
    options: CallOptions = {},
  ): Promise<void> {
    checkSchema(schema);
    await super.createSchema(schema, options);
  }

  override async updateSchema(
    schema: TableSchemaDocument,
    options: CallOptions = {},
  ): Promise<void> {
    checkSchema(schema);
    await super.updateSchema(schema, options);
  }

  override async createTable(
    config: TableConfigDocument,
    options: CallOptions & { readonly isPaused?: boolean } = {},
  ): Promise<TableCreated> {
    const findings = await this.#check(config, options);
    const created = await super.createTable(config, options);
    return { ...created, findings: [...findings, ...created.findings] };
  }

  override async updateTable(
    config: TableConfigDocument,
    options: CallOptions = {},
  ): Promise<TableCreated> {
    const findings = await this.#check(config, options);
    const updated = await super.updateTable(config, options);
    return { ...updated, findings: [...findings, ...updated.findings] };
  }

  override async checkTable(
    given: TableConfigDocument,
    { schema, otherConfig }: TableContext,
    options: CallOptions = {},
  ): Promise<readonly Finding[]> {
    const config = completeTableConfig(given);
    const taskTypes = await this.listTaskTypes(options);
    const context = { schema, taskTypes, otherConfig, clock: this.#clock };
    const findings = assertNoErrors(`Table ${config.tableName}`, findingsOfTable(config, context));
    return [...findings, ...(await super.checkTable(config, { schema, otherConfig }, options))];
  }

  /** Checks a table config. @throws SCHEMA_NOT_FOUND; TABLE_INVALID with all findings */
  async #check(given: TableConfigDocument, { signal }: CallOptions): Promise<readonly Finding[]> {
    const config = completeTableConfig(given);
    const { rawName } = parseTableName(config.tableName);
    const [schema, taskTypes, otherConfig] = await Promise.all([
      this.readSchema(rawName, { signal }),
      this.listTaskTypes({ signal }),
      this.#readOtherHalf(config.tableName, { signal }),
    ]);
    const context = { schema, taskTypes, otherConfig, clock: this.#clock };
    return assertNoErrors(`Table ${config.tableName}`, findingsOfTable(config, context));
  }

  async #readOtherHalf(
    tableNameWithType: string,
    options: CallOptions,
  ): Promise<TableConfigDocument | undefined> {
    const { rawName, type } = parseTableName(tableNameWithType);
    try {
      const other = `${rawName}_${type === 'OFFLINE' ? 'REALTIME' : 'OFFLINE'}`;
      return (await this.readTable(other, options)).config;
    } catch (error) {
      if (isQuireError(error, 'TABLE_NOT_FOUND', 'SCHEMA_NOT_FOUND')) return undefined;
      throw error;
    }
  }
}

function checkSchema(schema: TableSchemaDocument): void {
  assertNoErrors(`Schema ${schema.schemaName}`, findingsOfSchema(schema));
}
