import { QuireError } from '@quire/core/portable';
import {
  type AdminRouteName,
  adminRoutes,
  clusterPatterns,
  type RestreamResponse,
  type TaskDebug,
} from '@quire/core/wire';
import {
  decodeFileTables,
  decodeNames,
  decodeRestream,
  decodeSettings,
  decodeTableSizes,
  decodeTaskDebug,
  type FileTable,
  type ForceCommitProgress,
  type IngestedFile,
  type SettingInForce,
  type TableSize,
} from './admin-answers.ts';
import { defaultQueryTimeoutMs, openSender, type QuireClientOptions } from './client-options.ts';
import type { HttpRequest, HttpSender } from './http.ts';
import {
  expectArray,
  expectInteger,
  expectObject,
  expectString,
  type JsonObject,
} from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';
import { sendForJson, type SignalOptions } from './result-calls.ts';

/** The options of a rebuild; the server chooses absent members. */
export interface RestreamRequest {
  readonly destTableNameWithType: string;
  readonly destServerTenant?: string | undefined;
  readonly destBrokerTenant?: string | undefined;
  readonly debugPause?: boolean | undefined;
  readonly maxTableStreamLag?: number | undefined;
  readonly maxRebalanceTimeMin?: number | undefined;
}

/** The tasks that a call has scheduled, and the reasons why others were not. */
export interface ScheduledTaskNames {
  readonly taskNames: readonly string[];
  /** The reasons why tables got no task. */
  readonly skipped: readonly string[];
  /** The errors that occurred while tasks were created. */
  readonly errors: readonly string[];
}

type Call = Pick<HttpRequest, 'query' | 'body' | 'signal' | 'headersTimeoutMs'> & {
  readonly path?: Readonly<Record<string, string>>;
};

/**
 * A client of one controller for tables, streams, tasks and restreams. Changes are for admins and
 * are sent once; reads are retried automatically. Errors are those of `QuireClient`.
 */
export class QuireAdminClient {
  readonly #http: HttpSender;
  readonly #uploadTimeoutMs: number;

  /**
   * Creates a client.
   *
   * @throws INVALID_PARAMETER when `baseUrl` is not an http or https URL, or another option is not
   *   valid
   */
  constructor(options: Omit<QuireClientOptions, 'integers' | 'dates'>) {
    this.#http = openSender(options);
    this.#uploadTimeoutMs = options.queryTimeoutMs ?? defaultQueryTimeoutMs;
  }

  /**
   * Returns the settings of the controller, or of a broker by its address in `/cluster/health`; for
   * admins. Secrets are hidden. @throws INVALID_PARAMETER for an unknown broker; FORBIDDEN
   */
  async readSettings({
    broker,
    signal,
  }: SignalOptions & { readonly broker?: string | undefined } = {}): Promise<
    readonly SettingInForce[]
  > {
    const call = { method: 'GET', path: clusterPatterns.settings, query: { broker } } as const;
    return decodeSettings(await sendForJson(this.#http, { ...call, signal }));
  }

  /** Returns the names without type of all tables. */
  async listTables({ signal }: SignalOptions = {}): Promise<readonly string[]> {
    return decodeNames(await this.#call('listTableConfigs', { signal }), 'list of tables');
  }

  /** Returns the tables whose rows are files that the settings of a broker name. */
  async listFileTables({ signal }: SignalOptions = {}): Promise<readonly FileTable[]> {
    const call = { method: 'GET', path: '/tables', signal } as const;
    return decodeFileTables(await sendForJson(this.#http, call));
  }

  /** Returns the halves of a table and their sizes. @throws TABLE_NOT_FOUND */
  async readTableSizes(
    rawName: string,
    { signal }: SignalOptions = {},
  ): Promise<readonly TableSize[]> {
    const answer = await this.#call('readTableSize', {
      path: { tableName: rawName },
      signal,
    });
    return decodeTableSizes(answer, rawName);
  }

  /**
   * Returns `schema`, `offline` and `realtime` of a table; a missing half is null. @throws
   * TABLE_NOT_FOUND
   */
  async readTable(rawName: string, { signal }: SignalOptions = {}): Promise<JsonObject> {
    const answer = await this.#call('readTableConfigs', {
      path: { tableName: rawName },
      signal,
    });
    return expectObject(answer, 'table');
  }

  /**
   * Creates one half of a table with an existing schema. @throws TABLE_EXISTS, SCHEMA_NOT_FOUND,
   * TABLE_INVALID
   */
  async createTable(config: JsonObject, { signal }: SignalOptions = {}): Promise<JsonObject> {
    return expectObject(await this.#call('createTable', { body: config, signal }), 'body');
  }

  /**
   * Creates a schema and the tables that use it, all or none: `tableName`, `schema`, `offline`,
   * `realtime`. @throws as `createTable`
   */
  async createTableConfigs(
    configs: JsonObject,
    { signal }: SignalOptions = {},
  ): Promise<JsonObject> {
    return expectObject(await this.#call('createTableConfigs', { body: configs, signal }), 'body');
  }

  /**
   * Deletes a table, or only the half that the suffix of the name selects, but not its schema.
   * Returns a confirmation.
   * @throws TABLE_NOT_FOUND, TABLE_IN_USE
   */
  async deleteTable(tableName: string, { signal }: SignalOptions = {}): Promise<string> {
    const answer = await this.#call('deleteTable', {
      path: { tableName },
      signal,
    });
    return expectString(expectObject(answer, 'body')['status'], 'status');
  }

  /**
   * Loads one file into a table, completely or not at all. @throws TABLE_NOT_FOUND,
   * INGESTION_FAILED, BODY_TOO_LARGE
   */
  async ingestFile(
    tableNameWithType: string,
    file: { readonly name: string; readonly content: Blob },
    {
      signal,
      batchConfig,
    }: SignalOptions & { readonly batchConfig?: Readonly<Record<string, string>> | undefined } = {},
  ): Promise<IngestedFile> {
    const form = new FormData();
    form.append('file', file.content, file.name);
    const query = { tableNameWithType, batchConfigMapStr: textOf(batchConfig) };
    return ingestedOf(
      await this.#call('ingestFromFile', {
        query,
        body: form,
        signal,
        headersTimeoutMs: this.#uploadTimeoutMs,
      }),
    );
  }

  /** Loads one or more files that the server can read. @throws as `ingestFile` */
  async ingestUri(
    tableNameWithType: string,
    uri: string,
    {
      signal,
      batchConfig,
    }: SignalOptions & { readonly batchConfig?: Readonly<Record<string, string>> | undefined } = {},
  ): Promise<IngestedFile> {
    const query = { tableNameWithType, sourceURIStr: uri, batchConfigMapStr: textOf(batchConfig) };
    return ingestedOf(
      await this.#call('ingestFromUri', {
        query,
        signal,
        headersTimeoutMs: this.#uploadTimeoutMs,
      }),
    );
  }

  /**
   * Returns the consumption of each partition of a table, by segment, as on the wire. @throws
   * TABLE_NOT_FOUND, UNSUPPORTED
   */
  async readConsumingSegments(
    tableName: string,
    { signal }: SignalOptions = {},
  ): Promise<JsonObject> {
    const answer = await this.#call('readConsumingSegments', {
      path: { tableName },
      signal,
    });
    return expectObject(
      expectObject(answer, 'body')['_segmentToConsumingInfoMap'],
      '_segmentToConsumingInfoMap',
    );
  }

  /** Returns the pause status of a table, as on the wire. @throws TABLE_NOT_FOUND, UNSUPPORTED */
  async readPauseStatus(tableName: string, { signal }: SignalOptions = {}): Promise<JsonObject> {
    return expectObject(
      await this.#call('readPauseStatus', { path: { tableName }, signal }),
      'pause status',
    );
  }

  /** Pauses the consumption of a table. @throws TABLE_NOT_FOUND, UNSUPPORTED */
  async pauseConsumption(
    tableName: string,
    { signal, comment }: SignalOptions & { readonly comment?: string | undefined } = {},
  ): Promise<JsonObject> {
    const answer = await this.#call('pauseConsumption', {
      path: { tableName },
      query: { comment },
      signal,
    });
    return expectObject(answer, 'pause status');
  }

  /** Resumes the consumption of a table. @throws TABLE_NOT_FOUND, UNSUPPORTED */
  async resumeConsumption(
    tableName: string,
    {
      signal,
      comment,
      consumeFrom,
    }: SignalOptions & {
      readonly comment?: string | undefined;
      readonly consumeFrom?: string | undefined;
    } = {},
  ): Promise<JsonObject> {
    const query = { consumeFrom, comment };
    const answer = await this.#call('resumeConsumption', {
      path: { tableName },
      query,
      signal,
    });
    return expectObject(answer, 'pause status');
  }

  /**
   * Commits the consuming segments of a table; resolves to the job's id. @throws TABLE_NOT_FOUND,
   * CONFLICT
   */
  async forceCommit(tableName: string, { signal }: SignalOptions = {}): Promise<string> {
    const answer = await this.#call('forceCommit', { path: { tableName }, signal });
    return expectString(expectObject(answer, 'body')['forceCommitJobId'], 'forceCommitJobId');
  }

  /** Returns the progress of a forced commit. @throws JOB_NOT_FOUND */
  async readForceCommit(
    jobId: string,
    { signal }: SignalOptions = {},
  ): Promise<ForceCommitProgress> {
    const answer = expectObject(
      await this.#call('readForceCommit', { path: { jobId }, signal }),
      'job',
    );
    const segments: unknown = JSON.parse(
      expectString(answer['segmentsForceCommitted'], 'segmentsForceCommitted'),
    );
    return {
      jobId,
      segmentCount: expectArray(segments as JsonValue, 'segmentsForceCommitted').length,
      pendingSegmentNames: decodeNames(
        answer['segmentsYetToBeCommitted'],
        'segmentsYetToBeCommitted',
      ),
    };
  }

  /**
   * Rebuilds a real-time table from its stream into a new one. @throws TABLE_NOT_FOUND,
   * TABLE_EXISTS, JOB_EXISTS, TABLE_INVALID …
   */
  async startRestream(
    tableName: string,
    request: RestreamRequest,
    { signal }: SignalOptions = {},
  ): Promise<RestreamResponse> {
    return decodeRestream(
      await this.#call('startRestream', {
        path: { tableName },
        body: request,
        signal,
      }),
    );
  }

  /** Returns the job of a table: the running one, or otherwise the last. @throws JOB_NOT_FOUND */
  async readTableRestream(
    tableName: string,
    { signal }: SignalOptions = {},
  ): Promise<RestreamResponse> {
    return decodeRestream(await this.#call('readTableRestream', { path: { tableName }, signal }));
  }

  /** Returns a restream job. @throws JOB_NOT_FOUND */
  async readRestream(jobId: string, { signal }: SignalOptions = {}): Promise<RestreamResponse> {
    return decodeRestream(await this.#call('readRestream', { path: { jobId }, signal }));
  }

  /** Returns all restream jobs, newest first. */
  async listRestreams({ signal }: SignalOptions = {}): Promise<readonly RestreamResponse[]> {
    const answer = expectObject(await this.#call('listRestreams', { signal }), 'body');
    return expectArray(answer['restreams'], 'restreams').map((job) => decodeRestream(job));
  }

  /** Cancels a restream job. @throws JOB_NOT_FOUND; CONFLICT when it has already ended */
  async cancelRestream(
    tableName: string,
    {
      signal,
      dropDestination = false,
    }: SignalOptions & { readonly dropDestination?: boolean | undefined } = {},
  ): Promise<RestreamResponse> {
    const query = { dropDestination: String(dropDestination) };
    return decodeRestream(
      await this.#call('cancelRestream', { path: { tableName }, query, signal }),
    );
  }

  /** Resumes a job that waits at its start. @throws JOB_NOT_FOUND, CONFLICT */
  async resumeRestream(
    tableName: string,
    { signal }: SignalOptions = {},
  ): Promise<RestreamResponse> {
    return decodeRestream(await this.#call('resumeRestream', { path: { tableName }, signal }));
  }

  async listTaskTypes({ signal }: SignalOptions = {}): Promise<readonly string[]> {
    return decodeNames(await this.#call('listTaskTypes', { signal }), 'list of types');
  }

  /**
   * Returns the debug records of the tasks of a type by name, newest first, with only the subtasks
   * that run or failed.
   */
  async listTasks(
    taskType: string,
    {
      signal,
      tableNameWithType,
    }: SignalOptions & { readonly tableNameWithType?: string | undefined } = {},
  ): Promise<ReadonlyMap<string, TaskDebug>> {
    const answer =
      tableNameWithType === undefined
        ? await this.#call('readTypeDebug', { path: { taskType }, signal })
        : await this.#call('readTableTaskDebug', {
            path: { taskType, tableName: tableNameWithType },
            signal,
          });
    return new Map(
      Object.entries(expectObject(answer, 'body')).map(([name, record]) => [
        name,
        decodeTaskDebug(record),
      ]),
    );
  }

  /**
   * Returns the debug record of a task (SPECIFICATION.md section 2.2); above verbosity 0 with all
   * of its subtasks. @throws TASK_NOT_FOUND
   */
  async readTask(
    taskName: string,
    { signal, verbosity = 0 }: SignalOptions & { readonly verbosity?: number | undefined } = {},
  ): Promise<TaskDebug> {
    return decodeTaskDebug(
      await this.#call('readTaskDebug', {
        path: { taskName },
        query: { verbosity },
        signal,
      }),
    );
  }

  /**
   * Creates the tasks that table configs request, now. @throws TASK_TYPE_NOT_FOUND, TABLE_NOT_FOUND
   */
  async scheduleTasks(
    taskType: string,
    {
      signal,
      tableNameWithType,
    }: SignalOptions & { readonly tableNameWithType?: string | undefined } = {},
  ): Promise<ScheduledTaskNames> {
    const query = { taskType, tableName: tableNameWithType };
    const answer = expectObject(await this.#call('scheduleTasks', { query, signal }), 'body');
    const errors = [answer['generationErrors'], answer['schedulingErrors']];
    return {
      taskNames:
        answer[taskType] === undefined ? [] : expectString(answer[taskType], taskType).split(','),
      skipped: expectArray(answer['skipped'] ?? [], 'skipped').map((each) => {
        const { tableNameWithType: table, reason } = expectObject(each, 'skipped');
        return `${expectString(table, 'tableNameWithType')}: ${expectString(reason, 'reason')}`;
      }),
      errors: errors.flatMap((text) =>
        typeof text === 'string' ? text.split('\n').filter((line) => line !== '') : [],
      ),
    };
  }

  /**
   * Runs one task with its own config; resolves to its name. @throws TASK_TYPE_NOT_FOUND,
   * TABLE_NOT_FOUND, TABLE_INVALID, TASK_EXISTS
   */
  async executeTask(
    request: {
      readonly taskType: string;
      readonly tableNameWithType: string;
      readonly taskName?: string | undefined;
      readonly configs: JsonObject;
    },
    { signal }: SignalOptions = {},
  ): Promise<string> {
    const { taskType, tableNameWithType: tableName, taskName, configs: taskConfigs } = request;
    const body = { taskType, tableName, taskName, taskConfigs };
    const answer = expectObject(await this.#call('executeTask', { body, signal }), 'body');
    return expectString(answer[tableName], tableName);
  }

  /** Cancels a task. @throws TASK_NOT_FOUND; CONFLICT when it has already ended */
  async cancelTask(taskName: string, { signal }: SignalOptions = {}): Promise<void> {
    await this.#call('cancelTask', { path: { taskName }, signal });
  }

  #call(name: AdminRouteName, { path = {}, ...request }: Call): Promise<JsonValue> {
    const { method, path: pattern } = adminRoutes[name];
    // A name may contain anything: encoded, it stays one segment of the path, and `..` cannot
    // select another call.
    const written = pattern.replaceAll(/:(\w+)/g, (_all, parameter: string) =>
      pathSegment(path[parameter] ?? ''),
    );
    return sendForJson(this.#http, { method, path: written, ...request });
  }
}

/**
 * Encodes a name as a path segment.
 *
 * @throws INVALID_PARAMETER for `.` and `..`, which a URL resolves even if they are encoded
 */
function pathSegment(name: string): string {
  if (name !== '' && name !== '.' && name !== '..') return encodeURIComponent(name);
  throw new QuireError('INVALID_PARAMETER', `'${name}' is not a valid name.`);
}

function textOf(batchConfig: Readonly<Record<string, string>> | undefined): string | undefined {
  return batchConfig === undefined ? undefined : JSON.stringify(batchConfig);
}

function ingestedOf(answer: JsonValue): IngestedFile {
  const { segmentNames, rowCount } = expectObject(answer, 'body');
  return {
    segmentNames: decodeNames(segmentNames, 'segmentNames'),
    rowCount: expectInteger(rowCount, 'rowCount'),
  };
}
