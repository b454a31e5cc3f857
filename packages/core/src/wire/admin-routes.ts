/** The method and path of a call. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Route pattern; `:tableName` stands for one path segment. */
  readonly path: string;
}

/**
 * The calls about tables, streams, tasks and restreams, with the paths of Apache Pinot's
 * controller.
 */
export const adminRoutes = {
  createTable: { method: 'POST', path: '/tables' },
  readTable: { method: 'GET', path: '/tables/:tableName' },
  updateTable: { method: 'PUT', path: '/tables/:tableName' },
  deleteTable: { method: 'DELETE', path: '/tables/:tableName' },
  readTableSize: { method: 'GET', path: '/tables/:tableName/size' },
  updateTableSchema: { method: 'PUT', path: '/tables/:tableName/schema' },
  listSchemas: { method: 'GET', path: '/schemas' },
  createSchema: { method: 'POST', path: '/schemas' },
  readSchema: { method: 'GET', path: '/schemas/:schemaName' },
  updateSchema: { method: 'PUT', path: '/schemas/:schemaName' },
  deleteSchema: { method: 'DELETE', path: '/schemas/:schemaName' },
  listTableConfigs: { method: 'GET', path: '/tableConfigs' },
  createTableConfigs: { method: 'POST', path: '/tableConfigs' },
  readTableConfigs: { method: 'GET', path: '/tableConfigs/:tableName' },
  updateTableConfigs: { method: 'PUT', path: '/tableConfigs/:tableName' },
  deleteTableConfigs: { method: 'DELETE', path: '/tableConfigs/:tableName' },
  listSegments: { method: 'GET', path: '/segments/:tableName' },
  readSegment: { method: 'GET', path: '/segments/:tableName/:segmentName/metadata' },
  deleteSegment: { method: 'DELETE', path: '/segments/:tableName/:segmentName' },
  ingestFromFile: { method: 'POST', path: '/ingestFromFile' },
  ingestFromUri: { method: 'POST', path: '/ingestFromURI' },
  listTenants: { method: 'GET', path: '/tenants' },
  listInstances: { method: 'GET', path: '/instances' },
  readInstance: { method: 'GET', path: '/instances/:instanceName' },
  readVersion: { method: 'GET', path: '/version' },
  readConsumingSegments: { method: 'GET', path: '/tables/:tableName/consumingSegmentsInfo' },
  readPauseStatus: { method: 'GET', path: '/tables/:tableName/pauseStatus' },
  readWatermarks: { method: 'GET', path: '/tables/:tableName/consumerWatermarks' },
  pauseConsumption: { method: 'POST', path: '/tables/:tableName/pauseConsumption' },
  resumeConsumption: { method: 'POST', path: '/tables/:tableName/resumeConsumption' },
  forceCommit: { method: 'POST', path: '/tables/:tableName/forceCommit' },
  readForceCommit: { method: 'GET', path: '/tables/forceCommitStatus/:jobId' },
  rebalance: { method: 'POST', path: '/tables/:tableName/rebalance' },
  cancelRebalance: { method: 'DELETE', path: '/tables/:tableName/rebalance' },
  readRebalance: { method: 'GET', path: '/rebalanceStatus/:jobId' },
  readTaskDebug: { method: 'GET', path: '/tasks/task/:taskName/debug' },
  listTaskTypes: { method: 'GET', path: '/tasks/tasktypes' },
  listTasks: { method: 'GET', path: '/tasks/:taskType/tasks' },
  readTaskQueue: { method: 'GET', path: '/tasks/:taskType/state' },
  listTaskStates: { method: 'GET', path: '/tasks/:taskType/taskstates' },
  countTasks: { method: 'GET', path: '/tasks/:taskType/taskcounts' },
  readTypeDebug: { method: 'GET', path: '/tasks/:taskType/debug' },
  readTableTaskDebug: { method: 'GET', path: '/tasks/:taskType/:tableName/debug' },
  readTableTaskStates: { method: 'GET', path: '/tasks/:taskType/:tableName/state' },
  readTaskState: { method: 'GET', path: '/tasks/task/:taskName/state' },
  readTaskConfigs: { method: 'GET', path: '/tasks/task/:taskName/config' },
  readSubtaskStates: { method: 'GET', path: '/tasks/subtask/:taskName/state' },
  listSubtasks: { method: 'GET', path: '/tasks/task/:taskName/subtasks' },
  readSubtaskProgress: { method: 'GET', path: '/tasks/subtask/:taskName/progress' },
  scheduleTasks: { method: 'POST', path: '/tasks/schedule' },
  executeTask: { method: 'POST', path: '/tasks/execute' },
  stopTasks: { method: 'PUT', path: '/tasks/:taskType/stop' },
  resumeTasks: { method: 'PUT', path: '/tasks/:taskType/resume' },
  cancelTask: { method: 'DELETE', path: '/tasks/task/:taskName' },
  startRestream: { method: 'POST', path: '/tables/:tableName/restream' },
  readTableRestream: { method: 'GET', path: '/tables/:tableName/restream' },
  cancelRestream: { method: 'DELETE', path: '/tables/:tableName/restream' },
  resumeRestream: { method: 'POST', path: '/tables/:tableName/restream/resume' },
  listRestreams: { method: 'GET', path: '/restreams' },
  readRestream: { method: 'GET', path: '/restreams/:jobId' },
} as const satisfies Readonly<Record<string, Route>>;

/** The name of a call about tables, streams, tasks or restreams. */
export type AdminRouteName = keyof typeof adminRoutes;
