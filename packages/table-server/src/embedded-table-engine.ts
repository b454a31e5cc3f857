import { type CallOptions, type Clock, isQuireError, QuireError, type Random } from '@quire/core';
import {
  type Consumption,
  type Finding,
  type ForceCommitJob,
  type Ingested,
  type IngestRequest,
  type Instance,
  type LiveTables,
  parseTableName,
  type PauseStatus,
  type RebalanceJob,
  type ResumeFrom,
  type ScheduledTasks,
  type SegmentDescription,
  type TableConfigDocument,
  type TableContext,
  type TableCreated,
  type TableDescription,
  type TableEngine,
  type TableProblem,
  type TableSchemaDocument,
  type TableSummary,
  type TaskRecord,
  type Tenants,
} from '@quire/core/table-engine';
import type { ForceCommits } from './consumption/force-commits.ts';
import type { StreamConsumer } from './served-table.ts';
import { assertDirectory, writeOfTables } from './directory/disk-problem.ts';
import type { EmbeddedTableEngineOptions } from './embedded-table-engine-options.ts';
import { ingestFiles } from './ingest-files.ts';
import { DirectoryTables } from './queries/directory-tables.ts';
import { type EngineParts, openParts } from './open-parts.ts';
import { tableProblems } from './table-problems.ts';
import type { TableRegistry } from './table-registry.ts';
import type { TaskEngine } from './tasks/task-engine.ts';
import { taskTypes } from './tasks/task-types.ts';
import { describeDamage } from './segments/verify-file.ts';
import type { Scrub } from './upkeep/scrub.ts';
import type { Upkeep } from './upkeep/upkeep.ts';

/**
 * The tables of one machine: configs, schemas and segments in a directory, and rows in Parquet
 * files that queries read.
 */
export class EmbeddedTableEngine implements TableEngine {
  readonly description: string;
  /** The tables for queries in this process. */
  readonly liveTables: LiveTables;
  readonly #options: EmbeddedTableEngineOptions;
  readonly #registry: TableRegistry;
  readonly #forceCommits: ForceCommits;
  readonly #upkeep: Upkeep;
  readonly #scrub: Scrub;
  readonly #tasks: TaskEngine;
  readonly #parts: EngineParts;

  private constructor(options: EmbeddedTableEngineOptions, parts: EngineParts) {
    this.#options = options;
    this.#registry = parts.registry;
    this.#forceCommits = parts.forceCommits;
    this.#upkeep = parts.upkeep;
    this.#tasks = parts.tasks;
    this.#parts = parts;
    this.#scrub = parts.scrub;
    this.description = `embedded in ${options.dataDirectory}`;
    this.liveTables = new DirectoryTables(options.dataDirectory);
  }

  /**
   * Opens the directory, and creates it if it does not exist.
   *
   * @throws INVALID_SETTING when another server has it open
   */
  static async open(options: EmbeddedTableEngineOptions): Promise<EmbeddedTableEngine> {
    return new EmbeddedTableEngine(options, await openParts(options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks[Symbol.asyncDispose]();
    await this.#scrub[Symbol.asyncDispose]();
    await this.#upkeep[Symbol.asyncDispose]();
    await this.#registry[Symbol.asyncDispose]();
    await this.#parts.lock[Symbol.asyncDispose]();
  }

  /**
   * Deletes everything in the trash to free its space. Resolves to the number of deleted files and
   * directories.
   */
  emptyTrash(): Promise<number> {
    return this.#upkeep.emptyTrash();
  }

  async listProblems(): Promise<readonly TableProblem[]> {
    const others = [...this.#tasks.problems, ...this.#forceCommits.problems];
    const { damaged, unexplained } = this.#upkeep;
    const [segments, diskProblem] = [this.#scrub.damaged, this.#parts.space.problem];
    return tableProblems({
      setAside: this.#registry.setAside,
      damaged,
      segments,
      unexplained,
      diskProblem,
      others,
    });
  }

  // Schemas

  listSchemas(): Promise<readonly string[]> {
    return this.#registry.schemas.list();
  }

  readSchema(schemaName: string): Promise<TableSchemaDocument> {
    return this.#registry.schemas.read(schemaName);
  }

  createSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void> {
    return this.#write(() => this.#registry.createSchema(schema, options));
  }

  updateSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void> {
    return this.#write(() => this.#registry.updateSchema(schema, options));
  }

  deleteSchema(schemaName: string, options?: CallOptions): Promise<void> {
    return this.#free(() => this.#registry.deleteSchema(schemaName, options));
  }

  // Tables

  async listTables(): Promise<readonly TableSummary[]> {
    const names = [
      ...this.#registry.tables.map(({ name }) => name),
      ...this.#registry.setAside.keys(),
    ].toSorted();
    return names.map((tableNameWithType) => {
      return {
        tableNameWithType,
        type: parseTableName(tableNameWithType).type ?? 'OFFLINE',
        isReadOnly: false,
      };
    });
  }

  async readTable(tableNameWithType: string): Promise<TableDescription> {
    const table = this.#registry.get(tableNameWithType);
    const { config, findings } = table.record;
    const schema = await this.#registry.schemas.read(table.rawName);
    return { tableNameWithType, type: table.type, isReadOnly: false, config, schema, findings };
  }

  createTable(
    config: TableConfigDocument,
    options?: CallOptions & { readonly isPaused?: boolean },
  ): Promise<TableCreated> {
    return this.#write(() => this.#registry.create(config, options));
  }

  updateTable(config: TableConfigDocument, options?: CallOptions): Promise<TableCreated> {
    return this.#write(() => this.#registry.update(config, options));
  }

  checkTable(config: TableConfigDocument, context: TableContext): Promise<readonly Finding[]> {
    return this.#registry.check(config, context);
  }

  deleteTable(tableNameWithType: string, options?: CallOptions): Promise<void> {
    return this.#free(() => this.#registry.delete(tableNameWithType, options));
  }

  // Segments

  async listSegments(tableNameWithType: string): Promise<readonly SegmentDescription[]> {
    const table = this.#registry.get(tableNameWithType);
    const { name } = table;
    const damaged = new Map(
      this.#scrub.damaged
        .filter(({ tableName }) => tableName === name)
        .map((damage) => [damage.segmentName, damage]),
    );
    return table.listSegments().map((segment) => {
      const damage = damaged.get(segment.segmentName);
      return damage === undefined
        ? segment
        : { ...segment, problem: describeDamage(name, damage.problem) };
    });
  }

  async deleteSegment(tableNameWithType: string, segmentName: string): Promise<void> {
    await this.#free(() => this.#registry.get(tableNameWithType).deleteSegment(segmentName));
  }

  async ingest(request: IngestRequest, options?: CallOptions): Promise<Ingested> {
    const table = this.#registry.get(request.tableNameWithType);
    if (table.type === 'REALTIME') {
      throw new QuireError(
        'UNSUPPORTED',
        `${table.name} is filled from a stream: load files into its OFFLINE half.`,
      );
    }
    const { clock, random, finder, uploadDirectory, rowBytesMax } = this.#options;
    const signals = [
      this.#registry.closing,
      ...(options?.signal === undefined ? [] : [options.signal]),
    ];
    const schema = await this.#registry.schemas.read(table.rawName);
    const ingestion = {
      table,
      schema,
      clock,
      random,
      finder,
      uploadDirectory,
      rowBytesMax,
      signal: AbortSignal.any(signals),
    };
    return this.#write(async () => {
      try {
        return await ingestFiles(request, ingestion);
      } catch (error) {
        // The directory of a table that was deleted in the meantime may be gone as well.
        table.segments.assertOpen();
        throw error;
      }
    });
  }

  async countRows(tableNameWithType: string): Promise<number> {
    const table = this.#registry.get(tableNameWithType);
    const [relation] = await this.liveTables.resolve([table.name]);
    return relation?.rowCount ?? 0;
  }

  // Streams

  async readConsumption(tableNameWithType: string, options?: CallOptions): Promise<Consumption> {
    return (await this.#consumerOf(tableNameWithType)).read(options);
  }

  async readPauseStatus(tableNameWithType: string): Promise<PauseStatus> {
    return (await this.#consumerOf(tableNameWithType)).readPauseStatus();
  }

  async pauseConsumption(
    tableNameWithType: string,
    options?: CallOptions & { readonly comment?: string },
  ): Promise<PauseStatus> {
    return this.#onConsumer(tableNameWithType, async (consumer) => {
      await this.#free(() => consumer.pause(options?.comment));
      return await consumer.readPauseStatus();
    });
  }

  async resumeConsumption(
    tableNameWithType: string,
    options?: CallOptions & { readonly from?: ResumeFrom; readonly comment?: string },
  ): Promise<PauseStatus> {
    const from = options?.from ?? 'lastConsumed';
    return this.#onConsumer(tableNameWithType, async (consumer) => {
      await this.#write(() => consumer.resume(from, options?.comment, options));
      return await consumer.readPauseStatus();
    });
  }

  async forceCommit(
    tableNameWithType: string,
    options?: CallOptions & {
      readonly segmentNames?: readonly string[];
      readonly partitions?: readonly number[];
    },
  ): Promise<ForceCommitJob> {
    await this.#consumerOf(tableNameWithType);
    return this.#write(() =>
      this.#forceCommits.submit(this.#registry.get(tableNameWithType), options),
    );
  }

  async readForceCommit(jobId: string): Promise<ForceCommitJob> {
    return this.#forceCommits.read(jobId);
  }

  async rebalance(tableNameWithType: string): Promise<RebalanceJob> {
    const table = this.#registry.get(tableNameWithType);
    return noRebalance(table.name, this.#options);
  }

  async readRebalance(jobId: string): Promise<RebalanceJob> {
    throw new QuireError(
      'JOB_NOT_FOUND',
      `Rebalance job ${jobId.slice(0, 200)} does not exist: there was nothing to move.`,
    );
  }

  async cancelRebalance(tableNameWithType: string): Promise<readonly string[]> {
    this.#registry.get(tableNameWithType);
    return [];
  }

  // The cluster

  async listTenants(): Promise<Tenants> {
    const { tenants } = this.#options;
    return { brokerTenants: tenants, serverTenants: tenants };
  }

  async listInstances(): Promise<readonly Instance[]> {
    const { host, tenants } = this.#options;
    return [
      {
        instanceName: this.#parts.instanceName,
        kind: 'SERVER',
        host,
        port: 0,
        tenants,
        isEnabled: true,
      },
    ];
  }

  // Tasks

  async listTaskTypes(): Promise<readonly string[]> {
    return taskTypes;
  }

  async scheduleTasks(
    options: Parameters<TableEngine['scheduleTasks']>[0] = {},
  ): Promise<ScheduledTasks> {
    return this.#write(() => this.#tasks.schedule(options));
  }

  async executeTask(request: Parameters<TableEngine['executeTask']>[0]): Promise<TaskRecord> {
    return this.#write(() => this.#tasks.execute(request));
  }

  async listTasks(filter: Parameters<TableEngine['listTasks']>[0]): Promise<readonly TaskRecord[]> {
    return this.#tasks.list(filter);
  }

  async readTask(taskName: string): Promise<TaskRecord> {
    return this.#tasks.read(taskName);
  }

  async readTaskQueue(taskType: string): Promise<'RUNNING' | 'STOPPED'> {
    return this.#tasks.readQueue(taskType);
  }

  async stopTaskQueue(taskType: string): Promise<void> {
    await this.#free(() => this.#tasks.setQueue(taskType, 'STOPPED'));
  }

  async resumeTaskQueue(taskType: string): Promise<void> {
    await this.#write(() => this.#tasks.setQueue(taskType, 'RUNNING'));
  }

  async cancelTask(taskName: string): Promise<void> {
    await this.#free(() => this.#tasks.cancel(taskName));
  }

  /**
   * Runs an operation that writes to the disk of the tables. @throws STORE_FULL when it is full,
   * STORE_UNAVAILABLE when it is read-only or missing
   */
  async #write<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      // Some deletions of what is not there would succeed.
      await assertDirectory(this.#options.dataDirectory);
      return await writeOfTables(act);
    } catch (error) {
      this.#parts.space.note(error);
      throw error;
    }
  }

  /** Runs an operation that frees space, or stops its use, even on a full disk. */
  #free<Result>(act: () => Promise<Result>): Promise<Result> {
    return this.#write(() => this.#parts.space.free(act));
  }

  /**
   * Runs an action on the consumer of a table. If a change of the table has closed that consumer,
   * the action runs on the next one. @throws as `#consumerOf`
   */
  async #onConsumer<Result>(
    tableNameWithType: string,
    act: (consumer: StreamConsumer) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await act(await this.#consumerOf(tableNameWithType));
    } catch (error) {
      if (!isQuireError(error, 'SHUTTING_DOWN') || this.#registry.closing.aborted) throw error;
      await this.#registry.settled();
      return await act(await this.#consumerOf(tableNameWithType));
    }
  }

  /** @throws TABLE_NOT_FOUND, UNSUPPORTED */
  async #consumerOf(tableNameWithType: string): Promise<StreamConsumer> {
    const { consumer: known, record } = this.#registry.get(tableNameWithType);
    // A table that is being opened has none yet.
    if (known === undefined && record.config.tableType === 'REALTIME') {
      await this.#registry.settled();
    }
    const { name, consumer } = this.#registry.get(tableNameWithType);
    if (consumer !== undefined) return consumer;
    throw new QuireError('UNSUPPORTED', `${name} consumes no stream: only real-time tables do.`);
  }
}

/** Returns the result of every rebalance on one machine. */
function noRebalance(
  tableNameWithType: string,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): RebalanceJob {
  const nowMs = clock.nowMs();
  return {
    jobId: Buffer.from(random.bytes(16)).toString('hex'),
    tableNameWithType,
    status: 'NO_OP',
    startedMs: nowMs,
    endedMs: nowMs,
    description: 'All tenants share the directory of this one server: there is nothing to move.',
    segmentsToMoveCount: 0,
    segmentsMovedCount: 0,
  };
}
