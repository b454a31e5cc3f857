import type { JsonValue } from '../lossless-json.ts';
import type { CallOptions } from '../object-store.ts';
import type {
  Consumption,
  ForceCommitJob,
  PauseStatus,
  RebalanceJob,
  ResumeFrom,
} from './consumption.ts';
import type { TableConfigDocument, TableSchemaDocument, TableType } from './documents.ts';
import type { Finding } from './finding.ts';
import type { SegmentDescription } from './segments.ts';
import type { ScheduledTasks, TaskRecord } from './tasks.ts';

/** One half of a table, as a list shows it. */
export interface TableSummary {
  readonly tableNameWithType: string;
  readonly type: TableType;
  /** True if its rows are files named by the settings: such a table can only be read. */
  readonly isReadOnly: boolean;
}

/**
 * An object that an engine does not serve, or has set aside, because its files are damaged. An
 * operator must investigate.
 */
export interface TableProblem {
  readonly kind: 'table' | 'segment' | 'task' | 'job' | 'record' | 'file' | 'disk';
  /**
   * The name of the table or task, the job id, the segment as table and segment name separated by a
   * slash, the path of the file, or the setting that names the disk.
   */
  readonly subject: string;
  /** The affected file, its problem and the remedy. */
  readonly problem: string;
}

/** A table with its config and schema. */
export interface TableDescription extends TableSummary {
  /** The complete config, as it was given, with the type's suffix in its name. */
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
  /** Notices about the table, such as config members that have no effect on this engine. */
  readonly findings: readonly Finding[];
}

/** The table that was created, and the findings of the validation. */
export interface TableCreated {
  readonly tableNameWithType: string;
  readonly findings: readonly Finding[];
}

/** The names of the tenants of an engine. */
export interface Tenants {
  readonly brokerTenants: readonly string[];
  readonly serverTenants: readonly string[];
}

/** A process of the cluster that serves the tables. */
export interface Instance {
  readonly instanceName: string;
  readonly kind: 'CONTROLLER' | 'BROKER' | 'SERVER' | 'MINION';
  readonly host: string;
  readonly port: number;
  readonly tenants: readonly string[];
  readonly isEnabled: boolean;
}

/** Rows to ingest into a table. */
export interface IngestRequest {
  readonly tableNameWithType: string;
  /**
   * The bytes of one file, or its location; the engine's settings say which locations may be read.
   */
  readonly source:
    | { readonly kind: 'bytes'; readonly name: string; readonly body: AsyncIterable<Uint8Array> }
    | { readonly kind: 'uri'; readonly uri: string };
  /** `inputFormat` and other options of a table's batch config. */
  readonly batchConfig: Readonly<Record<string, string>>;
}

/** The segments and rows that an ingestion has added. */
export interface Ingested {
  readonly segmentNames: readonly string[];
  readonly rowCount: number;
  readonly findings: readonly Finding[];
}

/** The documents that a table config is checked with. */
export interface TableContext {
  readonly schema: TableSchemaDocument;
  /** The config of the other half, if there is one. */
  readonly otherConfig: TableConfigDocument | undefined;
}

/**
 * The port to table engines: their configs and schemas, segments, stream consumption and tasks. It
 * has no HTTP and no engine-specific terms.
 *
 * - Table names include the type (`flights_REALTIME`) unless the parameter says otherwise. A
 *   missing table is TABLE_NOT_FOUND. A call that needs the other type, or that the engine does not
 *   support, is UNSUPPORTED with a sentence that says what would help. Nothing is silently omitted.
 * - A change is durable when its promise resolves: it survives any crash. When the promise rejects,
 *   nothing has changed; after ENGINE_UNAVAILABLE the outcome may be unknown.
 * - Every change may be repeated: creating an identical thing, deleting a missing one or pausing a
 *   paused one fails with the error that each verb names, and does no harm.
 * - Reads may lag behind changes of other callers, never behind the caller's own.
 * - Every sentence here has a case in the conformance suite.
 */
export interface TableEngine extends AsyncDisposable {
  /** A description for display: `embedded`, `pinot at http://…`. */
  readonly description: string;

  /** Returns everything that was set aside, by subject; empty if there is nothing. */
  listProblems(options?: CallOptions): Promise<readonly TableProblem[]>;

  // Schemas

  /** Returns the names in ascending order. */
  listSchemas(options?: CallOptions): Promise<readonly string[]>;
  /** @throws SCHEMA_NOT_FOUND */
  readSchema(schemaName: string, options?: CallOptions): Promise<TableSchemaDocument>;
  /**
   * Creates a schema.
   *
   * @throws SCHEMA_EXISTS when a schema has that name
   * @throws TABLE_INVALID, with all findings
   */
  createSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void>;
  /**
   * Replaces a schema; columns may be added.
   *
   * @throws SCHEMA_NOT_FOUND
   * @throws TABLE_INVALID when a column would be removed or change its type while a table uses it,
   *   or the schema is not valid; with all findings
   */
  updateSchema(schema: TableSchemaDocument, options?: CallOptions): Promise<void>;
  /** @throws SCHEMA_NOT_FOUND, SCHEMA_IN_USE */
  deleteSchema(schemaName: string, options?: CallOptions): Promise<void>;

  // Tables

  /** Returns the tables in ascending order of their names. */
  listTables(options?: CallOptions): Promise<readonly TableSummary[]>;
  /** @throws TABLE_NOT_FOUND */
  readTable(tableNameWithType: string, options?: CallOptions): Promise<TableDescription>;
  /**
   * Creates a table; one with a stream starts consuming it.
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
  /**
   * Checks a config as `createTable` and `updateTable` do, with documents that need not be stored
   * yet. Changes nothing.
   *
   * @throws TENANT_NOT_FOUND, STREAM_INVALID; TABLE_INVALID, with all findings
   */
  checkTable(
    config: TableConfigDocument,
    context: TableContext,
    options?: CallOptions,
  ): Promise<readonly Finding[]>;
  /** Deletes a table and its segments, but not its schema. @throws TABLE_NOT_FOUND */
  deleteTable(tableNameWithType: string, options?: CallOptions): Promise<void>;

  // Segments

  /** Returns the segments in ascending order of their names. @throws TABLE_NOT_FOUND */
  listSegments(
    tableNameWithType: string,
    options?: CallOptions,
  ): Promise<readonly SegmentDescription[]>;
  /**
   * Deletes a segment. @throws TABLE_NOT_FOUND, SEGMENT_NOT_FOUND; CONFLICT for a segment that is
   * still consuming, unless it is damaged
   */
  deleteSegment(
    tableNameWithType: string,
    segmentName: string,
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Ingests rows into a new segment, all or none. @throws TABLE_NOT_FOUND; INVALID_PARAMETER for an
   * unknown option; INGESTION_FAILED with the problem and its position
   */
  ingest(request: IngestRequest, options?: CallOptions): Promise<Ingested>;
  /**
   * Counts the rows that queries see, including segments that are still consuming.
   *
   * @throws TABLE_NOT_FOUND
   */
  countRows(tableNameWithType: string, options?: CallOptions): Promise<number>;

  // Streams: every verb throws TABLE_NOT_FOUND, and UNSUPPORTED for a table without a stream.

  readConsumption(tableNameWithType: string, options?: CallOptions): Promise<Consumption>;
  /** Waits neither for the stream nor for servers that consume it. */
  readPauseStatus(tableNameWithType: string, options?: CallOptions): Promise<PauseStatus>;
  /**
   * Resolves once the request is durable. Partitions stop soon after, and commit what they have
   * consumed. Pausing a paused table is allowed.
   */
  pauseConsumption(
    tableNameWithType: string,
    options?: CallOptions & { readonly comment?: string },
  ): Promise<PauseStatus>;
  resumeConsumption(
    tableNameWithType: string,
    options?: CallOptions & { readonly from?: ResumeFrom; readonly comment?: string },
  ): Promise<PauseStatus>;
  /**
   * Commits the current consuming segments, or those that are named. @throws SEGMENT_NOT_FOUND;
   * CONFLICT while it is paused
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
  /** Moves segments to the servers that tenants and tags require. */
  rebalance(
    tableNameWithType: string,
    options?: CallOptions & { readonly isDryRun?: boolean },
  ): Promise<RebalanceJob>;
  /** @throws JOB_NOT_FOUND */
  readRebalance(jobId: string, options?: CallOptions): Promise<RebalanceJob>;
  /** Cancels the rebalances of a table in progress; resolves to their ids. */
  cancelRebalance(tableNameWithType: string, options?: CallOptions): Promise<readonly string[]>;

  // The cluster

  listTenants(options?: CallOptions): Promise<Tenants>;
  listInstances(options?: CallOptions): Promise<readonly Instance[]>;

  // Tasks

  /** Returns the task types that the engine knows, in ascending order. */
  listTaskTypes(options?: CallOptions): Promise<readonly string[]>;
  /** Creates the tasks that table configs request. @throws TASK_TYPE_NOT_FOUND, TABLE_NOT_FOUND */
  scheduleTasks(
    options?: CallOptions & {
      readonly taskType?: string | undefined;
      readonly tableNameWithType?: string | undefined;
    },
  ): Promise<ScheduledTasks>;
  /**
   * Creates one task from a config of the caller.
   *
   * @throws TASK_TYPE_NOT_FOUND, TABLE_NOT_FOUND
   * @throws TABLE_INVALID when the config does not fit the type, with all findings
   * @throws TASK_EXISTS when a task has that name
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
  /**
   * Returns the tasks newest first, as far back as the engine keeps them. @throws
   * TASK_TYPE_NOT_FOUND
   */
  listTasks(
    filter: { readonly taskType: string; readonly tableNameWithType?: string | undefined },
    options?: CallOptions,
  ): Promise<readonly TaskRecord[]>;
  /** @throws TASK_NOT_FOUND */
  readTask(taskName: string, options?: CallOptions): Promise<TaskRecord>;
  /** Reports whether the queue of a task type is running or stopped. @throws TASK_TYPE_NOT_FOUND */
  readTaskQueue(taskType: string, options?: CallOptions): Promise<'RUNNING' | 'STOPPED'>;
  /**
   * Stops the queue of a task type: running tasks are stopped, and continue after
   * `resumeTaskQueue`.
   * @throws TASK_TYPE_NOT_FOUND
   */
  stopTaskQueue(taskType: string, options?: CallOptions): Promise<void>;
  /** @throws TASK_TYPE_NOT_FOUND */
  resumeTaskQueue(taskType: string, options?: CallOptions): Promise<void>;
  /**
   * Cancels a task in any state, which becomes ABORTED, and removes everything it created. @throws
   * TASK_NOT_FOUND; CONFLICT when it has already finished
   */
  cancelTask(taskName: string, options?: CallOptions): Promise<void>;
}
