import { type CallOptions, type Query, QuireError, type Random } from '@quire/core';
import type {
  Finding,
  ForceCommitJob,
  IngestRequest,
  Instance,
  RebalanceJob,
  ResumeFrom,
  TableConfigDocument,
  TableContext,
  TableCreated,
  TableEngine,
  TableProblem,
  TableSchemaDocument,
} from '@quire/core/table-engine';
import { Controller } from '../http/controller.ts';
import { PinotHttp } from '../http/pinot-http.ts';
import { PinotEngine, type PinotEngineOptions } from '../query/pinot-engine.ts';
import { AdminCalls, numberIn, serversMaxMs, textIn } from './admin-calls.ts';
import { forceCommit, pauseConsumption, readForceCommit, resumeConsumption } from './commits.ts';
import { readConsumption, readPauseStatus } from './consumption.ts';
import { Rebalances } from './rebalances.ts';
import { deleteSegment, ingest, listSegments } from './segments.ts';
import {
  assertTenants,
  completeTableConfig,
  createTable,
  deleteTable,
  listTables,
  readConfig,
  readSchema,
  readTable,
  readTenants,
  updateTable,
} from './table-configs.ts';
import {
  executeTask,
  listTasks,
  listTaskTypes,
  readTask,
  readTaskQueue,
  scheduleTasks,
  setTaskQueueState,
} from './tasks.ts';
import { whileItExists } from './views.ts';

/** The cluster of a `PinotTableEngine`, and the options of calls to it. */
export interface PinotTableEngineOptions extends PinotEngineOptions {
  readonly random: Random;
}

const countTimeoutMs = 60_000;
const kinds = {
  Controller: 'CONTROLLER',
  Broker: 'BROKER',
  Server: 'SERVER',
  Minion: 'MINION',
} as const;

/** Manages the tables of an Apache Pinot cluster, through its controller. */
export class PinotTableEngine implements TableEngine {
  readonly #http: PinotHttp;
  readonly #calls: AdminCalls;
  readonly #queries: PinotEngine;
  readonly #rebalances: Rebalances;

  constructor(options: PinotTableEngineOptions) {
    this.#http = new PinotHttp(options);
    this.#calls = new AdminCalls(new Controller(this.#http, options.controllerUrls));
    this.#queries = new PinotEngine(options);
    this.#rebalances = new Rebalances(this.#calls);
  }

  get description(): string {
    return `pinot at ${this.#calls.url}`;
  }

  listSchemas(options: CallOptions = {}) {
    return this.#calls.names({ method: 'GET', path: '/schemas', errors: {} }, options);
  }

  readSchema(schemaName: string, options: CallOptions = {}) {
    return readSchema(this.#calls, schemaName, options);
  }

  async createSchema(schema: TableSchemaDocument, options: CallOptions = {}): Promise<void> {
    const errors = { 400: 'TABLE_INVALID', 409: 'SCHEMA_EXISTS' } as const;
    const parameters = { override: 'false' };
    await this.#calls.call(
      { method: 'POST', path: '/schemas', parameters, body: schema, errors },
      options,
    );
  }

  async updateSchema(schema: TableSchemaDocument, options: CallOptions = {}): Promise<void> {
    const path = `/schemas/${encodeURIComponent(schema.schemaName)}`;
    const errors = { 400: 'TABLE_INVALID', 404: 'SCHEMA_NOT_FOUND' } as const;
    await this.#calls.call({ method: 'PUT', path, body: schema, errors }, options);
  }

  async deleteSchema(schemaName: string, options: CallOptions = {}): Promise<void> {
    const path = `/schemas/${encodeURIComponent(schemaName)}`;
    const errors = { 404: 'SCHEMA_NOT_FOUND', 409: 'SCHEMA_IN_USE' } as const;
    await this.#calls.call({ method: 'DELETE', path, errors }, options);
  }

  listTables(options: CallOptions = {}) {
    return listTables(this.#calls, options);
  }

  readTable(tableNameWithType: string, options: CallOptions = {}) {
    return readTable(this.#calls, tableNameWithType, options);
  }

  /**
   * Creates a table. A cluster always creates tables that consume, so one that is requested as
   * paused is paused immediately afterwards.
   */
  async createTable(
    config: TableConfigDocument,
    { isPaused = false, ...options }: CallOptions & { readonly isPaused?: boolean } = {},
  ): Promise<TableCreated> {
    const created = await createTable(this.#calls, config, options);
    if (isPaused) await this.pauseConsumption(created.tableNameWithType, options);
    return created;
  }

  updateTable(config: TableConfigDocument, options: CallOptions = {}) {
    return updateTable(this.#calls, config, options);
  }

  /** Checks the tenants only: Apache Pinot checks the rest when the table is written. */
  async checkTable(
    config: TableConfigDocument,
    _context: TableContext,
    options: CallOptions = {},
  ): Promise<readonly Finding[]> {
    await assertTenants(this.#calls, completeTableConfig(config), options);
    return [];
  }

  deleteTable(tableNameWithType: string, options: CallOptions = {}) {
    return deleteTable(this.#calls, tableNameWithType, options);
  }

  listSegments(tableNameWithType: string, options: CallOptions = {}) {
    const count = (name: string): Promise<ReadonlyMap<string, number>> =>
      this.#countBySegment(name, options);
    return whileItExists(this.#calls, tableNameWithType, options, () =>
      listSegments(this.#calls, tableNameWithType, count, options),
    );
  }

  deleteSegment(tableNameWithType: string, segmentName: string, options: CallOptions = {}) {
    return deleteSegment(this.#calls, tableNameWithType, segmentName, options);
  }

  ingest(request: IngestRequest, options: CallOptions = {}) {
    return ingest(this.#calls, request, options);
  }

  async countRows(tableNameWithType: string, options: CallOptions = {}): Promise<number> {
    await readConfig(this.#calls, tableNameWithType, options);
    const [[count] = []] = await this.#ask(
      `SELECT count(*) FROM ${quoted(tableNameWithType)}`,
      options,
    );
    return Number(count ?? 0);
  }

  readConsumption(tableNameWithType: string, options: CallOptions = {}) {
    return whileItExists(this.#calls, tableNameWithType, options, () =>
      readConsumption(this.#calls, tableNameWithType, options),
    );
  }

  readPauseStatus(tableNameWithType: string, options: CallOptions = {}) {
    return readPauseStatus(this.#calls, tableNameWithType, options);
  }

  pauseConsumption(
    tableNameWithType: string,
    options: CallOptions & { readonly comment?: string } = {},
  ) {
    return pauseConsumption(this.#calls, tableNameWithType, options);
  }

  resumeConsumption(
    tableNameWithType: string,
    options: CallOptions & { readonly from?: ResumeFrom; readonly comment?: string } = {},
  ) {
    return resumeConsumption(this.#calls, tableNameWithType, options);
  }

  forceCommit(
    tableNameWithType: string,
    options: CallOptions & {
      readonly segmentNames?: readonly string[];
      readonly partitions?: readonly number[];
    } = {},
  ): Promise<ForceCommitJob> {
    return forceCommit(this.#calls, tableNameWithType, options);
  }

  readForceCommit(jobId: string, options: CallOptions = {}) {
    return readForceCommit(this.#calls, jobId, options);
  }

  rebalance(
    tableNameWithType: string,
    options: CallOptions & { readonly isDryRun?: boolean } = {},
  ): Promise<RebalanceJob> {
    return this.#rebalances.start(tableNameWithType, options);
  }

  readRebalance(jobId: string, options: CallOptions = {}) {
    return this.#rebalances.read(jobId, options);
  }

  cancelRebalance(tableNameWithType: string, options: CallOptions = {}) {
    return this.#rebalances.cancel(tableNameWithType, options);
  }

  listTenants(options: CallOptions = {}) {
    return readTenants(this.#calls, options);
  }

  /** Returns no problems, because the cluster manages its files itself. */
  async listProblems(): Promise<readonly TableProblem[]> {
    return [];
  }

  async listInstances(options: CallOptions = {}): Promise<readonly Instance[]> {
    const { instances } = await this.#calls.object(
      { method: 'GET', path: '/instances', errors: {} },
      options,
    );
    const names = Array.isArray(instances) ? instances.map(String).toSorted() : [];
    return Promise.all(names.map((name) => this.#readInstance(name, options)));
  }

  listTaskTypes(options: CallOptions = {}) {
    return listTaskTypes(this.#calls, options);
  }

  scheduleTasks(options: Parameters<TableEngine['scheduleTasks']>[0] = {}) {
    return scheduleTasks(this.#calls, options);
  }

  executeTask(request: Parameters<TableEngine['executeTask']>[0], options: CallOptions = {}) {
    return executeTask(this.#calls, request, options);
  }

  listTasks(filter: Parameters<TableEngine['listTasks']>[0], options: CallOptions = {}) {
    return listTasks(this.#calls, filter, options);
  }

  readTask(taskName: string, options: CallOptions = {}) {
    return readTask(this.#calls, taskName, options);
  }

  readTaskQueue(taskType: string, options: CallOptions = {}) {
    return readTaskQueue(this.#calls, taskType, options);
  }

  stopTaskQueue(taskType: string, options: CallOptions = {}) {
    return setTaskQueueState(this.#calls, taskType, 'stop', options);
  }

  resumeTaskQueue(taskType: string, options: CallOptions = {}) {
    return setTaskQueueState(this.#calls, taskType, 'resume', options);
  }

  async cancelTask(taskName: string, options: CallOptions = {}): Promise<void> {
    const { taskType } = await readTask(this.#calls, taskName, options);
    throw new QuireError(
      'UNSUPPORTED',
      `Apache Pinot cannot cancel a single task; stop the queue of ${taskType}, and delete the task in the cluster.`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queries[Symbol.asyncDispose]();
    await this.#http[Symbol.asyncDispose]();
  }

  async #readInstance(instanceName: string, options: CallOptions): Promise<Instance> {
    const path = `/instances/${encodeURIComponent(instanceName)}`;
    const answer = await this.#calls.object({ method: 'GET', path, errors: {} }, options);
    const kind = kinds[instanceName.split('_', 1)[0] as keyof typeof kinds];
    const tags = Array.isArray(answer['tags']) ? answer['tags'].map(String) : [];
    return {
      instanceName,
      kind,
      host: textIn(answer, 'hostName'),
      port: numberIn(answer, 'port') ?? 0,
      tenants: [
        ...new Set(tags.map((tag) => tag.replace(/_(?:OFFLINE|REALTIME|BROKER)$/, ''))),
      ].toSorted(),
      isEnabled: answer['enabled'] === true,
    };
  }

  async #countBySegment(
    tableNameWithType: string,
    options: CallOptions,
  ): Promise<ReadonlyMap<string, number>> {
    const name = quoted(tableNameWithType);
    const rows = await this.#ask(
      `SELECT $segmentName, count(*) FROM ${name} GROUP BY $segmentName LIMIT 1000000`,
      { ...options, timeoutMs: serversMaxMs },
    );
    return new Map(rows.map(([segment, count]) => [String(segment as string), Number(count)]));
  }

  async #ask(
    sql: string,
    { signal, timeoutMs = countTimeoutMs }: CallOptions & { readonly timeoutMs?: number },
  ): Promise<readonly (readonly unknown[])[]> {
    const query: Query = { sql };
    await using execution = await this.#queries.execute(query, {
      signal,
      limits: { timeoutMs },
    });
    const rows: unknown[][] = [];
    for await (const batch of execution.batches) {
      for (let row = 0; row < batch.numRows; row += 1) {
        rows.push(
          execution.schema.fields.map((_, column) => batch.getChildAt(column)?.get(row) as unknown),
        );
      }
    }
    return rows;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
