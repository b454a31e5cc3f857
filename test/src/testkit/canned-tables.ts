import type { Restreams, RestreamJob } from '@quire/controller';
import type { TableEngine, TaskRecord } from '@quire/core/table-engine';

/**
 * Answers of a table engine that knows one hybrid table, to compare a controller's responses with
 * its documents.
 */

const nowMs = Date.UTC(2026, 0, 1);
const schema = { schemaName: 'orders', dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }] };
const configs = {
  OFFLINE: { tableName: 'orders_OFFLINE', tableType: 'OFFLINE', big: 9_007_199_254_740_993n },
  REALTIME: { tableName: 'orders_REALTIME', tableType: 'REALTIME' },
};
const summaries = (['OFFLINE', 'REALTIME'] as const).map((type) => ({
  tableNameWithType: `orders_${type}`,
  type,
  isReadOnly: false,
}));
const segment = (state: 'COMMITTED' | 'CONSUMING', sequence: number) => ({
  segmentName: `orders__0__${sequence}__20260101T0000Z`,
  state,
  rowCount: 5,
  sizeBytes: 100,
  minTimeMs: nowMs,
  maxTimeMs: nowMs,
  createdMs: nowMs,
  committedMs: state === 'COMMITTED' ? nowMs : null,
  stream: {
    partition: 0,
    sequence,
    startOffset: 5 * sequence,
    endOffset: state === 'COMMITTED' ? 5 * sequence + 5 : null,
  },
  servers: ['Server_127.0.0.1_8098'],
  checksum: '17',
  custom: { made: 'here' },
});
const partition = (index: number, isKnown: boolean) => ({
  partition: index,
  state: isKnown ? ('CONSUMING' as const) : ('STARTING' as const),
  segmentName: `orders__${index}__1__20260101T0000Z`,
  currentOffset: isKnown ? 7 : null,
  latestOffset: isKnown ? 9 : null,
  lagMessages: isKnown ? 2 : null,
  lastConsumedMs: isKnown ? nowMs : null,
  lagMs: isKnown ? 20 : null,
  skippedCount: 0,
  error: null,
});
const consumption = {
  isPaused: false,
  changedMs: nowMs,
  comment: 'go',
  isReady: true,
  partitions: [partition(0, true), partition(1, false)],
};
const pause = {
  isPaused: false,
  changedMs: nowMs,
  comment: 'go',
  segmentNames: consumption.partitions.map(({ segmentName }) => segmentName),
};
const commit = {
  jobId: 'c1',
  tableNameWithType: 'orders_REALTIME',
  submittedMs: nowMs,
  segmentNames: ['a', 'b'],
  pendingSegmentNames: ['b'],
};
const rebalance = {
  jobId: 'r1',
  tableNameWithType: 'orders_REALTIME',
  status: 'IN_PROGRESS' as const,
  startedMs: nowMs,
  endedMs: null,
  description: 'Two segments move.',
  segmentsToMoveCount: 2,
  segmentsMovedCount: 1,
};
const subtaskStates = [
  'WAITING',
  'RUNNING',
  'COMPLETED',
  'TASK_ERROR',
  'TIMED_OUT',
  'TASK_ABORTED',
  'DROPPED',
  'UNKNOWN',
] as const;
const task: TaskRecord = {
  taskName: 'Task_MergeRollupTask_1',
  taskType: 'MergeRollupTask',
  tableNameWithType: 'orders_OFFLINE',
  state: 'IN_PROGRESS',
  trigger: 'CRON_TRIGGER',
  createdMs: nowMs,
  startedMs: nowMs + 1000,
  finishedMs: null,
  subtasks: subtaskStates.map((state, index) => ({
    subtaskId: `Task_MergeRollupTask_1_${index}`,
    state,
    startedMs: state === 'WAITING' ? null : nowMs + 1000,
    finishedMs: state === 'COMPLETED' ? nowMs + 2000 : null,
    participant: state === 'WAITING' ? null : 'Minion_1',
    info: state === 'TASK_ERROR' ? 'Row 3 has no time.' : null,
    attemptCount: 1,
    progress: null,
    configs: { inputDirURI: 'file:///in' },
  })),
};
const done = {
  tableNameWithType: 'orders_OFFLINE',
  findings: [{ path: '', code: 'NOTE', message: 'So.', severity: 'info' as const }],
};

export const cannedEngine: TableEngine = {
  description: 'canned',
  listSchemas: async () => ['orders'],
  readSchema: async () => schema,
  createSchema: async () => undefined,
  updateSchema: async () => undefined,
  deleteSchema: async () => undefined,
  listTables: async () => summaries,
  readTable: async (name) => {
    const type = name === 'orders_OFFLINE' ? 'OFFLINE' : 'REALTIME';
    return {
      tableNameWithType: name,
      type,
      isReadOnly: false,
      config: configs[type],
      schema,
      findings: [],
    };
  },
  createTable: async () => done,
  updateTable: async () => done,
  checkTable: async () => [],
  deleteTable: async () => undefined,
  listSegments: async () => [segment('COMMITTED', 0), segment('CONSUMING', 1)],
  deleteSegment: async () => undefined,
  ingest: async ({ source }) => {
    if (source.kind === 'bytes') for await (const _chunk of source.body);
    return { segmentNames: ['orders_0'], rowCount: 3, findings: [] };
  },
  countRows: async () => 10,
  readConsumption: async () => consumption,
  readPauseStatus: async () => pause,
  pauseConsumption: async () => ({ ...pause, isPaused: true }),
  resumeConsumption: async () => pause,
  forceCommit: async () => commit,
  readForceCommit: async () => commit,
  rebalance: async () => rebalance,
  readRebalance: async () => rebalance,
  cancelRebalance: async () => ['r1'],
  listTenants: async () => ({ brokerTenants: ['DefaultTenant'], serverTenants: ['DefaultTenant'] }),
  listProblems: async () => [],
  listInstances: async () => [
    {
      instanceName: 'Server_127.0.0.1_8098',
      kind: 'SERVER',
      host: '127.0.0.1',
      port: 8098,
      tenants: ['DefaultTenant'],
      isEnabled: true,
    },
  ],
  listTaskTypes: async () => ['MergeRollupTask'],
  scheduleTasks: async () => ({
    scheduled: [
      { taskType: task.taskType, tableNameWithType: 'orders_OFFLINE', taskName: task.taskName },
      {
        taskType: task.taskType,
        tableNameWithType: 'b_OFFLINE',
        taskName: 'Task_MergeRollupTask_2',
      },
    ],
    skipped: [
      { taskType: task.taskType, tableNameWithType: 'c_OFFLINE', reason: 'Nothing is old enough.' },
    ],
    errors: [],
  }),
  executeTask: async () => task,
  listTasks: async () => [task],
  readTask: async () => task,
  readTaskQueue: async () => 'STOPPED',
  stopTaskQueue: async () => undefined,
  resumeTaskQueue: async () => undefined,
  cancelTask: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

export const cannedJob: RestreamJob = {
  jobId: '01a1fbe5-2323-7189-ad84-e68ed2a88fe2',
  config: {
    tableNameWithType: 'orders_REALTIME',
    destTableNameWithType: 'orders2_REALTIME',
    destServerTenant: 'DefaultTenant',
    destBrokerTenant: 'DefaultTenant',
    debugPause: false,
    maxTableStreamLag: 5000,
    maxRebalanceTimeMin: 120,
  },
  status: 'FORCE_COMMIT',
  createdMs: nowMs,
  finishedMs: null,
  stages: [{ stage: 'INIT', startedMs: nowMs, endedMs: nowMs + 5, outcome: 'It is made.' }],
  init: { makesSchema: true, isMade: true, isHeld: false, waitedMs: 0 },
  targetOffsets: { 0: 5 },
  stream: {
    startedMs: nowMs,
    probedMs: nowMs,
    lagMessages: 3,
    lagByPartition: { 0: 3 },
    offsets: { 0: 6 },
    idleMs: 0,
  },
  commit: {
    startedMs: nowMs,
    probedMs: nowMs,
    engineJobId: 'c1',
    waitedMs: 0,
    waitedSinceAskedMs: 0,
    attemptCount: 1,
    pause: 'none',
    segmentNames: ['a', 'b'],
    pendingSegmentNames: ['b'],
  },
  rebalance: null,
  comparison: null,
  cleanup: null,
  error: null,
  lastProblem: {
    code: 'ENGINE_UNAVAILABLE',
    message: 'The engine does not answer.',
    stage: 'FORCE_COMMIT',
    atMs: nowMs,
  },
};

/** The calls of `Restreams` that a controller makes. */
export const cannedRestreams = {
  start: async () => cannedJob,
  read: async () => cannedJob,
  list: async () => [
    cannedJob,
    {
      ...cannedJob,
      status: 'FAILED',
      finishedMs: nowMs + 90_000,
      error: { code: 'CONFLICT', message: 'So.', stage: 'REBALANCE' },
    },
  ],
  readOfTable: async () => cannedJob,
  findActive: async () => undefined,
  cancel: async () => cannedJob,
  resume: async () => cannedJob,
  listProblems: async () => [],
} as unknown as Restreams;

/** Returns the same object with every method failing as the function says. */
export function failing<T extends object>(target: T, error: () => Error): T {
  return new Proxy(target, {
    get: (_target, name) =>
      name === 'description'
        ? 'failing'
        : name === Symbol.asyncDispose
          ? async () => undefined
          : () => Promise.reject(error()),
  });
}

/** The values of path parameters in the canned answers. */
export const cannedNames: Readonly<Record<string, string>> = {
  tableName: 'orders_REALTIME',
  schemaName: 'orders',
  segmentName: 'orders__0__0__20260101T0000Z',
  jobId: 'c1',
  taskType: 'MergeRollupTask',
  taskName: 'Task_MergeRollupTask_1',
  instanceName: 'Server_127.0.0.1_8098',
};
