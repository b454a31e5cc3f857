import type { JsonValue } from '../lossless-json.ts';
import type { CallOptions } from '../object-store.ts';
import type { Consumption, ForceCommitJob, RebalanceJob, ResumeFrom } from './consumption.ts';
import type { TableConfigDocument, TableSchemaDocument, TableType } from './documents.ts';
import type { Finding } from './finding.ts';
import type { SegmentDescription } from './segments.ts';
import type { ScheduledTasks, TaskRecord } from './tasks.ts';

/** One half of a table, as a list shows it. */
export interface TableSummary {
  readonly tableNameWithType: string;
  readonly type: TableType;
  /**
   * Whether its rows are files that the settings name: such a table can be read, and nothing else.
   */
  readonly isReadOnly: boolean;
}

/**
 * What an engine does not serve, or keeps, because its files are not what was written. An operator
 * must look.
 */
export interface TableProblem {
  readonly kind: 'table' | 'segment' | 'task' | 'job' | 'record' | 'file' | 'disk';
  /**
   * The name of the table or task, the id of the job, the segment after its table and a slash, the
   * path of the file, or the setting that names the disk.
   */
  readonly subject: string;
  /** Which file it is about, what is wrong with it, and what to do. */
  readonly problem: string;
}

/** A table with its config and schema. */
export interface TableDescription extends TableSummary {
  /** Complete, as it was given, with the type's suffix in its name. */
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
  /**
   * What is worth knowing about it, such as members of the config that have no effect on this
   * engine.
   */
  readonly findings: readonly Finding[];
}

/** The table that was created, and what validation found in its documents. */
export interface TableCreated {
  readonly tableNameWithType: string;
  readonly findings: readonly Finding[];
}

/** The names of the tenants of an engine. */
export interface Tenants {
  readonly brokerTenants: readonly string[];
  readonly serverTenants: readonly string[];
}

/** A process of the cluster that keeps the tables. */
export interface Instance {
  readonly instanceName: string;
  readonly kind: 'CONTROLLER' | 'BROKER' | 'SERVER' | 'MINION';
  readonly host: string;
  readonly port: number;
  readonly tenants: readonly string[];
  readonly isEnabled: boolean;
}

/** Rows that a caller brings for a table. */
export interface IngestRequest {
  readonly tableNameWithType: string;
  /**
   * Either the bytes of one file, or where a file is; the engine's settings say which places may be
   * read.
   */
  readonly source:
    | { readonly kind: 'bytes'; readonly name: string; readonly body: AsyncIterable<Uint8Array> }
    | { readonly kind: 'uri'; readonly uri: string };
  /** `inputFormat` and what else the batch config of a table may say. */
  readonly batchConfig: Readonly<Record<string, string>>;
}

/** The segments and rows that an ingestion has added. */
export interface Ingested {
  readonly segmentNames: readonly string[];
  readonly rowCount: number;
  readonly findings: readonly Finding[];
}

/**
 * The port to whatever keeps tables: their configs and schemas, their segments, what they consume
 * from streams, and the tasks that work on them. No HTTP and no engine's own words pass it.
 *
 * - Names of tables are with type (`flights_REALTIME`) unless the parameter says otherwise. A table
 *   that is not there is TABLE_NOT_FOUND; a call that needs the other type, or that the engine
 *   cannot do at all, is UNSUPPORTED with a sentence that says what would help. Nothing is silently
 *   left out.
 * - A change is durable when its promise resolves: it survives any crash. When the promise rejects,
 *   nothing has changed; after ENGINE_UNAVAILABLE it may be unknown which of the two holds.
 * - Every change may be asked for twice: creating what is there already with the same content,
 *   deleting what is gone, pausing what is paused are the errors that each verb names, never
 *   damage.
 * - Reading may lag behind changes by others, never behind one's own.
 * - Every sentence here has a case in the conformance suite.
 */
export interface TableEngine extends AsyncDisposable {
  /** What it is, for people and messages: `embedded`, `pinot at http://…`. */
  readonly description: string;

  /** Returns everything that is set aside, by subject; empty when all is well. */
  listProblems(options?: CallOptions): Promise<readonly TableProblem[]>;

  // Schemas

  /** Names, in ascending order. */
  listSchemas(options?: CallOptions): Promise<readonly string[]>;
  /** @throws SCHEMA_NOT_FOUND */
  readSchema(schemaName: string, options?: CallOptions): Promise<TableSchemaDocument>;
  /**
   * @throws SCHEMA_EXISTS when there is one of that name
   * @throws TABLE_INVALID, with all findings
   */
  createSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void>;
  /**
   * Replaces a schema; columns may be added.
   *
   * @throws SCHEMA_NOT_FOUND
   * @throws TABLE_INVALID when a column would go or change its type while a table uses it, or the
   * schema is not valid; with all findings
   */
  updateSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void>;
  /** @throws SCHEMA_NOT_FOUND, SCHEMA_IN_USE */
  deleteSchema(schemaName: string, options?: CallOptions): Promise<void>;

  // Tables

  /** In ascending order of their names. */
  listTables(options?: CallOptions): Promise<readonly TableSummary[]>;
  /** @throws TABLE_NOT_FOUND */
  readTable(tableNameWithType: string, options?: CallOptions): Promise<TableDescription>;
  /**
   * Makes a table; one that consumes a stream begins to.
   *
   * @throws TABLE_EXISTS, SCHEMA_NOT_FOUND, TENANT_NOT_FOUND
   * @throws TABLE_INVALID, with all findings
   */
  createTable(
    config: TableConfigDocument,
    options?: CallOptions & { readonly isPaused?: boolean },
  ): Promise<TableCreated>;
  /**
   * Replaces the config of a table. @throws TABLE_NOT_FOUND, TENANT_NOT_FOUND; TABLE_INVALID, with
   * all findings
   */
  updateTable(config: TableConfigDocument, options?: CallOptions): Promise<TableCreated>;
  /** Deletes a table and its segments, not its schema. @throws TABLE_NOT_FOUND */
  deleteTable(tableNameWithType: string, options?: CallOptions): Promise<void>;

  // Segments

  /** In ascending order of their names. @throws TABLE_NOT_FOUND */
  listSegments(
    tableNameWithType: string,
    options?: CallOptions,
  ): Promise<readonly SegmentDescription[]>;
  /**
   * @throws TABLE_NOT_FOUND, SEGMENT_NOT_FOUND; CONFLICT for a segment that is still consuming,
   * unless it is damaged
   */
  deleteSegment(
    tableNameWithType: string,
    segmentName: string,
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Rows into a new segment, all or none. @throws TABLE_NOT_FOUND; INGESTION_FAILED with what was
   * wrong, and where
   */
  ingest(request: IngestRequest, options?: CallOptions): Promise<Ingested>;
  /**
   * Rows that queries see, with segments that are still consuming.
   *
   * @throws TABLE_NOT_FOUND
   */
  countRows(tableNameWithType: string, options?: CallOptions): Promise<number>;

  // Streams: every verb throws TABLE_NOT_FOUND, and UNSUPPORTED for a table that consumes no
  // stream.

  readConsumption(tableNameWithType: string, options?: CallOptions): Promise<Consumption>;
  /**
   * Resolves once the wish is durable; partitions stop soon after, with what they have consumed
   * committed. Pausing twice is well.
   */
  pauseConsumption(
    tableNameWithType: string,
    options?: CallOptions & { readonly comment?: string },
  ): Promise<Consumption>;
  resumeConsumption(
    tableNameWithType: string,
    options?: CallOptions & { readonly from?: ResumeFrom; readonly comment?: string },
  ): Promise<Consumption>;
  /**
   * Commits the consuming segments that there are now, or those that are named. @throws
   * SEGMENT_NOT_FOUND; CONFLICT while it is paused
   */
  forceCommit(
    tableNameWithType: string,
    options?: CallOptions & {
      readonly segmentNames?: readonly string[];
      readonly partitions?: readonly number[];
    },
  ): Promise<ForceCommitJob>;
  /** @throws JOB_NOT_FOUND */
  readForceCommit(jobId: string, options?: CallOptions): Promise<ForceCommitJob>;
  /** Moves segments to where tenants and tags want them. */
  rebalance(
    tableNameWithType: string,
    options?: CallOptions & { readonly isDryRun?: boolean },
  ): Promise<RebalanceJob>;
  /** @throws JOB_NOT_FOUND */
  readRebalance(jobId: string, options?: CallOptions): Promise<RebalanceJob>;
  /** Cancels the rebalances of a table that are in progress; resolves to their ids. */
  cancelRebalance(tableNameWithType: string, options?: CallOptions): Promise<readonly string[]>;

  // The cluster

  listTenants(options?: CallOptions): Promise<Tenants>;
  listInstances(options?: CallOptions): Promise<readonly Instance[]>;

  // Tasks

  /** Types of tasks that the engine knows, in ascending order. */
  listTaskTypes(options?: CallOptions): Promise<readonly string[]>;
  /**
   * Makes the tasks that tables ask for by their configs. @throws TASK_TYPE_NOT_FOUND,
   * TABLE_NOT_FOUND
   */
  scheduleTasks(
    options?: CallOptions & {
      readonly taskType?: string | undefined;
      readonly tableNameWithType?: string | undefined;
    },
  ): Promise<ScheduledTasks>;
  /**
   * Makes one task from a config of the caller's own.
   *
   * @throws TASK_TYPE_NOT_FOUND, TABLE_NOT_FOUND
   * @throws TABLE_INVALID when the config does not suit the type, with all findings
   * @throws TASK_EXISTS when there is one of that name
   */
  executeTask(
    request: {
      readonly taskType: string;
      readonly tableNameWithType: string;
      readonly taskName?: string | undefined;
      readonly configs: Readonly<Record<string, JsonValue>>;
    },
    options?: CallOptions,
  ): Promise<TaskRecord>;
  /** Newest first, as far back as the engine keeps them. @throws TASK_TYPE_NOT_FOUND */
  listTasks(
    filter: { readonly taskType: string; readonly tableNameWithType?: string | undefined },
    options?: CallOptions,
  ): Promise<readonly TaskRecord[]>;
  /** @throws TASK_NOT_FOUND */
  readTask(taskName: string, options?: CallOptions): Promise<TaskRecord>;
  /** Whether tasks of a type are given out, or held back. @throws TASK_TYPE_NOT_FOUND */
  readTaskQueue(taskType: string, options?: CallOptions): Promise<'RUNNING' | 'STOPPED'>;
  /**
   * Holds back the tasks of a type: what runs is stopped, and goes on after `resumeTaskQueue`.
   * @throws TASK_TYPE_NOT_FOUND
   */
  stopTaskQueue(taskType: string, options?: CallOptions): Promise<void>;
  /** @throws TASK_TYPE_NOT_FOUND */
  resumeTaskQueue(taskType: string, options?: CallOptions): Promise<void>;
  /**
   * Ends a task, whatever it does, as ABORTED; nothing of what it made stays. @throws
   * TASK_NOT_FOUND; CONFLICT when it has ended already
   */
  cancelTask(taskName: string, options?: CallOptions): Promise<void>;
}
