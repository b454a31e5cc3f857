import { type Clock, QuireError } from '@quire/core';
import type {
  Consumption,
  ForceCommitJob,
  PauseStatus,
  PartitionConsumption,
  RebalanceJob,
  TableConfigDocument,
  TableDescription,
  TableSchemaDocument,
} from '@quire/core/table-engine';
import type { RestreamEngine } from '../../src/restream/restream-engine.ts';

/** The behavior of the fake; tests change it while it runs. */
export interface Behaviour {
  /** Messages a second that each partition receives, and that a table consumes from each. */
  producedPerSecond: number;
  consumedPerSecond: number;
  /** The time for which a new table shows no partitions, and then partitions without offsets. */
  startingMs: number;
  commitMs: number;
  /** True if a request to commit is never fulfilled; a pause commits all the same. */
  isCommitStuck: boolean;
  /** NO_OP: there is nothing to move. */
  rebalanceMs: number | 'NO_OP' | 'FAILED' | 'never';
  isStalled: boolean;
  stoppedPartition: number | undefined;
  /**
   * The reason why no server consumes any partition or reports its progress; undefined while they
   * do.
   */
  retryingError: string | undefined;
  /** Thrown by every call while it is set. */
  failure: QuireError | undefined;
  /** Thrown by the deletion of a table while it is set. */
  deletionFailure: QuireError | undefined;
}

interface FakeTable {
  readonly config: TableConfigDocument;
  readonly createdMs: number;
  /** Consumed per partition when it was paused, resumed or stalled last, and when that was. */
  consumed: number;
  sinceMs: number;
  isPaused: boolean;
  sequence: number;
}

export const partitionCount = 2;

/**
 * Keeps tables that consume a stream of numbers at the speed of its behavior, independent of the
 * wall clock.
 */
export class FakeEngine implements RestreamEngine {
  readonly description = 'fake';
  readonly behaviour: Behaviour = {
    producedPerSecond: 100,
    consumedPerSecond: 2000,
    startingMs: 1000,
    commitMs: 2000,
    isCommitStuck: false,
    rebalanceMs: 'NO_OP',
    isStalled: false,
    stoppedPartition: undefined,
    retryingError: undefined,
    failure: undefined,
    deletionFailure: undefined,
  };
  /** Names of the calls that have changed something. */
  readonly changes: string[] = [];
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #tables = new Map<string, FakeTable>();
  readonly #schemas = new Map<string, TableSchemaDocument>();
  readonly #commits = new Map<string, ForceCommitJob & { readonly dueMs: number }>();
  readonly #rebalances = new Map<string, RebalanceJob & { readonly dueMs: number }>();
  #ids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs() - 1_000_000;
    this.#schemas.set('orders', {
      schemaName: 'orders',
      dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
    });
    this.#tables.set('orders_REALTIME', {
      ...this.#newTable(sourceConfig, false),
      createdMs: this.#startMs,
      consumed: 100_000,
      sequence: 7,
    });
  }

  get tableNames(): readonly string[] {
    return [...this.#tables.keys()].toSorted();
  }

  get schemaNames(): readonly string[] {
    return [...this.#schemas.keys()].toSorted();
  }

  configOf(name: string): TableConfigDocument {
    return this.#table(name).config;
  }

  /** No table consumes any more; each stays where it is. */
  stall(): void {
    for (const table of this.#tables.values()) table.consumed = this.#consumed(table);
    this.behaviour.isStalled = true;
  }

  isPaused(name: string): boolean {
    return this.#table(name).isPaused;
  }

  /** As another client would. */
  remove(name: string): void {
    this.#tables.delete(name);
  }

  async readSchema(name: string): Promise<TableSchemaDocument> {
    this.#assertReachable();
    const schema = this.#schemas.get(name);
    if (schema === undefined) {
      throw new QuireError('SCHEMA_NOT_FOUND', `There is no schema ${name}.`);
    }
    return schema;
  }

  async createSchema(schema: TableSchemaDocument): Promise<void> {
    this.#assertReachable();
    if (this.#schemas.has(schema.schemaName)) {
      throw new QuireError('SCHEMA_EXISTS', `There is a schema ${schema.schemaName}.`);
    }
    this.#schemas.set(schema.schemaName, schema);
    this.changes.push(`createSchema ${schema.schemaName}`);
  }

  async deleteSchema(name: string): Promise<void> {
    this.#assertReachable();
    if (!this.#schemas.delete(name)) {
      throw new QuireError('SCHEMA_NOT_FOUND', `There is no schema ${name}.`);
    }
    this.changes.push(`deleteSchema ${name}`);
  }

  async readTable(name: string): Promise<TableDescription> {
    this.#assertReachable();
    const { config } = this.#table(name);
    const schemaName = name.replace(/_REALTIME$/, '');
    const schema = this.#schemas.get(schemaName) ?? { schemaName };
    return {
      tableNameWithType: name,
      type: 'REALTIME',
      isReadOnly: false,
      config,
      schema,
      findings: [],
    };
  }

  async createTable(
    config: TableConfigDocument,
    options: { readonly isPaused?: boolean } = {},
  ): Promise<{ tableNameWithType: string; findings: [] }> {
    this.#assertReachable();
    const name = config.tableName;
    if (this.#tables.has(name)) throw new QuireError('TABLE_EXISTS', `There is a table ${name}.`);
    this.#tables.set(name, this.#newTable(config, options.isPaused ?? false));
    this.changes.push(`createTable ${name}`);
    return { tableNameWithType: name, findings: [] };
  }

  async deleteTable(name: string): Promise<void> {
    this.#assertReachable();
    if (this.behaviour.deletionFailure !== undefined) throw this.behaviour.deletionFailure;
    this.#table(name);
    this.#tables.delete(name);
    this.changes.push(`deleteTable ${name}`);
  }

  async countRows(name: string): Promise<number> {
    this.#assertReachable();
    return this.#consumed(this.#table(name)) * partitionCount;
  }

  async readConsumption(name: string): Promise<Consumption> {
    this.#assertReachable();
    const table = this.#table(name);
    const ageMs = this.#clock.monotonicMs() - table.createdMs;
    const { startingMs } = this.behaviour;
    const common = { isPaused: table.isPaused, changedMs: null, comment: null };
    if (ageMs < startingMs / 2) return { ...common, isReady: false, partitions: [] };
    const partitions = Array.from({ length: partitionCount }, (_, index) =>
      this.#partition(name, table, index, ageMs < startingMs),
    );
    return { ...common, isReady: true, partitions };
  }

  async pauseConsumption(name: string): Promise<PauseStatus> {
    this.#assertReachable();
    this.#settle(name);
    this.#table(name).isPaused = true;
    for (const [jobId, job] of this.#commits) {
      if (job.tableNameWithType === name) this.#commits.set(jobId, { ...job, dueMs: 0 });
    }
    this.changes.push(`pause ${name}`);
    return paused(true);
  }

  async resumeConsumption(name: string): Promise<PauseStatus> {
    this.#assertReachable();
    this.#settle(name);
    this.#table(name).isPaused = false;
    this.changes.push(`resume ${name}`);
    return paused(false);
  }

  async forceCommit(name: string): Promise<ForceCommitJob> {
    this.#assertReachable();
    const table = this.#table(name);
    if (table.isPaused) throw new QuireError('CONFLICT', `${name} is paused.`);
    const segmentNames = Array.from({ length: partitionCount }, (_, index) =>
      segmentName(name, index, table.sequence),
    );
    table.sequence += 1;
    const dueMs = this.behaviour.isCommitStuck
      ? Infinity
      : this.#clock.monotonicMs() + this.behaviour.commitMs;
    const jobId = `commit-${(this.#ids += 1)}`;
    const submittedMs = this.#clock.monotonicMs();
    this.#commits.set(jobId, {
      jobId,
      tableNameWithType: name,
      submittedMs,
      segmentNames,
      pendingSegmentNames: segmentNames,
      dueMs,
    });
    this.changes.push(`forceCommit ${name}`);
    return this.readForceCommit(jobId);
  }

  async readForceCommit(jobId: string): Promise<ForceCommitJob> {
    this.#assertReachable();
    const job = this.#commits.get(jobId);
    if (job === undefined) throw new QuireError('JOB_NOT_FOUND', `There is no job ${jobId}.`);
    return {
      ...job,
      pendingSegmentNames: this.#clock.monotonicMs() >= job.dueMs ? [] : job.segmentNames,
    };
  }

  async rebalance(name: string): Promise<RebalanceJob> {
    this.#assertReachable();
    this.#table(name);
    const { rebalanceMs } = this.behaviour;
    const jobId = `rebalance-${(this.#ids += 1)}`;
    const dueMs =
      rebalanceMs === 'never'
        ? Infinity
        : typeof rebalanceMs === 'number'
          ? this.#clock.monotonicMs() + rebalanceMs
          : 0;
    const status: RebalanceJob['status'] =
      rebalanceMs === 'NO_OP' || rebalanceMs === 'FAILED' ? rebalanceMs : 'IN_PROGRESS';
    const counts = { segmentsToMoveCount: 2, segmentsMovedCount: 0 };
    const job = {
      jobId,
      tableNameWithType: name,
      status,
      startedMs: this.#clock.monotonicMs(),
      endedMs: null,
      description: 'As told.',
      ...counts,
    };
    this.#rebalances.set(jobId, { ...job, dueMs });
    this.changes.push(`rebalance ${name}`);
    return job;
  }

  async readRebalance(jobId: string): Promise<RebalanceJob> {
    this.#assertReachable();
    const job = this.#rebalances.get(jobId);
    // Like the peer, it forgets those that had nothing to do.
    if (job === undefined || job.status === 'NO_OP') {
      throw new QuireError('JOB_NOT_FOUND', `There is no job ${jobId}.`);
    }
    return job.status === 'IN_PROGRESS' && this.#clock.monotonicMs() >= job.dueMs
      ? { ...job, status: 'DONE' }
      : job;
  }

  async cancelRebalance(name: string): Promise<readonly string[]> {
    this.#assertReachable();
    this.changes.push(`cancelRebalance ${name}`);
    return [];
  }

  async listTenants(): Promise<{ brokerTenants: string[]; serverTenants: string[] }> {
    this.#assertReachable();
    return { brokerTenants: ['DefaultTenant'], serverTenants: ['DefaultTenant', 'Fresh'] };
  }

  /** Records the rows that a table has consumed until now, before its speed changes. */
  #settle(name: string): void {
    const table = this.#table(name);
    table.consumed = this.#consumed(table);
    table.sinceMs = this.#clock.monotonicMs();
  }

  /** Call before `isStalled` is changed. */
  setStalled(isStalled: boolean): void {
    for (const name of this.#tables.keys()) this.#settle(name);
    this.behaviour.isStalled = isStalled;
  }

  #newTable(config: TableConfigDocument, isPaused: boolean): FakeTable {
    const nowMs = this.#clock.monotonicMs();
    return { config, createdMs: nowMs, consumed: 0, sinceMs: nowMs, isPaused, sequence: 0 };
  }

  #latest(): number {
    return Math.floor(
      ((this.#clock.monotonicMs() - this.#startMs) / 1000) * this.behaviour.producedPerSecond,
    );
  }

  #consumed(table: FakeTable): number {
    if (table.isPaused || this.behaviour.isStalled) return table.consumed;
    const taken =
      ((this.#clock.monotonicMs() - table.sinceMs) / 1000) * this.behaviour.consumedPerSecond;
    return Math.min(this.#latest(), table.consumed + Math.floor(taken));
  }

  #partition(
    name: string,
    table: FakeTable,
    partition: number,
    isStarting: boolean,
  ): PartitionConsumption {
    const known = isStarting ? null : this.#consumed(table);
    const { retryingError, stoppedPartition } = this.behaviour;
    if (retryingError !== undefined) {
      return {
        ...this.#unknownPartition(name, table, partition),
        state: 'RETRYING',
        error: retryingError,
      };
    }
    const isStopped = stoppedPartition === partition;
    const state = isStopped
      ? 'STOPPED'
      : isStarting
        ? 'STARTING'
        : table.isPaused
          ? 'PAUSED'
          : 'CONSUMING';
    return {
      partition,
      state,
      segmentName: segmentName(name, partition, table.sequence),
      currentOffset: known,
      latestOffset: isStarting ? null : this.#latest(),
      lagMessages: known === null ? null : this.#latest() - known,
      lastConsumedMs: null,
      lagMs: null,
      skippedCount: 0,
      error: isStopped ? 'Offset 17 is not JSON.' : null,
    };
  }

  #unknownPartition(name: string, table: FakeTable, partition: number): PartitionConsumption {
    return {
      partition,
      state: 'STARTING',
      segmentName: segmentName(name, partition, table.sequence),
      currentOffset: null,
      latestOffset: null,
      lagMessages: null,
      lastConsumedMs: null,
      lagMs: null,
      skippedCount: 0,
      error: null,
    };
  }

  #table(name: string): FakeTable {
    const table = this.#tables.get(name);
    if (table === undefined) throw new QuireError('TABLE_NOT_FOUND', `There is no table ${name}.`);
    return table;
  }

  #assertReachable(): void {
    if (this.behaviour.failure !== undefined) throw this.behaviour.failure;
  }
}

function segmentName(table: string, partition: number, sequence: number): string {
  return `${table.replace(/_REALTIME$/, '')}__${partition}__${sequence}__20260101T0000Z`;
}

const sourceConfig: TableConfigDocument = {
  tableName: 'orders_REALTIME',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts', schemaName: 'orders' },
  tenants: { broker: 'DefaultTenant', server: 'DefaultTenant', tagOverrideConfig: {} },
  metadata: { customConfigs: { team: 'shop' } },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'orders',
          'stream.file.consumer.prop.auto.offset.reset': 'largest',
        },
      ],
    },
  },
};

function paused(isPaused: boolean): PauseStatus {
  return { isPaused, changedMs: null, comment: null, segmentNames: [] };
}
