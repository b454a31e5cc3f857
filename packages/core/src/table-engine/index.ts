export type {
  Consumption,
  ForceCommitJob,
  PartitionConsumption,
  PartitionState,
  PauseStatus,
  RebalanceJob,
  RebalanceStatus,
  ReplicaConsumption,
  ResumeFrom,
} from './consumption.ts';
export {
  parseTableName,
  type TableConfigDocument,
  type TableSchemaDocument,
  type TableType,
} from './documents.ts';
export type { Finding } from './finding.ts';
export type {
  LiveTables,
  RelationColumn,
  RelationFile,
  RelationPart,
  RelationType,
  TableRelation,
} from './live-tables.ts';
export type { SegmentDescription } from './segments.ts';
export type {
  Ingested,
  IngestRequest,
  Instance,
  TableContext,
  TableCreated,
  TableDescription,
  TableEngine,
  TableProblem,
  TableSummary,
  Tenants,
} from './table-engine.ts';
export {
  type ScheduledTasks,
  type SubtaskRecord,
  type SubtaskState,
  subtaskStates,
  type TaskRecord,
  type TaskState,
  taskStates,
  type TaskTrigger,
} from './tasks.ts';
